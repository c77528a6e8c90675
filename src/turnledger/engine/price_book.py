"""The prices at hand: the file that the user names, and the library where it is installed."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Final

from turnledger.errors import ForeignFileError, LedgerUnavailableError
from turnledger.pricing.book import PriceBook
from turnledger.pricing.library import installed_library
from turnledger.pricing.table import PriceTable, read_table

__all__ = ["PRICES", "has_list_prices", "has_prices", "no_prices", "price_book"]

PRICES: Final = "TURNLEDGER_PRICES"
"""Names the file of prices where none is named otherwise."""

_MOST_BYTES: Final = 1 << 22


def price_book(file: str | os.PathLike[str] | None = None) -> PriceBook:
    """The prices of ``file``, else of what ``TURNLEDGER_PRICES`` names, before those of the library.

    Raises ForeignFileError for a file that cannot be read or is no price table.
    """
    chosen = os.environ.get(PRICES) if file is None else os.fspath(file)
    return PriceBook(_table(Path(chosen)) if chosen else None, installed_library())


def has_list_prices() -> bool:
    """Whether the library is installed.  Does not load it."""
    return installed_library() is not None


def has_prices() -> bool:
    """Whether ``price_book()`` would have something to go by.  Reads no file."""
    return bool(os.environ.get(PRICES)) or has_list_prices()


def no_prices() -> LedgerUnavailableError:
    """What to say where neither a table nor the library is there."""
    msg = "Model calls get no cost, as there are no prices here."
    next_step = (
        "Run pip install 'turnledger[prices]', or name a price table with --prices (see docs/cost.md)."
    )
    return LedgerUnavailableError(msg, next_step=next_step)


def _table(path: Path) -> PriceTable:
    try:
        if path.stat().st_size > _MOST_BYTES:
            msg = f"{path} is larger than a price table may be ({_MOST_BYTES >> 20} MiB)."
            raise ForeignFileError(msg, next_step="See docs/cost.md for its form.")
        return read_table(path.read_bytes(), str(path))
    except OSError as error:
        msg = f"The price table {path} cannot be read: {error.strerror or type(error).__name__}."
        raise ForeignFileError(msg, next_step="Name a file that can be read.") from error
