"""What a person means by an id or the beginning of one, and by an agent's name."""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass
from uuid import UUID

from turnledger.errors import NotFoundError, UsageError
from turnledger.ids import NIL
from turnledger.model.draft import AliasKind
from turnledger.store.contract import Reader

__all__ = ["Named", "find_agent", "looks_like_id", "resolve"]

_SHOWN = 4
_DIGITS = re.compile(r"[0-9a-f]{1,32}")
_DASHES_AFTER = (8, 12, 16, 20)


@dataclass(frozen=True, slots=True)
class Named:
    """An object of the ledger: ``kind`` is turn, conversation, agent or event."""

    kind: str
    id: UUID


def looks_like_id(text: str) -> bool:
    """Whether ``text`` could be a UUID or its beginning, dashes or not, in either case."""
    digits = text.lower().replace("-", "")
    if _DIGITS.fullmatch(digits) is None:
        return False
    return "-" not in text or text.lower().removesuffix("-") == _with_dashes(digits)


def resolve(reader: Reader, text: str, kinds: Collection[str] = ("turn", "conversation")) -> Named:
    """The one object of these kinds whose id is ``text`` or begins with it.

    Raises UsageError for what is no id or begins several, NotFoundError where there is none.
    """
    wanted = " or ".join(kinds)
    if not looks_like_id(text):
        msg = f"{text[:80]!r} is no id of a {wanted}, and no beginning of one."
        raise UsageError(msg, next_step="Copy an id from `turnledger list`; its first characters are enough.")
    prefix = _with_dashes(text.lower())
    # Kinds come in order, so what is not asked for cannot crowd out what is.
    found = [Named(kind, found) for kind, found in reader.find(prefix, 1000) if kind in kinds]
    if not found:
        msg = f"The ledger holds no {wanted} whose id begins with {prefix}."
        raise NotFoundError(
            msg, next_step="See `turnledger list` and `turnledger list --turns` for what there is."
        )
    if len(found) > 1:
        shown = ", ".join(f"{one.kind} {one.id}" for one in found[:_SHOWN])
        more = f" and {len(found) - _SHOWN} more" if len(found) > _SHOWN else ""
        msg = f"{prefix} begins {len(found)} ids: {shown}{more}."
        raise UsageError(msg, next_step="Give more of the id.")
    return found[0]


def _with_dashes(text: str) -> str:
    digits = text.replace("-", "")
    starts = (0, *_DASHES_AFTER)
    ends = (*_DASHES_AFTER, len(digits))
    return "-".join(digits[start:end] for start, end in zip(starts, ends, strict=True) if start < len(digits))


def find_agent(reader: Reader, text: str) -> UUID:
    """The agent with this name, or with an id that begins with ``text``.

    Raises NotFoundError where there is none, UsageError where there are several.
    """
    by_name = reader.alias(AliasKind.AGENT, NIL, text)
    if by_name is not None:
        return by_name
    if looks_like_id(text):
        try:
            return resolve(reader, text, ("agent",)).id
        except NotFoundError:
            pass
    names = sorted(agent.name for agent in reader.agents())
    known = ", ".join(names[: _SHOWN * 2]) + (" …" if len(names) > _SHOWN * 2 else "")
    msg = f"The ledger knows no agent {text[:80]!r}."
    raise NotFoundError(msg, next_step=f"It knows: {known}." if names else "It knows no agent at all yet.")
