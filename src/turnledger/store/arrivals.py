"""What has arrived of replies whose call has no result yet, as it lies beside a turn's journal."""

from __future__ import annotations

from itertools import groupby
from operator import itemgetter
from uuid import UUID

from turnledger.errors import LedgerCorruptError
from turnledger.model.draft import ARRIVED_AT_MOST
from turnledger.store.contract import Reader
from turnledger.store.sql_mapping import Row
from turnledger.wire.compression import unpack

__all__ = ["arrived_replies"]


def arrived_replies(reader: Reader, journal: UUID) -> dict[int, bytes]:
    """The first bytes of each reply that still arrives for a call in this journal, by the seq of the call.

    A reply ends where a piece of it is missing or damaged.
    """
    rows = reader.ask("list_arrivals", journal=journal.bytes)
    return {seq: b"".join(_pieces(list(group))) for seq, group in groupby(rows, itemgetter(0))}


def _pieces(rows: list[Row]) -> list[bytes]:
    pieces: list[bytes] = []
    size = 0
    for _seq, start, data in rows:
        if start != size:
            break
        try:
            piece = unpack(bytes(data), ARRIVED_AT_MOST)
        except LedgerCorruptError:
            break
        pieces.append(piece)
        size += len(piece)
    return pieces
