// The events of a turn as the inspector shows them: the verified journal first, what the API adds beside it.
import type { BodySlot, Entry, Step, TurnReport } from "../../api/types";
import { GENESIS } from "../../verify/chain";
import type { ChainEvent } from "../../verify/check";
import { parseSummary } from "../../lib/summary";

export interface CardEvent {
  readonly event: ChainEvent;
  readonly tokens: ReadonlyMap<string, string>;
  /** What the API says beside the journal; undefined while it is on its way, or for a file. */
  readonly entry: Entry | undefined;
  /** Milliseconds since the event before; null for the first one. */
  readonly gapMs: number | null;
  /** The step that this event begins or ends. */
  readonly step: Step | undefined;
  /** Names of tools that this model result asked for and nobody ran. */
  readonly unrun: readonly string[];
  /** Whether what the API shows is not what was verified. */
  readonly differs: boolean;
}

export function cardEvents(
  events: readonly ChainEvent[],
  entries: readonly Entry[],
  report: TurnReport | undefined,
): CardEvent[] {
  const bySeq = new Map(entries.map((entry) => [entry.seq, entry]));
  const steps = new Map<number, Step>();
  for (const step of report?.steps ?? []) {
    steps.set(step.intentSeq, step);
    if (step.outcomeSeq !== null) steps.set(step.outcomeSeq, step);
  }
  const unrun = Map.groupBy(report?.unrunTools ?? [], (tool) => tool.resultSeq);
  let before: number | null = null;
  return events.map((event) => {
    const at = Date.parse(event.createdAt);
    const gapMs = before === null || Number.isNaN(at) ? null : at - before;
    before = Number.isNaN(at) ? before : at;
    const entry = bySeq.get(event.seq);
    return {
      event,
      tokens: parseSummary(event.summary),
      entry,
      gapMs,
      step: steps.get(event.seq),
      unrun: (unrun.get(event.seq) ?? []).map((tool) => tool.tool),
      differs: entry !== undefined && !isSame(entry, event),
    };
  });
}

/** The events as the API shows them, where the journal itself could not be checked. */
export function uncheckedEvents(entries: readonly Entry[]): ChainEvent[] {
  return entries.map((entry, place) => ({
    seq: entry.seq,
    type: entry.type,
    payloadHash: entry.payloadHash,
    summary: entry.summary,
    prevHash: entries[place - 1]?.hash ?? GENESIS,
    hash: entry.hash,
    createdAt: entry.createdAt,
  }));
}

function isSame(entry: Entry, event: ChainEvent): boolean {
  return (
    entry.type === event.type &&
    entry.hash === event.hash &&
    entry.payloadHash === event.payloadHash &&
    entry.summary === event.summary &&
    Date.parse(entry.createdAt) === Date.parse(event.createdAt)
  );
}

const BAD_STATUS = new Set(["error", "cut", "aborted", "invalid", "timeout", "unknown", "failed"]);

/** Why an event is a problem to look at; null where it is none. */
export function problemOf(card: CardEvent): string | null {
  const { event, tokens, step } = card;
  if (card.differs) return "shown ≠ verified";
  if (step !== undefined && step.doubt !== null && step.intentSeq === event.seq && step.doubt !== "running")
    return step.doubt;
  if (card.unrun.length > 0) return "asked, not run";
  if (event.type === "ERROR" || event.type === "ABORT" || event.type === "SUPERSEDED")
    return event.type.toLowerCase();
  const status = tokens.get("status") ?? "";
  if (BAD_STATUS.has(status)) return status;
  if (tokens.get("decision") === "deny" || tokens.get("decision") === "denied") return "denied";
  if (event.type === "VERIFY" && tokens.get("verdict") === "fail") return "check failed";
  if (event.type === "TOOL_CALL" && tokens.get("validated") === "0") return "arguments refused";
  return null;
}

/** The MODEL_CALL before this one in the same role; null where it is the first. */
export function callBefore(cards: readonly CardEvent[], card: CardEvent): Entry | null {
  const role = card.tokens.get("role");
  for (let place = cards.indexOf(card) - 1; place >= 0; place -= 1) {
    const other = cards[place];
    if (other?.event.type === "MODEL_CALL" && other.tokens.get("role") === role) return other.entry ?? null;
  }
  return null;
}

const SLOT_WORDS: Readonly<Record<string, string>> = {
  INTAKE: "message",
  PROMPT: "prompt snapshot",
  GUARD: "what was checked",
  MODEL_CALL: "request",
  MODEL_RESULT: "response",
  TOOL_CALL: "arguments",
  TOOL_RESULT: "observation",
  APPROVAL: "what was asked",
  MEMORY_WRITE: "content",
  PROGRESS: "text",
  VERIFY: "finding",
  ERROR: "error",
  COMMIT: "answer",
};

/** What a body is, for people. */
export function slotWord(type: string, slot: BodySlot["slot"]): string {
  if (slot === "payload") return SLOT_WORDS[type] ?? "payload";
  if (slot === "supplied") return "supplied arguments";
  return slot.replace("-", " ");
}
