"""Credentials: shown once, kept as digests, worth nothing once they are used up, ended or revoked."""

from __future__ import annotations

from collections.abc import Iterator
from uuid import UUID

import pytest

from turnledger.clock import SystemClock
from turnledger.engine.access import (
    LOGIN_CODE_MS,
    SESSION_MS,
    USED_EVERY_MS,
    Access,
    checked_scopes,
    csrf_token,
)
from turnledger.engine.location import connect
from turnledger.errors import NotFoundError, UsageError
from turnledger.model.access import Grant, Scope
from turnledger.store.ledger_store import Store

AGENT, OTHER = UUID(int=1), UUID(int=2)
ALL = Grant(frozenset(Scope))


class MovedClock(SystemClock):
    def __init__(self) -> None:
        self.later_ms = 0

    def epoch_ms(self) -> int:
        return super().epoch_ms() + self.later_ms


@pytest.fixture
def clock() -> MovedClock:
    return MovedClock()


@pytest.fixture
def store(engine: str) -> Iterator[Store]:
    store = connect(engine).open()
    yield store
    store.close()


@pytest.fixture
def access(store: Store, clock: MovedClock) -> Access:
    return Access(store, clock)


def test_a_token_is_known_by_its_secret_alone(access: Access) -> None:
    secret, token = access.add_token("bot", Grant(frozenset([Scope.CAPTURE]), frozenset([AGENT, OTHER])))
    caller = access.by_token(secret)
    assert caller is not None
    assert (caller.kind, caller.id, caller.name, caller.grant) == ("token", token.id, "bot", token.grant)
    assert access.by_token(secret[:-1]) is None
    assert access.by_token("") is None
    assert access.by_token("\udc80") is None


def test_secrets_are_kept_nowhere(access: Access, store: Store) -> None:
    operator = access.add_operator("ada", ALL)
    code, _ = access.login_code(operator.id)
    session = access.log_in(code)
    secret, _ = access.add_token("bot", ALL)
    kept = repr([store.reader.ask("list_tokens"), store.reader.ask("list_operators")])
    assert session is not None
    assert not [one for one in (code, session, secret) if one in kept]


def test_a_revoked_token_is_worth_nothing(access: Access) -> None:
    secret, token = access.add_token("bot", ALL)
    caller = access.by_token(secret)
    assert caller is not None
    assert access.tables.revoke_token(token.id, 1)
    assert access.by_token(secret) is None
    assert access.still(caller) is None
    assert not access.tables.revoke_token(token.id, 2)
    assert not access.tables.revoke_token(UUID(int=9), 2)
    assert [row.revoked_ms for row in access.tables.tokens()] == [1]


def test_the_last_use_is_noted_to_the_minute(access: Access, clock: MovedClock) -> None:
    secret, _ = access.add_token("bot", ALL)
    access.by_token(secret)
    (first,) = [row.used_ms for row in access.tables.tokens()]
    access.by_token(secret)
    assert [row.used_ms for row in access.tables.tokens()] == [first]
    clock.later_ms += USED_EVERY_MS
    access.by_token(secret)
    (later,) = [row.used_ms for row in access.tables.tokens()]
    assert first is not None
    assert later is not None
    assert later > first


def test_a_login_code_works_once(access: Access) -> None:
    operator = access.add_operator("ada", ALL)
    code, _ = access.login_code(operator.id)
    session = access.log_in(code)
    assert session is not None
    assert access.log_in(code) is None
    assert access.log_in("no code") is None
    caller = access.by_session(session)
    assert caller is not None
    assert (caller.kind, caller.name, caller.csrf) == ("operator", "ada", csrf_token(session))


def test_a_login_code_runs_out(access: Access, clock: MovedClock) -> None:
    code, expires_ms = access.login_code(access.add_operator("ada", ALL).id)
    assert expires_ms - clock.epoch_ms() <= LOGIN_CODE_MS
    clock.later_ms = LOGIN_CODE_MS
    assert access.log_in(code) is None


def test_a_session_ends_by_logging_out_and_by_time(access: Access, clock: MovedClock) -> None:
    operator = access.add_operator("ada", ALL)
    sessions = [access.log_in(access.login_code(operator.id)[0]) for _ in range(2)]
    callers = [access.by_session(session) for session in sessions if session is not None]
    assert callers[0] is not None
    assert callers[1] is not None
    access.log_out(callers[0])
    assert access.still(callers[0]) is None
    assert access.still(callers[1]) == callers[1]
    clock.later_ms = SESSION_MS
    assert access.still(callers[1]) is None


def test_a_removed_operator_is_out_at_once_and_the_name_is_free(access: Access) -> None:
    operator = access.add_operator("ada", ALL)
    session = access.log_in(access.login_code(operator.id)[0])
    unused, _ = access.login_code(operator.id)
    assert session is not None
    assert access.tables.remove_operator(operator.id, 5)
    assert not access.tables.remove_operator(operator.id, 6)
    assert access.by_session(session) is None
    assert access.log_in(unused) is None
    assert access.operator("ada") is None
    assert access.operator_by_id(operator.id).removed_ms == 5
    assert access.add_operator("ada", ALL).id != operator.id
    with pytest.raises(NotFoundError):
        access.operator_by_id(UUID(int=9))


def test_a_name_is_taken_while_its_operator_is_there(access: Access) -> None:
    access.add_operator("ada", ALL)
    with pytest.raises(UsageError, match="already"):
        access.add_operator("ada", ALL)


@pytest.mark.parametrize("name", ["", " ada", "a\nb", "x" * 201, "\ud800", "a\u202eb"])
def test_a_name_that_could_mislead_is_refused(access: Access, name: str) -> None:
    with pytest.raises(UsageError):
        access.add_token(name, ALL)


def test_scopes_imply_what_they_say_and_no_more() -> None:
    assert Grant(frozenset([Scope.VIEW_BODIES])).may(Scope.VIEW_AUDIT_LOG)
    assert not Grant(frozenset([Scope.MANAGE, Scope.CAPTURE])).may(Scope.VIEW_AUDIT_LOG)
    assert not Grant(frozenset([Scope.VIEW_AUDIT_LOG])).may(Scope.VIEW_BODIES)
    assert Grant(frozenset(), frozenset([AGENT])).covers(AGENT)
    assert not Grant(frozenset(), frozenset([AGENT])).covers(OTHER)
    assert not Grant(frozenset(), frozenset()).covers(AGENT)
    assert Grant(frozenset()).covers(OTHER)


def test_scopes_are_named_exactly() -> None:
    assert checked_scopes(["capture", "manage"]) == {Scope.CAPTURE, Scope.MANAGE}
    for wrong in ([], ["view"], ["capture", "Manage"]):
        with pytest.raises(UsageError, match="view_audit_log"):
            checked_scopes(wrong)
