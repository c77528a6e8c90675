"""Counters of one server process, in the Prometheus text format."""

from __future__ import annotations

import threading
from collections import Counter

__all__ = ["Meter"]

_HELP = {
    "turnledger_requests_total": "Requests by status class.",
    "turnledger_captured_events_total": "Events that recorders sent, by answer.",
    "turnledger_stream_subscribers": "Streams that are open.",
    "turnledger_stream_events_total": "Events handed to streams.",
    "turnledger_stream_resyncs_total": "Readers that were told to ask anew.",
}


class Meter:
    """Counts things.  Safe to use from many threads."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._counts: Counter[tuple[str, str]] = Counter()

    def add(self, name: str, label: str = "", count: int = 1) -> None:
        """Count ``count`` more of ``name`` (of the kind ``label``)."""
        with self._lock:
            self._counts[name, label] += count

    def count(self, name: str, label: str = "") -> int:
        """How many there were so far."""
        with self._lock:
            return self._counts[name, label]

    def text(self) -> str:
        """All counters."""
        lines: list[str] = []
        with self._lock:
            counts = sorted(self._counts.items())
        for name, about in _HELP.items():
            kind = "counter" if name.endswith("_total") else "gauge"
            lines += [f"# HELP {name} {about}", f"# TYPE {name} {kind}"]
            lines += [
                f'{name}{{kind="{label}"}} {count}' if label else f"{name} {count}"
                for (counted, label), count in counts
                if counted == name
            ]
        return "\n".join([*lines, ""])
