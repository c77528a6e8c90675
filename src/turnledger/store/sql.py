"""Named SQL statements from package folders: ``queries/<verb>_<noun>.sql``, one statement a file.

Statements that both engines share lie in ``turnledger/store/queries``.  An engine's own folder adds to
them or takes the place of one; such a file begins with a comment that says why its dialect differs.
Parameters are written ``:name``.  A statement may leave out parameters that its caller offers.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.resources import files

__all__ = ["Statement", "load_statements", "read_folder"]

_TOKEN = re.compile(
    r"""'(?:[^']|'')*'            # text
      | "(?:[^"]|"")*"            # quoted name
      | --[^\n]*                  # comment
      | /\*.*?\*/                 # comment
      | ::                        # cast
      | :(?P<name>[a-z][a-z0-9_]*)
    """,
    re.VERBOSE | re.DOTALL,
)
_HEADER = re.compile(r"\A(?:\s*--[^\n]*\n)*")


@dataclass(frozen=True, slots=True)
class Statement:
    """One statement; ``params`` are its parameters in the order in which they first appear."""

    name: str
    text: str
    params: tuple[str, ...]

    def names(self) -> tuple[str, ...]:
        """Its parameters in the order in which they appear, each as often as it does."""
        return tuple([match["name"] for match in _TOKEN.finditer(self.text) if match["name"] is not None])

    def positional(self) -> str:
        """The text with every ``:name`` as ``?``, for values in the order of ``names``."""
        return _TOKEN.sub(lambda match: match[0] if match["name"] is None else "?", self.text)

    def numbered(self) -> str:
        """The text with ``:name`` as ``$1``, counted as in ``params``."""

        def place(match: re.Match[str]) -> str:
            name = match["name"]
            return match[0] if name is None else f"${self.params.index(name) + 1}"

        return _TOKEN.sub(place, self.text)

    def pyformat(self) -> str:
        """The text with ``:name`` as ``%(name)s`` and ``%`` doubled, as psycopg reads it."""

        def place(match: re.Match[str]) -> str:
            name = match["name"]
            return match[0] if name is None else f"%({name})s"

        return _TOKEN.sub(place, self.text.replace("%", "%%"))

    def values(self, params: Mapping[str, object]) -> tuple[object, ...]:
        """The statement's own parameters out of ``params``, in its order."""
        return tuple([params[name] for name in self.params])


def parse_statement(name: str, text: str) -> Statement:
    """The statement in a file's text, without the comment above it and the semicolon behind it."""
    body = _HEADER.sub("", text, count=1).strip().removesuffix(";").rstrip()
    names = Statement(name, body, ()).names()
    return Statement(name, body, tuple(dict.fromkeys(names)))


def load_statements(*packages: str) -> dict[str, Statement]:
    """The statements in the ``queries`` folders of these packages by name; a later package goes first."""
    return {
        name.removesuffix(".sql"): parse_statement(name.removesuffix(".sql"), text)
        for package in packages
        for name, text in read_folder(package, "queries").items()
    }


def read_folder(package: str, folder: str) -> dict[str, str]:
    """Texts of the ``.sql`` files in a package's folder by file name, sorted."""
    found = [entry for entry in (files(package) / folder).iterdir() if entry.name.endswith(".sql")]
    return {entry.name: entry.read_text("utf-8") for entry in sorted(found, key=lambda entry: entry.name)}
