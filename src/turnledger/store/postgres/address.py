"""A PostgreSQL URL as libpq takes it, and as people may see it: without its secrets."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from typing import Final

from psycopg import ProgrammingError
from psycopg.conninfo import conninfo_to_dict, make_conninfo

from turnledger.errors import UsageError

__all__ = ["Address"]

# A host that went silent is given up after about 20 seconds instead of the system's quarter of an hour.
_DEFAULTS: Final = {
    "application_name": "turnledger",
    "connect_timeout": "10",
    "keepalives_idle": "10",
    "keepalives_interval": "5",
    "keepalives_count": "2",
    "tcp_user_timeout": "20000",
}

_PORTS: Final = frozenset("0123456789,")
_TWO_AT: Final = 2


@dataclass(frozen=True, slots=True)
class Address:
    """Where the database is: ``conninfo`` for libpq (never for people), ``label`` for people."""

    conninfo: str
    label: str

    @staticmethod
    def parse(url: str) -> Address:
        """The address in ``postgresql://user:password@host:port/database?options=…``.

        What the URL says goes before the defaults here.  Raises UsageError where it cannot be read;
        the error does not repeat it, because a part of a password may be what could not be read.
        """
        given = _parts(url)
        several = "," in str(given.get("host") or given.get("hostaddr") or "")
        defaults = _DEFAULTS | ({"target_session_attrs": "read-write"} if several else {})
        # Text is UTF-8 on both sides, whatever the environment says.
        conninfo = make_conninfo("", **(defaults | given | {"client_encoding": "utf8"}))
        return Address(conninfo, _label(given))

    def __repr__(self) -> str:
        return f"Address({self.label!r})"


def _parts(url: str) -> dict[str, str | int | None]:
    with suppress(ProgrammingError):
        given = conninfo_to_dict(url)
        # A slash in a password makes its beginning a port and its end a database, an @ makes its end a host:
        # none of them is to be shown, by this program or by the driver.
        port, database = str(given.get("port") or ""), str(given.get("dbname") or "")
        authority = url.partition("://")[2].partition("/")[0].partition("?")[0]
        if not set(port) - _PORTS and not set(database) & {"@", "/"} and authority.count("@") < _TWO_AT:
            return given
    msg = "The PostgreSQL URL cannot be read."
    next_step = (
        "Write postgresql://user:password@host:port/database, special characters in a password as %XX: "
        "@ is %40, / is %2F."
    )
    raise UsageError(msg, next_step=next_step)


def _label(given: dict[str, str | int | None]) -> str:
    user = f"{given['user']}@" if given.get("user") else ""
    host = given.get("host") or given.get("hostaddr") or ""
    port = f":{given['port']}" if given.get("port") else ""
    return f"postgresql://{user}{host}{port}/{given.get('dbname') or ''}"
