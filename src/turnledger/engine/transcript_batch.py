"""One chat transcript as one batch of events: a conversation that is imported whole or not at all.

Everything carries the assurance ``imported``.  Nothing is invented: a tool call that no message answers
stays a request of its MODEL_RESULT, a turn without an answer is ABORTed, a message that nobody reacted to
has no turn, and what the transcript does not tell (usage, durations, finish reasons) is left out.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import accumulate
from typing import Final
from uuid import UUID

from turnledger.capture.composer import Composed, compose, name_token
from turnledger.capture.content import JSON, Content, snapshot
from turnledger.capture.names import checked_name
from turnledger.capture.prompts import PromptSnapshot, snapshot_of_request
from turnledger.capture.tool_call import read_arguments
from turnledger.errors import ForeignFileError
from turnledger.ids import new_id
from turnledger.model.draft import AliasKind, Batch, Claim, Closing, Draft, Journal, Lease
from turnledger.model.events import (
    Abort,
    Collapsed,
    Commit,
    Event,
    Intake,
    Message,
    ModelCall,
    ModelResult,
    Opened,
    ToolCall,
    ToolResult,
    TurnOpened,
)
from turnledger.model.vocabulary import (
    Assurance,
    Direction,
    Form,
    JournalKind,
    ModelStatus,
    Shape,
    ToolStatus,
    TurnStatus,
)
from turnledger.providers.decode import decode_request
from turnledger.wire.transcript import (
    ModelStep,
    ToolUse,
    Transcript,
    TranscriptTurn,
    cut_transcript,
    message_text,
)
from turnledger.wire.values import encode_value

__all__ = ["CONNECTOR", "TranscriptBatch", "transcript_batch"]

CONNECTOR: Final = "import"
MAX_BODY_BYTES: Final = 256 << 20
"""Most bytes that the requests of one conversation may have together (each repeats the history)."""

_INSTRUCTION_ROLES = frozenset({"system", "developer"})
_TIME_KEYS = ("timestamp", "created_at", "created", "time")
_TIME_CHARS = 64
_LEASE_MS = 60_000


@dataclass(frozen=True, slots=True)
class TranscriptBatch:
    """A transcript ready to be appended.

    ``source`` is the SHA-256 of what it says (hex), kept in the payload of OPENED: it tells the same
    transcript, imported again, from another one under the same name.  ``events`` counts the ledger's own too,
    ``size`` the bytes of all bodies.
    """

    batch: Batch
    conversation: UUID
    source: str
    turns: int
    events: int
    size: int


def transcript_batch(agent: UUID, value: object) -> TranscriptBatch:
    """The batch that records the decoded transcript ``value`` under ``agent``.

    The conversation's outside key is ``import:`` and the transcript's ``id``, or the digest of what it says.
    Raises ForeignFileError where it is no transcript or too long, GrammarError where its id is no name.
    """
    transcript = cut_transcript(value)
    encoded = encode_value(value)
    source = hashlib.sha256(encoded.data).hexdigest()
    key = checked_name(f"{CONNECTOR}:{transcript.id or f'sha256-{source}'}", "id of the transcript")
    beside = dict(value) if isinstance(value, Mapping) else {}
    writer = _Writer(agent, transcript, beside)
    writer.open(key, source, beside)
    for turn in transcript.turns:
        writer.add(turn)
    claim = Claim(AliasKind.CONVERSATION, agent, key, writer.conversation)
    return TranscriptBatch(
        batch=Batch(tuple(writer.drafts), claim),
        conversation=writer.conversation,
        source=source,
        turns=writer.turns,
        events=len(writer.drafts) + writer.turns,
        size=writer.size,
    )


class _Requests:
    """The request bodies: each repeats the history, and each message is encoded once."""

    def __init__(self, transcript: Transcript, beside: Mapping[str, object]) -> None:
        encoded = [encode_value(message) for message in transcript.messages]
        self._messages = [one.data for one in encoded]
        self._lossy = any(one.lossy for one in encoded)
        model, tools = beside.get("model"), beside.get("tools")
        self.model = model if isinstance(model, str) and model else None
        self._tools = list(tools) if isinstance(tools, list) else []
        rest = {"model": self.model, "tools": tools}
        self._rest = encode_value({name: part for name, part in rest.items() if part is not None}).data[1:]
        self._source = transcript.messages
        self._prompts: dict[int, PromptSnapshot | None] = {}
        lengths = list(accumulate(map(len, self._messages), initial=0))
        whole = sum(lengths[step.history] for turn in transcript.turns for step in turn.steps)
        if whole > MAX_BODY_BYTES:
            msg = f"Its model calls repeat {whole >> 20} MiB of history; {MAX_BODY_BYTES >> 20} are allowed."
            raise ForeignFileError(msg, next_step="Cut it into several conversations.")

    def body(self, history: int) -> Content:
        """The request after ``history`` messages, in the encoder's form."""
        joiner = b"]" if self._rest == b"}" else b"],"
        data = b'{"messages":[' + b",".join(self._messages[:history]) + joiner + self._rest
        return Content(data, JSON, encoded=True, lossy=self._lossy)

    def prompt(self, history: int) -> PromptSnapshot | None:
        """Instructions and tools of that request."""
        said = [entry for entry in self._source[:history] if entry.get("role") in _INSTRUCTION_ROLES]
        if len(said) not in self._prompts:
            facts = decode_request(
                {"messages": [*said, {"role": "user", "content": ""}], "tools": self._tools}
            )
            self._prompts[len(said)] = snapshot_of_request(facts, None)
        return self._prompts[len(said)]


