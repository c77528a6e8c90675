"""The items that an OpenAI response puts out: messages, reasoning, and calls of tools of every kind."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from turnledger.providers.document import as_list, as_map, as_text
from turnledger.providers.format import Arguments

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

__all__ = ["Item", "read_item"]

# Calls that wait for the agent, by type of item: where their arguments stand.
_WAITING: Final[Mapping[str, str]] = {
    "function_call": "arguments",
    "custom_tool_call": "input",
    "computer_call": "action",
    "local_shell_call": "action",
    "shell_call": "action",
    "apply_patch_call": "operation",
}
# Calls that ran at the provider; a kind that came later than this list is taken as one of these.
_HOSTED: Final[Mapping[str, str]] = {
    "program": "code",
    "mcp_call": "arguments",
    "mcp_approval_request": "arguments",
    "web_search_call": "action",
    "file_search_call": "queries",
    "code_interpreter_call": "code",
    "tool_search_call": "arguments",
}
_PARTS: Final[Mapping[str, str]] = {
    "output_text": "text",
    "text": "text",
    "refusal": "refusal",
    "summary_text": "summary",
    "reasoning_text": "thinking",
}
_TEXT_DELTAS: Final[Mapping[str, tuple[str, str]]] = {
    "response.output_text.delta": ("text", "content_index"),
    "response.refusal.delta": ("refusal", "content_index"),
    "response.reasoning_summary_text.delta": ("summary", "summary_index"),
    "response.reasoning_text.delta": ("thinking", "content_index"),
}
_ARGUMENT_DELTAS: Final[Mapping[str, str]] = {
    "response.function_call_arguments.delta": "function_call",
    "response.custom_tool_call_input.delta": "custom_tool_call",
    "response.mcp_call_arguments.delta": "mcp_call",
    "response.code_interpreter_call_code.delta": "code_interpreter_call",
}


@dataclass(slots=True)
class Item:
    """One item while it is put together; ``parts`` are its texts by kind and place.

    ``client`` says whether the agent runs what it calls, where the item itself says so.
    """

    kind: str
    call: Arguments | None = None
    client: bool | None = None
    parts: dict[tuple[str, int], list[str]] = field(default_factory=dict[tuple[str, int], list[str]])

    @property
    def hosted(self) -> bool:
        """Whether the provider runs what it calls."""
        return self.kind not in _WAITING if self.client is None else not self.client

    def texts(self, kind: str) -> Iterator[str]:
        """The texts of one kind in order, each whole."""
        return ("".join(self.parts[key]) for key in sorted(self.parts) if key[0] == kind)

    def thoughts(self) -> list[str]:
        """Reasoning itself where the model shows it, else its summary."""
        return [text for text in self.texts("thinking") if text] or [
            text for text in self.texts("summary") if text
        ]

    def add(self, kind: str, place: object, text: object) -> None:
        """Append to a text."""
        if isinstance(text, str):
            self.parts.setdefault((kind, place if isinstance(place, int) else 0), []).append(text)

    def extend(self, event: str, told: Mapping[str, object]) -> None:
        """Append what an event ``….delta`` brings."""
        delta = told.get("delta")
        if event in _TEXT_DELTAS:
            kind, place = _TEXT_DELTAS[event]
            self.add(kind, told.get(place), delta)
        elif event in _ARGUMENT_DELTAS and isinstance(delta, str):
            self.kind = self.kind or _ARGUMENT_DELTAS[event]
            self.call = self.call or Arguments()
            self.call.pieces.append(delta)


def read_item(told: Mapping[str, object], data: bytes, path: Sequence[str | int]) -> Item:
    """The item that stands at ``path`` of ``data``."""
    item = Item(kind=as_text(told.get("type")) or "")
    for key in ("content", "summary"):
        for number, entry in enumerate(as_list(told.get(key))):
            part = as_map(entry)
            kind = _PARTS.get(as_text(part.get("type")) or "")
            if kind is not None and told.get("role") in (None, "assistant"):
                item.add(kind, number, part.get("refusal") if kind == "refusal" else part.get("text"))
    if item.kind.endswith("_call") or item.kind in _HOSTED:
        item.call = _call(item.kind, told, data, path)
        item.client = _runs_at_client(told)
    return item


def _runs_at_client(told: Mapping[str, object]) -> bool | None:
    """What the item says: searches for tools name who executes them, shells where they run."""
    place = as_text(told.get("execution")) or as_text(as_map(told.get("environment")).get("type"))
    if place is None:
        return None
    return place in ("client", "local")


def _call(kind: str, told: Mapping[str, object], data: bytes, path: Sequence[str | int]) -> Arguments:
    call_id = as_text(told.get("call_id")) or as_text(told.get("id"))
    call = Arguments(id=call_id, name=as_text(told.get("name")) or kind.removesuffix("_call"))
    place = _WAITING.get(kind) or _HOSTED.get(kind)
    if kind == "computer_call" and "action" not in told:
        place = "actions"
    if place is not None:
        call.add(told.get(place), data, [*path, place])
    return call
