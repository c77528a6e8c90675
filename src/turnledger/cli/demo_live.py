"""The demo in a browser: the console over the demo's ledger, in which a few agents talk on."""

from __future__ import annotations

import logging
import os
import signal
import sys
import threading
import webbrowser
from pathlib import Path
from typing import TYPE_CHECKING, Final

from turnledger.cli.line import QUIET
from turnledger.cli.screen import Screen, note
from turnledger.engine.demo.live_agent import LIVE_QUESTIONS
from turnledger.engine.demo.live_model import LiveModel
from turnledger.engine.demo.prices import demo_prices
from turnledger.engine.demo.talk import LIMIT_MB, Talk
from turnledger.engine.location import database_at
from turnledger.errors import LedgerUnavailableError
from turnledger.server.run import Address, RunningServer, open_service

if TYPE_CHECKING:
    from uuid import UUID

    from turnledger.engine.demo.alteration import Alteration
    from turnledger.engine.demo.tour import Recorded
    from turnledger.server.service import Service

__all__ = ["serve_live"]

_USUAL_PORT: Final = Address().port


def serve_live(
    path: Path, recorded: Recorded, altered: Alteration, *, port: int | None, speed: float, may_open: bool
) -> None:
    """Serve the ledger at ``path`` until Ctrl-C, and say where to look.

    ``port`` None is the usual one where it is free, else any.  Raises LedgerUnavailableError where the port
    that was asked for cannot be had.
    """
    logging.basicConfig(stream=sys.stderr, level=logging.WARNING, format="%(asctime)s %(message)s")
    server = _server(open_service(database_at(path), prices=demo_prices()), port)
    link = server.login_url()
    _say_where(path, server.address.url, link, _places(server.address.url, recorded, altered))
    model = LiveModel.of_environment()
    if model is not None:
        note(f"One more agent asks {model.name} at OPENAI_BASE_URL {len(LIVE_QUESTIONS)} questions.")
    if may_open and _has_display():
        threading.Thread(target=webbrowser.open, args=(link,), daemon=True).start()
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # ends like Ctrl-C
    with Talk(path, speed, note, model):
        try:
            server.run()
        except KeyboardInterrupt:
            note("")
    note(f"Ended. To look at it again: turnledger serve --ledger {path}")


def _server(service: Service, port: int | None) -> RunningServer:
    try:
        return RunningServer(service, Address(port=_USUAL_PORT if port is None else port))
    except LedgerUnavailableError:
        if port is None:
            return RunningServer(service, Address(port=0))
        service.store.close()
        raise


def _places(url: str, recorded: Recorded, altered: Alteration) -> dict[str, str]:
    """What to look at, and where."""
    desk = altered.event.agent

    def inspector(turn: UUID) -> str:
        return f"{url}/agents/turns?agentId={desk}&turnId={turn}"

    return {
        "The altered turn": inspector(altered.event.journal.id),
        "The killed one": inspector(recorded.interrupted),
        "Approved by a person": inspector(recorded.highlights.refund),
    }


def _say_where(path: Path, url: str, link: str, places: dict[str, str]) -> None:
    screen = Screen()
    screen.line()
    screen.line(("4. Live", "bold cyan"))
    screen.line((f"$ turnledger serve --ledger {path}", QUIET))
    rows = {"Console": url, "Log in, once": link, **places}
    for name, address in rows.items():
        style = "bold" if address == link else ""
        screen.line((f"{name + ':':<22}", ""), (address, style), indent=2, whole=True)
    for words in (
        f"Three agents talk on until Ctrl-C, or until the ledger's file has {LIMIT_MB} MB.",
        f"Another link: turnledger operator link local --url {url} --ledger {path}",
    ):
        screen.line((words, QUIET), indent=2, whole=True)
    screen.flush()


def _has_display() -> bool:
    """Whether a browser that is opened is one that somebody sees."""
    if sys.platform in {"darwin", "win32"}:
        return True
    return bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))