@dataclass(slots=True)
class _Writer:
    """Collects drafts and knows the places they will get: both journals are new and nobody else's."""

    agent: UUID
    transcript: Transcript
    beside: Mapping[str, object]
    conversation: UUID = field(default_factory=new_id)
    lease: Lease = field(default_factory=lambda: Lease(new_id(), 1, _LEASE_MS))
    drafts: list[Draft] = field(default_factory=list)
    turns: int = 0
    size: int = 0
    _requests: _Requests = field(init=False)
    _turn: UUID = field(init=False)
    _said: int = 0  # events of the conversation's journal so far
    _done: int = 0  # events of the open turn's journal so far
    _prompts: dict[str, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._requests = _Requests(self.transcript, self.beside)

    def open(self, key: str, source: str, beside: Mapping[str, object]) -> None:
        """OPENED; what the transcript holds beside its messages goes into the payload."""
        rest = {name: part for name, part in beside.items() if name not in {"messages", "tools"}}
        payload = snapshot({"key": key, "sha256": source, "transcript": rest})
        self._say(Opened(), payload, {"connector": CONNECTOR, "shape": Shape.SESSION.value})

    def add(self, turn: TranscriptTurn) -> None:
        """A turn with the messages around it."""
        places = [self._inbound(message) for message in turn.inbound]
        if not turn.steps:
            return
        for place in places[:-1]:
            self._say(Collapsed(message=place, into=places[-1]))
        trigger = places[-1] if places else None
        self._open_turn(turn, trigger)
        for step in turn.steps:
            self._step(step)
        self._end_turn(turn, trigger)

    # --- turns ---------------------------------------------------------------------------------

    def _open_turn(self, turn: TranscriptTurn, trigger: int | None) -> None:
        self.turns += 1
        self._turn, self._done = new_id(), 0
        self._prompts.clear()
        self._say(TurnOpened(turn=self._turn, trigger=trigger))
        content = _content(turn.inbound[-1]) if turn.inbound else None
        prompt = self._requests.prompt(turn.steps[0].history)
        intake = Intake(
            message_chars=None if content is None else content.chars,
            tools=prompt.tools if prompt is not None and prompt.tools else None,
            collapsed=len(turn.inbound) - 1 if len(turn.inbound) > 1 else None,
        )
        self._do(intake, content)

    def _step(self, step: ModelStep) -> None:
        request = self._requests.body(step.history)
        facts: dict[str, object] = {"messages": step.history}
        model = self._requests.model
        event = ModelCall(
            model=None if model is None else name_token(facts, "model", model),
            bytes=len(request.data),
            prompt=self._prompt(step.history),
            form=Form.ENCODED,
        )
        call = self._do(event, request, facts)
        reply = snapshot({"choices": [{"index": 0, "message": step.message}]})
        requested = [{"tool": use.name, "id": use.id} for use in step.tools]
        told = {"requested": requested or None, "usage": "absent", "claimedTime": _time(step.message)}
        asked = self._do(ModelResult(call=call, status=ModelStatus.OK), reply, told)
        for use in step.tools:
            if use.observation is not None:
                self._tool(use, use.observation, asked)

    def _prompt(self, history: int) -> int | None:
        shot = self._requests.prompt(history)
        if shot is None:
            return None
        digest = shot.digest(self.agent)
        if digest not in self._prompts:
            composed = shot.compose(self.agent)
            self._prompts[digest] = self._do(composed.event, Content(shot.data), {"promptDigest": digest})
        return self._prompts[digest]

    def _tool(self, use: ToolUse, observation: Mapping[str, object], asked: int) -> None:
        facts: dict[str, object] = {"callId": use.id}
        name = name_token(facts, "tool", use.name)
        arguments = read_arguments(use.supplied, None)
        event = ToolCall(tool=name, from_=asked, ordinal=use.ordinal, validated=arguments.valid)
        call = self._do(event, arguments.payload, facts, slots={"supplied": snapshot(use.supplied)})
        content = snapshot(observation.get("content"))
        result = ToolResult(call=call, tool=name, status=ToolStatus.OK, bytes=len(content.data))
        self._do(result, content, {"claimedTime": _time(observation)})

    def _end_turn(self, turn: TranscriptTurn, trigger: int | None) -> None:
        answer = turn.answer
        if answer is None:
            status = TurnStatus.INTERRUPTED
            self._do(Abort(status=status, reason="no_answer"), closing=Closing(status))
            self._said += 1  # TURN_CLOSED is the ledger's own
            return
        content, status = snapshot(answer), TurnStatus.COMPLETED
        self._do(Commit(status=status, chars=len(answer)), content, closing=Closing(status))
        self._said += 1
        event = Message(direction=Direction.OUTBOUND, chars=len(answer), turn=self._turn, reply_to=trigger)
        self._say(event, content, {"claimedTime": _time(turn.steps[-1].message)})

    # --- messages and events -------------------------------------------------------------------

    def _inbound(self, message: Mapping[str, object]) -> int:
        content = _content(message)
        event = Message(direction=Direction.INBOUND, chars=content.chars or 0)
        return self._say(event, content, {"claimedTime": _time(message)})

    def _say(
        self, event: Event, payload: Content | None = None, facts: Mapping[str, object] | None = None
    ) -> int:
        composed = compose(event, payload, facts=facts, assurance=Assurance.IMPORTED)
        journal = Journal(JournalKind.CONVERSATION, self.conversation)
        self._add(composed.draft(journal, self.agent, self.conversation, place=self._said))
        self._said += 1
        return self._said - 1

    def _do(
        self,
        event: Event,
        payload: Content | None = None,
        facts: Mapping[str, object] | None = None,
        *,
        slots: Mapping[str, Content] | None = None,
        closing: Closing | None = None,
    ) -> int:
        composed: Composed = compose(
            event, payload, slots=slots, facts=facts, assurance=Assurance.IMPORTED, closing=closing
        )
        journal = Journal(JournalKind.TURN, self._turn)
        self._add(composed.draft(journal, self.agent, self.conversation, place=self._done, lease=self.lease))
        self._done += 1
        return self._done - 1

    def _add(self, draft: Draft) -> None:
        self.drafts.append(draft)
        self.size += sum(len(body.data) for body in draft.bodies)


def _content(message: Mapping[str, object]) -> Content:
    """A message's text where it is all there is, else its content in the encoder's form."""
    content = message.get("content")
    made = snapshot(content)
    if isinstance(content, str):
        return made
    text = message_text(message)
    return Content(
        made.data, made.media_type, None if text is None else len(text), encoded=True, lossy=made.lossy
    )


def _time(message: Mapping[str, object]) -> object:
    """When the transcript says that this was; None where it does not."""
    claims: Sequence[object] = [message.get(key) for key in _TIME_KEYS]
    for claim in claims:
        if isinstance(claim, (int, float)) or (isinstance(claim, str) and 0 < len(claim) <= _TIME_CHARS):
            return claim
    return None
