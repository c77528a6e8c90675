"""What a shell completes beside commands and options: ids, agents, statuses and files.

Whoever presses the tab key gets a few words or none: never an error, and nothing after a second.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress
from itertools import islice
from threading import Thread
from typing import TYPE_CHECKING, Final

import click
from click.shell_completion import CompletionItem

if TYPE_CHECKING:
    from turnledger.store.contract import Reader

__all__ = ["agents", "conversations", "file_names", "ids", "ids_or_files", "statuses"]

_MOST: Final = 30
_WAIT_S: Final = 1.0
_PLACES: Final = "file"  # click's word for: the shell completes names of files itself


def file_names(context: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Names of files."""
    del context, param
    return [CompletionItem(incomplete, type=_PLACES)]


def ids(context: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Ids of conversations and turns: the latest, or those that begin so."""
    del param
    return _asked(context, lambda reader: _ids(reader, incomplete, ("conversation", "turn")))


def conversations(context: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Ids of conversations."""
    del param
    return _asked(context, lambda reader: _ids(reader, incomplete, ("conversation",)))


def ids_or_files(context: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Ids, and names of files where no id begins so: shells show one or the other."""
    return [*file_names(context, param, incomplete), *ids(context, param, incomplete)]


def agents(context: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Names of agents."""
    del param
    return _asked(context, lambda reader: _agents(reader, incomplete))


def statuses(context: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Statuses of turns with ``--turns``, else of conversations."""
    from turnledger.cli.list import OF_CONVERSATIONS  # noqa: PLC0415  which imports this
    from turnledger.model.vocabulary import TurnStatus  # noqa: PLC0415  not needed for --help

    del param
    words = map(str, TurnStatus) if context.params.get("turns") else iter(OF_CONVERSATIONS)
    return [CompletionItem(word) for word in words if word.startswith(incomplete)]


def _asked(context: click.Context, ask: Callable[[Reader], Iterator[CompletionItem]]) -> list[CompletionItem]:
    """What a ledger answers within the time, in a thread that does not keep the program from ending."""
    from turnledger.cli.ledger import reading  # noqa: PLC0415  not needed for --help

    found: list[CompletionItem] = []

    def look() -> None:
        with suppress(Exception), reading(context.params.get("ledger")) as reader:  # a tab key has no errors
            found.extend(islice(ask(reader), _MOST))

    thread = Thread(target=look, daemon=True)
    thread.start()
    thread.join(_WAIT_S)
    return list(found)


def _ids(reader: Reader, incomplete: str, kinds: tuple[str, ...]) -> Iterator[CompletionItem]:
    from turnledger.store.contract import ConversationFilter, Page, TurnFilter  # noqa: PLC0415

    if incomplete:
        for kind, found in reader.find(incomplete, _MOST):
            if kind in kinds:
                yield CompletionItem(str(found), help=kind)
        return
    share = _MOST // len(kinds)
    for row in reader.conversations(ConversationFilter(), Page(share)):
        yield CompletionItem(str(row.id), help="conversation")
    if "turn" in kinds:
        for turn in reader.turns(TurnFilter(), Page(share)):
            yield CompletionItem(str(turn.id), help="turn")


def _agents(reader: Reader, incomplete: str) -> Iterator[CompletionItem]:
    for agent in reader.agents():
        if agent.name.startswith(incomplete) and agent.name.isprintable():
            yield CompletionItem(agent.name)
