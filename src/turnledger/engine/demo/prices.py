"""Prices of the scripted model, invented, so that the demo's console tells what a turn cost."""

from __future__ import annotations

from typing import Final

from turnledger.engine.demo.dialogue import SCENE_MODEL
from turnledger.pricing.book import PriceBook
from turnledger.pricing.library import installed_library
from turnledger.pricing.table import read_table

__all__ = ["demo_prices"]

_TABLE: Final = f"""
[[price]]
model = "{SCENE_MODEL}*"
input = 2.50
cache_read = 0.25
output = 10.00
"""


def demo_prices() -> PriceBook:
    """What the demo's calls are priced by: a real model that answers in it by list prices."""
    return PriceBook(read_table(_TABLE.encode(), "the demo's prices"), installed_library())
