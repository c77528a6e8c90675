import type { Caveat, Reason } from "./verdict";

const WORDS: Readonly<Record<Reason, string>> = {
  ok: "Every event that is there is as it was written, in its place.",
  "no-events": "It holds no event, so there was nothing to check.",
  "source-turnId": "The id of its journal is no lower-case UUID.",
  "source-agentId": "The id of its agent is no lower-case UUID.",
  "event-grammar": "{event} is not written as an event: it was altered.",
  "seq-grammar": "The place of {event} is not written as one.",
  "type-grammar": "The type of {event} is not written as one.",
  "payload-hash-grammar": "The payload hash of {event} is not written as one.",
  "summary-grammar": "The summary of {event} holds what no summary may hold.",
  "prev-hash-grammar": "The previous hash of {event} is not written as one.",
  "hash-grammar": "The hash of {event} is not written as one.",
  "created-at-grammar": "The time of {event} is not written as one.",
  commitment: "It commits its bodies in a way that is not known here.",
  "bodies-grammar": "Bodies, salts or details are not in the form of the format.",
  seq: "{event} is not the one whose turn it is: one was taken out, put in or moved.",
  "prev-hash": "{event} does not follow the one before it: something was altered, taken out or put in.",
  hash: "{event} was altered: what it says does not give its hash.",
  detail: "The detail record of {event} is not the one that the chain covers.",
  payload: "A body of {event} was altered, taken out or put in.",
  assurance: "{event} claims another assurance than the one that the chain covers.",
  "expected-block": "The block `expected` is not what the events give.",
  "torn-record": "{event} is torn: a writer was stopped in the middle of it.",
  truncated: "It ends before {event}: the file was cut.",
  "event-id": "{event} has another id than the one that the chain covers.",
  "turn-closed": "Its conversation says that it ended otherwise: it was cut, continued or rewritten.",
  "missing-conversation": "It was exported with its conversation’s own journal, which is not in the file.",
  "missing-journal": "{event} opened a turn, and its journal is not there.",
};

const CAVEATS: Readonly<Record<Caveat, string>> = {
  "no-final-event": "It has no COMMIT and no ABORT yet: events may follow, or were cut off its end.",
  "sub-millisecond-not-covered": "Digits of a time below the millisecond are not covered by the hash.",
  "unknown-type": "It holds an event type that this version does not know.",
  "unhashed-fields-present": "It holds fields that no hash covers.",
  "bodies-not-checked": "Some bodies could not be compared with their commitments.",
  "detail-not-checked": "Some detail records could not be compared.",
  "torn-record": "A record was torn when its writer was stopped.",
  "unreadable-lines": "Some lines are no record.",
};

/** A reason as a sentence; words of a later version stay as they are. */
export function reasonWords(reason: string, brokenAtSeq: number): string {
  const words = Object.entries(WORDS).find(([key]) => key === reason)?.[1] ?? `Reason: ${reason}.`;
  return words.replace("{event}", brokenAtSeq < 0 ? "An event" : `Event ${brokenAtSeq}`);
}

export function caveatWords(caveat: string): string {
  return Object.entries(CAVEATS).find(([key]) => key === caveat)?.[1] ?? caveat;
}
