"""Secrets in texts that leave the ledger, replaced by placeholders that are the same for the same secret."""

from __future__ import annotations

import re
from typing import Final

__all__ = ["Masker"]

# Key formats of well-known services, and values that stand under a telling name.
_FORMATS: Final = re.compile(
    r"-----BEGIN [A-Z ]*PRIVATE KEY-----.*?-----END [A-Z ]*PRIVATE KEY-----"
    r"|\bsk-[A-Za-z0-9_-]{16,}"
    r"|\b(?:gh[pousr]_[A-Za-z0-9]{20,}|github_pat_[A-Za-z0-9_]{20,})"
    r"|\bglpat-[A-Za-z0-9_-]{16,}"
    r"|\bxox[abeoprs]-[A-Za-z0-9-]{10,}"
    r"|\b(?:AKIA|ASIA)[A-Z0-9]{16}\b"
    r"|\bAIza[A-Za-z0-9_-]{30,}"
    r"|\b[rs]k_(?:live|test)_[A-Za-z0-9]{16,}"
    r"|\bhf_[A-Za-z0-9]{20,}"
    r"|\btl[a-z]?_[A-Za-z0-9_-]{32,}"
    r"|\beyJ[A-Za-z0-9_-]{8,}\.eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}",
    re.DOTALL,
)
_NAMED: Final = re.compile(
    r"(?P<name>\b(?:api[_-]?key|secret(?:[_-]?key)?|client[_-]?secret|access[_-]?token|refresh[_-]?token"
    r"|auth[_-]?token|password|passwd|private[_-]?key|x-api-key)\b\\?[\"']?\s*[:=]\s*\\?[\"']?)"
    r"(?P<value>[^\s\"'\\,;&}\[\]<]{6,})",
    re.IGNORECASE,
)
_BEARER: Final = re.compile(r"(?P<name>\b(?:Bearer|Basic)\s+)(?P<value>[A-Za-z0-9._~+/=-]{12,})")
_IN_URL: Final = re.compile(
    r"(?P<name>\b[a-z][a-z0-9+.-]*://[^\s/:@\"']{1,64}:)(?P<value>[^\s/@\"']{1,200})(?=@)"
)


class Masker:
    """Replaces secrets; within one masker the same secret always gets the same placeholder."""

    def __init__(self) -> None:
        self._seen: dict[str, str] = {}

    def mask(self, text: str) -> str:
        """``text`` with ``[secret-1]``, ``[secret-2]`` and so on for its secrets."""
        text = _FORMATS.sub(lambda match: self._placeholder(match[0]), text)
        for pattern in (_NAMED, _BEARER, _IN_URL):
            text = pattern.sub(lambda match: match["name"] + self._placeholder(match["value"]), text)
        return text

    def _placeholder(self, secret: str) -> str:
        return self._seen.setdefault(secret, f"[secret-{len(self._seen) + 1}]")
