"""``turnledger decode``: what the decoders make of recorded exchanges with model providers."""

from __future__ import annotations

from pathlib import PurePath
from typing import TYPE_CHECKING, Final

import click

from turnledger.cli.input_file import opened
from turnledger.cli.line import counted
from turnledger.cli.progress import progress
from turnledger.cli.safe_text import one_line
from turnledger.cli.screen import note, write_json
from turnledger.errors import ForeignFileError

if TYPE_CHECKING:
    from collections.abc import Iterable

    from turnledger.providers.exchange import ProviderError, Reply, ToolRequest, Usage
    from turnledger.providers.exchange_line import RecordedExchange

__all__ = ["command"]

_SAID: Final = 20


@click.command("decode")
@click.argument("files", metavar="FILE…", nargs=-1, required=True, type=click.Path(exists=False))
@click.option(
    "--more",
    is_flag=True,
    help="Also the wire format, reasoning, refusal, tools that ran at the provider, and the request's facts.",
)
@click.option("--json", "as_json", is_flag=True, help="Makes no difference: the output is JSON lines.")
@click.pass_context
def command(context: click.Context, files: tuple[str, ...], *, more: bool, as_json: bool) -> None:
    """Show what Turnledger reads in exchanges with model providers, one JSON line for each.

    A line of FILE is an object with `response`, and where known `provider`, `uri`, `status`, `kind` and
    `request`.  `kind` is json (the parsed body), sse (the raw event stream as text), text (the raw body) or
    base64 (the raw body of a binary stream); without it the body's shape tells.  FILE may be - for standard
    input.

    \b
    provider     as the line says, else whom the uri belongs to
    servedModel  the model that answered, null where the reply does not say
    finish       stop, length, tool_calls, content_filter, refusal, pause, error, other; null: no end
    toolCalls    those that wait for the agent; `supplied` is the exact text of the arguments
    usage        tokens, each counted once: `in` without the cached, `out` without the reasoning
    flags        what is missing, does not add up, or could not be read

    \b
    Example:  turnledger decode exchanges.jsonl | jq 'select(.flags != [])'

    Lines that can't be read are told with their number and passed over; the exit status is then 1.
    """  # noqa: D301  click wants the control character itself
    from turnledger.cli.program import Status  # noqa: PLC0415  not needed for --help

    del as_json
    run = _Run(more=more)
    for name in files:
        run.file(name)
    if run.refused:
        run.sum_up()
        context.exit(Status.FOUND if run.decoded else Status.NOT_DONE)


class _Run:
    """The decoding of all files of one command."""

    def __init__(self, *, more: bool) -> None:
        self._more = more
        self.decoded = 0
        self.refused = 0

    def file(self, name: str) -> None:
        """Decode one file; says what is wrong with its lines as it goes."""
        from turnledger.engine.transcript_file import read_lines, what_it_is  # noqa: PLC0415  not for --help

        try:
            with opened(name) as (stream, size):
                kind = what_it_is(stream.peek())
                if kind is not None:
                    self._refuse(name, f"This is {kind}, and not exchanges, one a line.")
                    return
                done = 0
                with progress(one_line(PurePath(name).name, 40), size) as advance:
                    for line in read_lines(stream):
                        self._line(f"{name}:{line.number}", line.data)
                        advance(line.read - done)
                        done = line.read
        except OSError as error:
            self._refuse(name, f"{error.strerror or type(error).__name__}.")

    def _line(self, place: str, data: bytes | None) -> None:
        from turnledger.engine.transcript_file import MAX_LINE_BYTES  # noqa: PLC0415
        from turnledger.providers.exchange_line import read_exchange  # noqa: PLC0415

        if data is None:
            self._refuse(place, f"It is longer than {MAX_LINE_BYTES >> 20} MiB.")
            return
        try:
            exchange = read_exchange(data)
        except ForeignFileError as error:
            self._refuse(place, error.message)
            return
        write_json(_answer(exchange, more=self._more), lines=True)
        self.decoded += 1

    def _refuse(self, place: str, reason: str) -> None:
        self.refused += 1
        if self.refused <= _SAID:
            note(f"{place}: {reason}")

    def sum_up(self) -> None:
        """What was passed over, at the end of all."""
        more = "" if self.refused <= _SAID else f", {self.refused - _SAID:,} of them untold"
        doubt = (
            ""
            if self.decoded
            else " Is it the right file? `turnledger decode --help` has the form of a line."
        )
        decoded = counted(self.decoded, "exchange")
        passed = counted(self.refused, "line or file", "lines or files")
        note(f"{decoded} decoded, {passed} passed over{more}.{doubt}")


def _answer(exchange: RecordedExchange, *, more: bool) -> dict[str, object]:
    reply = exchange.reply()
    usage = reply.usage
    flags: list[str] = [*reply.flags, *(usage.flags if usage else ())]
    if not exchange.exact and (reply.tool_requests or reply.hosted_tools) and exchange.kind == "json":
        flags.append("supplied-reencoded")
    answer: dict[str, object] = {
        "provider": reply.provider,
        "servedModel": reply.served_model,
        "finish": reply.finish,
        "text": reply.text,
        "toolCalls": _calls(reply.tool_requests),
        "usage": _usage(usage),
        "flags": list(dict.fromkeys(flags)),
        "error": _error(reply.error),
    }
    return {**answer, **_details(exchange, reply)} if more else answer


def _calls(calls: Iterable[ToolRequest]) -> list[dict[str, object]]:
    return [{"id": call.id, "name": call.name, "supplied": call.supplied} for call in calls]


def _usage(usage: Usage | None) -> dict[str, int | None] | None:
    """The five buckets; audio and images, which few providers count apart, are in the two that hold text."""
    if usage is None:
        return None
    return {
        "in": usage.uncached,
        "cacheRead": usage.cache_read,
        "cacheWrite": usage.cache_write,
        "out": usage.visible,
        "reasoning": usage.reasoning,
    }


def _error(error: ProviderError | None) -> dict[str, object] | None:
    if error is None:
        return None
    return {"status": error.status, "type": error.type, "code": error.code, "message": error.message}


def _details(exchange: RecordedExchange, reply: Reply) -> dict[str, object]:
    facts = exchange.facts()
    usage = reply.usage
    return {
        "wire": reply.wire,
        "responseId": reply.response_id,
        "finishRaw": reply.finish_raw,
        "reasoning": reply.reasoning_text,
        "refusal": reply.refusal,
        "hostedTools": _calls(reply.hosted_tools),
        "providerTotal": None if usage is None else usage.provider_total,
        "request": None
        if facts is None
        else {
            "wire": facts.wire,
            "model": facts.model,
            "stream": facts.stream,
            "messages": facts.messages,
            "tools": len(facts.tools),
            "promptBytes": None if facts.prompt is None else len(facts.prompt),
            "flags": list(facts.flags),
        },
    }
