"""``python -m turnledger``."""

from __future__ import annotations

from turnledger.cli import main

main()
