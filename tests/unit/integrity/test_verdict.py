from __future__ import annotations

import pytest

from turnledger.integrity.verdict import Reason, Verdict, worst


def test_the_scale_rises_as_the_contract_says() -> None:
    rising = [Verdict.MALFORMED, Verdict.BROKEN, Verdict.INTACT, Verdict.SEALED, Verdict.WITNESSED]
    assert sorted([*rising[2:], *rising[:2]]) == rising


@pytest.mark.parametrize("verdict", [Verdict.EMPTY, Verdict.NOT_CHECKED, Verdict.BROKEN, Verdict.MALFORMED])
def test_what_was_not_shown_to_hold_is_never_green(verdict: Verdict) -> None:
    assert not verdict.green
    assert worst([Verdict.WITNESSED, verdict, Verdict.INTACT]) is verdict


def test_nothing_checked_is_not_checked() -> None:
    assert worst([]) is Verdict.NOT_CHECKED


def test_a_fault_of_content_weighs_more_than_no_content() -> None:
    assert worst([Verdict.EMPTY, Verdict.BROKEN]) is Verdict.BROKEN


def test_faults_of_form_are_told_from_faults_of_content() -> None:
    assert Reason.SOURCE_TURN_ID.malformed
    assert Reason.SUMMARY_GRAMMAR.malformed
    assert not Reason.PAYLOAD.malformed
