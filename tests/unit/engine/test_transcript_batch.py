"""Transcripts as batches: what is recorded of them, and that the planner takes each as it is."""

from __future__ import annotations

import itertools
import json
from collections.abc import Mapping
from typing import Any
from uuid import UUID

import pytest

from turnledger.engine.transcript_batch import TranscriptBatch, transcript_batch
from turnledger.errors import ForeignFileError, GrammarError
from turnledger.ids import NIL, new_id
from turnledger.model.draft import AliasKind, Batch, BatchStatus, Claim, Draft
from turnledger.model.tokens import parse_summary
from turnledger.model.vocabulary import JournalKind
from turnledger.providers.decode import decode_reply, decode_request
from turnledger.store.plan import Planner
from turnledger.store.state import Found
from turnledger.wire.details import decode_detail

SYSTEM = {"role": "system", "content": "Be brief."}
USER = {"role": "user", "content": "Where is order 7?"}
ASKING: dict[str, Any] = {
    "role": "assistant",
    "content": None,
    "tool_calls": [
        {"id": "c1", "type": "function", "function": {"name": "lookup", "arguments": '{ "id": 7.0 }'}},
        {"id": "c2", "type": "function", "function": {"name": "stock", "arguments": '{"id": 7'}},
    ],
}
FIRST = {"role": "tool", "tool_call_id": "c2", "name": "stock", "content": "none left"}
SECOND = {"role": "tool", "tool_call_id": "c1", "name": "lookup", "content": '{"status":"lost"}'}
ANSWER = {"role": "assistant", "content": "It is lost. ☹"}
WHOLE = [SYSTEM, USER, ASKING, FIRST, SECOND, ANSWER]
AGENT = new_id()


def built(messages: list[Any], **beside: object) -> TranscriptBatch:
    return transcript_batch(AGENT, {"id": "t1", "messages": messages, **beside})


def placed(made: TranscriptBatch) -> Planner:
    found = Found(1_800_000_000_000, 0)
    ids = itertools.count(1)
    planner = Planner(found, lambda _kind: next(ids))
    claim = Claim(AliasKind.AGENT, NIL, "imported", AGENT)
    assert planner.place(Batch(claim=claim)).status is BatchStatus.APPENDED
    result = planner.place(made.batch)
    assert (result.status, result.reason) == (BatchStatus.APPENDED, "")
    assert result.target == made.conversation
    return planner


def types(made: TranscriptBatch) -> list[str]:
    return [draft.type for draft in made.batch.drafts]


def only(made: TranscriptBatch, kind: str) -> Draft:
    (found,) = [draft for draft in made.batch.drafts if draft.type == kind]
    return found


def body(draft: Draft, slot: str = "payload") -> bytes:
    (found,) = [entry.data for entry in draft.bodies if entry.slot == slot]
    return found


def tokens(draft: Draft) -> Mapping[str, str]:
    return parse_summary(draft.tokens)


def test_a_turn_with_tools_is_recorded_step_by_step() -> None:
    made = built(WHOLE)
    assert types(made) == [
        *("OPENED", "MESSAGE", "TURN_OPENED", "INTAKE", "PROMPT", "MODEL_CALL", "MODEL_RESULT"),
        *("TOOL_CALL", "TOOL_RESULT", "TOOL_CALL", "TOOL_RESULT", "MODEL_CALL", "MODEL_RESULT"),
        *("COMMIT", "MESSAGE"),
    ]
    assert (made.turns, made.events) == (1, 16)  # TURN_CLOSED is the ledger's own
    assert all(tokens(draft)["assurance"] == "i" for draft in made.batch.drafts)


def test_the_planner_gives_every_event_the_place_that_others_rely_on() -> None:
    planner = placed(built([*WHOLE, USER, ANSWER, USER, {**ASKING, "tool_calls": ASKING["tool_calls"][:1]}]))
    assert [event.type for event in planner.changes.events].count("TURN_CLOSED") == 3
    positions = [event.position for event in planner.changes.events]
    assert positions == list(range(len(positions)))


