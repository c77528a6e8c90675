"""Arguments of the recorder's methods as they have to be; each raises UsageError with what would do.

What an agent works with (messages, arguments, observations, replies) is none of these: it is recorded
whatever it is.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Final, Protocol, TypeVar, cast

from turnledger.capture.content import Attachment
from turnledger.errors import UsageError

if TYPE_CHECKING:
    from turnledger.capture.pen import Pen

__all__ = [
    "attachments_given",
    "count_given",
    "flag_given",
    "handle_given",
    "own_given",
    "text_given",
    "traceparent_facts",
]

T = TypeVar("T")
Own = TypeVar("Own", bound="Written")


class Written(Protocol):
    """A handle of something in a journal."""

    @property
    def pen(self) -> Pen:
        """What it is written with."""
        ...


LARGEST: Final = 2**63 - 1

_TRACEPARENT = re.compile(r"(?!ff)[0-9a-f]{2}-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}")


def _wrong(what: str, value: object, wanted: str) -> UsageError:
    msg = f"{what} cannot be of type {type(value).__name__}."
    return UsageError(msg, next_step=f"Give {wanted}.")


def text_given(value: object, what: str) -> str | None:
    """A text, or None."""
    if value is None:
        return None
    kind = type(value)  # isinstance would ask the object for its __class__, which may raise
    if not issubclass(kind, str):
        raise _wrong(what, value, "a text, or nothing")
    return "".join((cast("str", value),))  # without the methods of a subclass


def flag_given(value: object, what: str) -> bool | None:
    """True, False or None."""
    if value is None or value is True or value is False:
        return value
    raise _wrong(what, value, "True or False, or nothing")


def count_given(
    value: object, what: str, facts: dict[str, object] | None = None, key: str = ""
) -> int | None:
    """A whole number from 0 to 2^63 - 1, or None; of a broken one the detail gets all where there is one."""
    if value is None:
        return None
    kind = type(value)
    number = value
    if facts is not None and kind is float and math.isfinite(value):  # type: ignore[arg-type]
        number = math.floor(value)  # type: ignore[call-overload]
        if number != value:
            facts[key] = value
    if type(number) is int or (issubclass(kind, int) and not issubclass(kind, bool)):
        whole = int.__index__(number)  # type: ignore[arg-type]
        if 0 <= whole <= LARGEST:
            return whole
        msg = f"{what} is negative, or beyond 64 bits."
        raise UsageError(msg, next_step="Give a whole number from 0 on, or nothing.")
    raise _wrong(what, value, "a whole number from 0 on, or nothing")


def handle_given(kind: type[T], value: object, what: str, wanted: str) -> T | None:
    """A handle that the recorder itself gave, or None."""
    if value is None:
        return None
    if not issubclass(type(value), kind):
        raise _wrong(what, value, wanted)
    return value  # type: ignore[return-value]  # of that type, which isinstance would have to ask for


def own_given(pen: Pen, kind: type[Own], value: object, what: str, wanted: str) -> Own | None:
    """A handle of the journal that ``pen`` writes to, or None; in another its place means another event."""
    handle = handle_given(kind, value, what, wanted)
    if handle is not None and not pen.shares_journal(handle.pen):
        msg = f"{what} belongs to another turn or conversation."
        raise UsageError(msg, next_step="Name one of the turn itself, or leave it out.")
    return handle


def attachments_given(value: object) -> tuple[Attachment, ...]:
    """Attachments in a list or tuple."""
    wanted = "a list of turnledger.Attachment(bytes, media_type)"
    if not issubclass(type(value), (list, tuple)):
        what = "The list of attachments"
        raise _wrong(what, value, wanted)
    items: Sequence[object] = value  # type: ignore[assignment]
    return tuple([_attachment(item, wanted) for item in items])


def _attachment(item: object, wanted: str) -> Attachment:
    if not issubclass(type(item), Attachment):
        what = "An attachment"
        raise _wrong(what, item, wanted)
    return item  # type: ignore[return-value]


def traceparent_facts(value: object) -> dict[str, object]:
    """What the detail says of a W3C trace context.

    One that is none is not kept, but said to be none: it may be anybody's text, and could not be erased.
    """
    if value is None:
        return {}
    if issubclass(type(value), str) and _TRACEPARENT.fullmatch(value):  # type: ignore[call-overload]
        return {"traceparent": value}
    return {"traceparentInvalid": True}
