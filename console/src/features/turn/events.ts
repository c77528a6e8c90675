// The events of a turn as the inspector shows them: the verified journal first, what the API adds beside it.
import type { BodySlot, Entry, Step, TurnReport, UnrunTool } from "../../api/types";
import { GENESIS } from "../../verify/chain";
import type { ChainEvent } from "../../verify/check";
import { EventTable } from "../../verify/eventTable";
import { parseSummary } from "../../lib/summary";
import { StepTable } from "./steps";

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

/** The events of a turn as cards, made as they are asked for. */
export class CardTable {
  private readonly steps: StepTable;
  /** What the API says of steps: their costs, and what is known of those without an outcome. */
  private readonly told = new Map<number, Step>();
  private readonly unrun: ReadonlyMap<number, readonly UnrunTool[]>;
  private readonly callsBefore = new Map<number, number>();

  constructor(
    private readonly events: EventTable,
    private readonly entries: ReadonlyMap<number, Entry> = new Map(),
    steps: readonly Step[] = [],
    report?: TurnReport,
  ) {
    this.steps = new StepTable(events);
    for (const step of [...(report?.unfinishedSteps ?? []), ...steps]) this.told.set(step.intentSeq, step);
    this.unrun = Map.groupBy(report?.unrunTools ?? [], (tool) => tool.resultSeq);
  }

  get length(): number {
    return this.events.length;
  }

  at(place: number): CardEvent | undefined {
    const event = this.events.at(place);
    if (event === undefined) return undefined;
    const gapMs = place === 0 ? NaN : this.events.moment(place) - this.events.moment(place - 1);
    const entry = this.entries.get(event.seq);
    return {
      event,
      tokens: parseSummary(event.summary),
      entry,
      gapMs: Number.isNaN(gapMs) ? null : gapMs,
      step: this.stepAt(place),
      unrun: (this.unrun.get(event.seq) ?? []).map((tool) => tool.tool),
      differs: entry !== undefined && !isSame(entry, event),
    };
  }

  /** All steps in the order in which they began. */
  allSteps(): Step[] {
    return this.steps.all().map((step) => this.withTold(step));
  }

  private stepAt(place: number): Step | undefined {
    const step = this.steps.at(place);
    return step === undefined ? undefined : this.withTold(step);
  }

  private withTold(step: Step): Step {
    const told = this.told.get(step.intentSeq);
    if (told === undefined) return step;
    // Where the journal is not here to its end, the outcome may be known beside it.
    return step.outcomeSeq === null ? told : { ...step, cost: told.cost };
  }

  seq(place: number): number {
    return this.events.seq(place);
  }

  type(place: number): string {
    return this.events.type(place);
  }

  /** When it was recorded, in epoch milliseconds; NaN where its time is none. */
  moment(place: number): number {
    return this.events.moment(place);
  }

  /** Where the event with this number stands; -1: nowhere. */
  placeOf(seq: number): number {
    return this.events.placeOf(seq);
  }

  /** Where the MODEL_CALL before this one in the same role stands; -1 where it is the first. */
  callBefore(place: number): number {
    const known = this.callsBefore.get(place);
    if (known !== undefined) return known;
    const role = this.at(place)?.tokens.get("role");
    let before = place - 1;
    while (
      before >= 0 &&
      !(this.type(before) === "MODEL_CALL" && this.at(before)?.tokens.get("role") === role)
    )
      before -= 1;
    this.callsBefore.set(place, before);
    return before;
  }
}

/** The events as the API shows them, as far as they came, where the journal itself is not checked. */
export function uncheckedEvents(found: ReadonlyMap<number, Entry>): EventTable {
  const entries: Entry[] = [];
  for (let entry = found.get(0); entry !== undefined; entry = found.get(entries.length)) entries.push(entry);
  const events = entries.map((entry, place): ChainEvent => ({
    seq: entry.seq,
    type: entry.type,
    payloadHash: entry.payloadHash,
    summary: entry.summary,
    prevHash: entries[place - 1]?.hash ?? GENESIS,
    hash: entry.hash,
    createdAt: entry.createdAt,
  }));
  return EventTable.of(events);
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
  if (event.type === "BUDGET" && tokens.get("outcome") === "exhausted") return "budget exhausted";
  if (event.type === "VERIFY" && tokens.get("verdict") === "fail") return "check failed";
  if (event.type === "TOOL_CALL" && tokens.get("validated") === "0") return "arguments refused";
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