def test_tools_are_paired_by_id_and_keep_what_was_supplied_to_the_letter() -> None:
    drafts = built(WHOLE).batch.drafts
    calls = [draft for draft in drafts if draft.type == "TOOL_CALL"]
    results = [draft for draft in drafts if draft.type == "TOOL_RESULT"]
    asked = next(number for number, draft in enumerate(drafts) if draft.type == "MODEL_RESULT") - 3
    assert [body(call, "supplied") for call in calls] == [b'{ "id": 7.0 }', b'{"id": 7']
    assert [body(call) for call in calls] == [b'{"id":7.0}', b'{"id": 7']
    assert [tokens(call)["validated"] for call in calls] == ["1", "0"]
    assert [(tokens(call)["from"], tokens(call)["ordinal"]) for call in calls] == [
        (str(asked), "0"),
        (str(asked), "1"),
    ]
    assert [body(result) for result in results] == [b'{"status":"lost"}', b"none left"]
    assert [decode_detail(call.detail)["callId"] for call in calls] == ["c1", "c2"]


def test_requests_hold_the_history_so_far_and_replies_the_message_as_it_is() -> None:
    tools = [{"type": "function", "function": {"name": "lookup"}}]
    drafts = built(WHOLE, model="m-1", tools=tools).batch.drafts
    requests = [json.loads(body(draft)) for draft in drafts if draft.type == "MODEL_CALL"]
    assert requests[0] == {"messages": WHOLE[:2], "model": "m-1", "tools": tools}
    assert requests[1] == {"messages": WHOLE[:5], "model": "m-1", "tools": tools}
    calls = [draft for draft in drafts if draft.type == "MODEL_CALL"]
    assert [tokens(call)["model"] for call in calls] == ["m-1", "m-1"]
    assert [tokens(call)["prompt"] for call in calls] == ["1", "1"]
    assert [tokens(call)["bytes"] for call in calls] == [str(len(body(call))) for call in calls]
    replies = [draft for draft in drafts if draft.type == "MODEL_RESULT"]
    decoded = decode_reply(body(replies[0]))
    assert [request.supplied for request in decoded.tool_requests] == ['{ "id": 7.0 }', '{"id": 7']
    assert decode_reply(body(replies[1])).text == "It is lost. ☹"
    assert "in" not in tokens(replies[0])


def test_the_prompt_is_the_snapshot_that_a_recorder_takes_of_the_request() -> None:
    made = built(WHOLE, tools=[{"type": "function", "function": {"name": "lookup"}}])
    prompt = only(made, "PROMPT")
    request = next(body(draft) for draft in made.batch.drafts if draft.type == "MODEL_CALL")
    assert body(prompt) == decode_request(request).prompt
    assert (tokens(prompt)["chars"], tokens(prompt)["tools"]) == ("9", "1")


def test_each_turn_has_its_own_prompt_and_one_without_instructions_has_none() -> None:
    assert types(built([SYSTEM, USER, ANSWER, USER, ANSWER])).count("PROMPT") == 2
    assert types(built([USER, ANSWER])).count("PROMPT") == 0


def test_a_turn_that_ends_without_an_answer_is_aborted() -> None:
    made = built([USER, ASKING, FIRST, SECOND])
    abort = only(made, "ABORT")
    assert (tokens(abort)["status"], tokens(abort)["reason"]) == ("interrupted", "no_answer")
    placed(made)


def test_a_message_that_nobody_reacted_to_has_no_turn() -> None:
    made = built([USER, ANSWER, USER])
    assert types(made)[-1] == "MESSAGE"
    assert made.turns == 1
    placed(made)


def test_a_tool_call_that_nothing_answers_stays_a_request() -> None:
    made = built([USER, ASKING, SECOND, USER, ANSWER])
    assert types(made).count("TOOL_CALL") == 1
    asked = decode_detail(next(draft for draft in made.batch.drafts if draft.type == "MODEL_RESULT").detail)
    assert asked["requested"] == [{"id": "c1", "tool": "lookup"}, {"id": "c2", "tool": "stock"}]


