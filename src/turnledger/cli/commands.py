"""The one list of commands; adding one is a line here and a module that holds a click command ``command``."""

from __future__ import annotations

from typing import Final

__all__ = ["COMMANDS"]

COMMANDS: Final[dict[str, tuple[str, str]]] = {
    "demo": (
        "turnledger.cli.demo",
        "Record real conversations, prove them, alter one byte, watch agents live.",
    ),
    "serve": ("turnledger.cli.serve", "The API, the live stream and the console over a ledger."),
    "gateway": ("turnledger.cli.gateway", "Record what any program asks of models, and pass it on."),
    "list": ("turnledger.cli.list", "Conversations or turns, latest first."),
    "show": ("turnledger.cli.show", "One turn or conversation, step by step."),
    "tail": ("turnledger.cli.tail", "Follow what agents do, as it happens."),
    "verify": ("turnledger.cli.verify", "Prove that nothing was altered, and say what that does not cover."),
    "import": ("turnledger.cli.import_", "Chat transcripts, one a line, as conversations on record."),
    "decode": ("turnledger.cli.decode", "What is read in recorded exchanges with model providers."),
    "export": ("turnledger.cli.export", "Journals as JSON lines, or a turn as a fixture."),
    "reprice": ("turnledger.cli.reprice", "What model calls cost, from the usage on record."),
    "operator": ("turnledger.cli.operator", "People who may log in to the server."),
    "token": ("turnledger.cli.token", "Credentials for programs that record or read through the server."),
    "migrate": ("turnledger.cli.migrate", "Bring a ledger's schema up to date."),
    "backup": ("turnledger.cli.backup", "Copy a ledger while agents go on recording."),
    "doctor": ("turnledger.cli.doctor", "Look a ledger over; rebuild what lists are read from."),
    "bench": ("turnledger.cli.bench", "How fast this machine makes turns durable."),
    "completion": ("turnledger.cli.completion", "Script that lets a shell complete commands and options."),
}
"""Name → (module, one line for the help)."""