def test_messages_in_a_row_trigger_one_turn_and_the_earlier_ones_are_folded_in() -> None:
    made = built([USER, USER, ANSWER])
    collapsed = only(made, "COLLAPSED")
    assert (tokens(collapsed)["message"], tokens(collapsed)["into"]) == ("1", "2")
    assert tokens(only(made, "TURN_OPENED"))["trigger"] == "2"
    assert tokens(only(made, "INTAKE"))["collapsed"] == "1"
    placed(made)


def test_an_agent_that_speaks_first_opens_a_turn_without_a_trigger() -> None:
    made = built([{"role": "assistant", "content": "Hello!"}, USER, ANSWER])
    assert "trigger" not in tokens(next(d for d in made.batch.drafts if d.type == "TURN_OPENED"))
    assert made.turns == 2
    placed(made)


def test_the_conversation_is_named_by_the_transcript_and_else_by_what_it_says() -> None:
    assert built(WHOLE).batch.claim is not None
    assert built(WHOLE).batch.claim.name == "import:t1"  # type: ignore[union-attr]
    bare = [transcript_batch(AGENT, WHOLE), transcript_batch(AGENT, [*WHOLE])]
    other = transcript_batch(AGENT, WHOLE[:2])
    names = [made.batch.claim.name for made in (*bare, other) if made.batch.claim]
    assert names[0] == names[1] == f"import:sha256-{bare[0].source}"
    assert names[2] != names[0]


def test_what_the_transcript_holds_beside_its_messages_is_kept_with_the_opening() -> None:
    opened = only(built(WHOLE, reward=1.0, instruction="You are Mia."), "OPENED")
    assert json.loads(body(opened))["transcript"] == {
        "id": "t1",
        "reward": 1.0,
        "instruction": "You are Mia.",
    }
    assert b"Mia" not in opened.detail


def test_no_content_and_no_outside_name_is_in_a_summary_or_detail() -> None:
    for draft in built(WHOLE).batch.drafts:
        for secret in ("t1", "order 7", "lost", "brief", "7.0"):
            assert secret not in draft.tokens
            assert secret.encode() not in draft.detail.replace(draft.event_id.hex.encode(), b"")


def test_times_that_the_transcript_claims_are_in_the_detail() -> None:
    made = built([{**USER, "timestamp": "2024-05-15T15:00:00Z"}, {**ANSWER, "created_at": 1_715_785_200}])
    claims = [decode_detail(draft.detail).get("claimedTime") for draft in made.batch.drafts]
    assert claims == [None, "2024-05-15T15:00:00Z", None, None, None, 1_715_785_200, None, 1_715_785_200]


def test_content_parts_are_kept_as_they_are_and_their_text_is_counted() -> None:
    parts = [{"type": "text", "text": "What is"}, {"type": "image_url", "image_url": {"url": "data:..."}}]
    message = built([{"role": "user", "content": parts}, ANSWER]).batch.drafts[1]
    assert json.loads(body(message)) == parts
    assert tokens(message)["chars"] == "7"


def test_a_line_of_many_turns_repeats_nothing_but_the_requests() -> None:
    made = built([SYSTEM, *[USER, ANSWER] * 300])
    assert made.turns == 300
    assert types(made).count("MODEL_CALL") == 300
    assert made.size < 300 * 300 * 150 / 2


@pytest.mark.parametrize("name", ["a\0b", "\ud800", "x" * 70_000])
def test_an_id_that_cannot_be_a_name_refuses_the_line(name: str) -> None:
    with pytest.raises(GrammarError):
        transcript_batch(AGENT, {"id": name, "messages": WHOLE})


def test_a_conversation_whose_requests_would_fill_the_memory_is_refused() -> None:
    long = {"role": "user", "content": "x" * 4_000_000}
    with pytest.raises(ForeignFileError, match="history"):
        built([long, *[ANSWER, USER] * 80, ANSWER])


def test_both_kinds_of_journal_are_the_conversations_own() -> None:
    made = built(WHOLE)
    for draft in made.batch.drafts:
        own = draft.journal.kind is JournalKind.CONVERSATION
        assert (draft.journal.id == made.conversation) is own
        assert isinstance(draft.conversation, UUID)
        assert (draft.lease is None) is own
