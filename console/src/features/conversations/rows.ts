// What a flow's events look like as rows: those that belong together stand in one row where nothing came between.
import type { Entry, Turn } from "../../api/types";
import { problemOf } from "./problems";

/** From this long on, a gap is a row of its own. */
export const IDLE_MS = 60_000;

export type Doubt = "running" | "no sign of life" | "in doubt: may have happened" | "not started";

export interface FlowRow {
  readonly kind: "flow";
  readonly key: string;
  /** One event, or an event and what directly followed from it. */
  readonly entries: readonly [Entry, ...Entry[]];
  readonly turn: Turn | null;
  /** Where the row stands in its turn's bracket; null outside of one. */
  readonly bracket: "top" | "inside" | "bottom" | null;
  /** Since the event before; null for the first one that is loaded. */
  readonly gapMs: number | null;
  /** What is wrong, in a few words. */
  readonly problem: string | null;
  /** What is known of a step without an outcome. */
  readonly doubt: Doubt | null;
  /** The outcome of this step where it stands in a row of its own. */
  readonly outcome: Entry | null;
  /** All events that are loaded, by journal and seq: what other events name them by. */
  readonly places: Places;
}

type Places = ReadonlyMap<string, Entry>;

export interface IdleRow {
  readonly kind: "idle";
  readonly key: string;
  readonly ms: number;
}

/** A tool call that the model asked for and that is not on record as run. */
export interface UnrunRow {
  readonly kind: "unrun";
  readonly key: string;
  readonly result: Entry;
  /** The first event of the row that the result stands in. */
  readonly head: Entry;
  readonly ordinal: number;
  readonly tool: string;
  readonly turn: Turn | null;
}

export type Row = FlowRow | IdleRow | UnrunRow;

export interface FlowParts {
  readonly entries: readonly Entry[];
  readonly turns: ReadonlyMap<string, Turn>;
  /** Null where the first event of all is loaded. */
  readonly before: string | null;
  readonly isAtEnd: boolean;
}

const ENDS: ReadonlySet<string> = new Set(["COMMIT", "ABORT"]);
const FOLLOWERS: ReadonlySet<string> = new Set([
  "VERDICT",
  "INTAKE",
  "MODEL_RESULT",
  "TOOL_RESULT",
  "TURN_CLOSED",
]);
const CALLS: ReadonlySet<string> = new Set(["MODEL_CALL", "TOOL_CALL"]);

/** The rows of a stretch of events.  `lifeless`: turns that are open and whose writer is gone. */
export function rowsOf(flow: FlowParts, lifeless: ReadonlySet<string> = new Set()): Row[] {
  const outcomes = outcomesOf(flow.entries);
  const places: Places = new Map(flow.entries.map((one) => [stepKey(one, one.seq), one]));
  const unrun = new Unrun();
  const rows: Row[] = [];
  const { entries } = flow;
  let before: Entry | null = null;
  for (let place = firstHead(flow); place < entries.length; place += 1) {
    const entry = entries[place];
    if (entry === undefined) break;
    const together = takeTogether(entries, place);
    const gapMs = before === null ? null : Date.parse(entry.createdAt) - Date.parse(before.createdAt);
    if (gapMs !== null && gapMs >= IDLE_MS) {
      rows.push({ kind: "idle", key: `idle:${entry.eventId}`, ms: gapMs });
    }
    const turn = turnOf(entry, flow.turns);
    if (ENDS.has(entry.type)) rows.push(...unrun.of(entry, turn));
    for (const one of together) unrun.see(one, entry);
    rows.push({ ...rowOf(together, turn, gapMs, outcomes, flow.isAtEnd, lifeless), places });
    before = together.at(-1) ?? entry;
    place += together.length - 1;
  }
  return rows;
}

/** What belongs to a row that begins before the loaded stretch waits for it: a row's key never changes. */
function firstHead(flow: FlowParts): number {
  if (flow.before === null) return 0;
  const place = flow.entries.findIndex((entry) => !FOLLOWERS.has(entry.type));
  return Math.max(place, 0);
}

function rowOf(
  entries: readonly [Entry, ...Entry[]],
  turn: Turn | null,
  gapMs: number | null,
  outcomes: ReadonlyMap<string, Entry>,
  isAtEnd: boolean,
  lifeless: ReadonlySet<string>,
): Omit<FlowRow, "places"> {
  const [entry] = entries;
  const isAlone = entries.length === 1;
  const outcome = CALLS.has(entry.type) && isAlone ? (outcomes.get(stepKey(entry, entry.seq)) ?? null) : null;
  const isOpen = CALLS.has(entry.type) && isAlone && outcome === null && isAtEnd;
  const doubt = isOpen ? doubtOf(turn, lifeless) : null;
  const isInDoubt = doubt !== null && doubt !== "running";
  const problem =
    entries.map((one) => problemOf(one)).find((words) => words !== null) ?? (isInDoubt ? doubt : null);
  return {
    kind: "flow",
    key: entry.eventId,
    entries,
    turn,
    bracket: bracketOf(entries),
    gapMs,
    problem,
    doubt,
    outcome,
  };
}

function bracketOf(entries: readonly [Entry, ...Entry[]]): FlowRow["bracket"] {
  const [entry] = entries;
  if (entry.type === "TURN_OPENED") return "top";
  if (entries.some((one) => one.type === "TURN_CLOSED")) return "bottom";
  return entry.journal === "turn" ? "inside" : null;
}

/** A step of a turn that is over and was never told what came of it may have happened. */
function doubtOf(turn: Turn | null, lifeless: ReadonlySet<string>): Doubt {
  if (turn === null) return "in doubt: may have happened";
  if (turn.status === "waiting") return "running";
  if (turn.status !== "running") return "in doubt: may have happened";
  return lifeless.has(turn.id) ? "no sign of life" : "running";
}

function turnOf(entry: Entry, turns: ReadonlyMap<string, Turn>): Turn | null {
  const id = entry.turnId ?? (entry.type.startsWith("TURN_") ? entry.tokens["turn"] : undefined);
  return id === undefined ? null : (turns.get(id) ?? null);
}

function stepKey(entry: Entry, seq: number | string): string {
  return `${entry.journalId}/${seq}`;
}

function outcomesOf(entries: readonly Entry[]): Map<string, Entry> {
  const found = new Map<string, Entry>();
  for (const entry of entries) {
    const call = entry.tokens["call"];
    if (call !== undefined && entry.type.endsWith("_RESULT")) found.set(stepKey(entry, call), entry);
  }
  return found;
}

/** The event at a place, and those directly behind it that say what came of it. */
function takeTogether(entries: readonly Entry[], place: number): [Entry, ...Entry[]] {
  const [first] = entries.slice(place, place + 1);
  if (first === undefined) throw new RangeError("There is no such place.");
  const taken: [Entry, ...Entry[]] = [first];
  for (let next = place + 1; next < entries.length; next += 1) {
    const last = taken.at(-1);
    const entry = entries[next];
    if (last === undefined || entry === undefined || !follows(last, entry)) break;
    if (Date.parse(entry.createdAt) - Date.parse(last.createdAt) >= IDLE_MS) break;
    taken.push(entry);
  }
  return taken;
}

function follows(one: Entry, next: Entry): boolean {
  const isSameJournal = one.journalId === next.journalId;
  const saysOf = (key: string): boolean => isSameJournal && next.tokens[key] === String(one.seq);
  switch (next.type) {
    case "VERDICT":
      return one.type === "MESSAGE" && saysOf("message");
    case "MODEL_RESULT":
      return one.type === "MODEL_CALL" && saysOf("call");
    case "TOOL_RESULT":
      return one.type === "TOOL_CALL" && saysOf("call");
    case "INTAKE":
      return one.type === "TURN_OPENED" && one.tokens["turn"] === next.turnId;
    case "TURN_CLOSED":
      return ENDS.has(one.type) && one.turnId === next.tokens["turn"];
    default:
      return false;
  }
}

/** Tool calls that models asked for, until they are run. */
class Unrun {
  private readonly results = new Map<string, { result: Entry; head: Entry }[]>();
  private readonly run = new Set<string>();

  see(entry: Entry, head: Entry): void {
    if (entry.type === "MODEL_RESULT" && requestedOf(entry).length > 0) {
      const before = this.results.get(entry.journalId) ?? [];
      this.results.set(entry.journalId, [...before, { result: entry, head }]);
    }
    const from = entry.tokens["from"];
    if (entry.type === "TOOL_CALL" && from !== undefined) {
      this.run.add(`${stepKey(entry, from)}/${entry.tokens["ordinal"] ?? "0"}`);
    }
  }

  /** Rows for what was asked for in a turn that ends here, and nobody ran. */
  of(end: Entry, turn: Turn | null): UnrunRow[] {
    const results = this.results.get(end.journalId) ?? [];
    this.results.delete(end.journalId);
    return results.flatMap(({ result, head }) =>
      requestedOf(result).flatMap((tool, ordinal) =>
        this.run.has(`${stepKey(result, result.seq)}/${ordinal}`)
          ? []
          : [
              {
                kind: "unrun",
                key: `unrun:${result.eventId}:${ordinal}`,
                result,
                head,
                ordinal,
                tool,
                turn,
              } satisfies UnrunRow,
            ],
      ),
    );
  }
}

/** Names of the tools that a model's reply asked for, in its order. */
export function requestedOf(result: Entry): string[] {
  const { requested } = result.detail;
  if (!Array.isArray(requested)) return [];
  return requested.map((one: unknown) =>
    typeof one === "object" && one !== null && "tool" in one && typeof one.tool === "string"
      ? one.tool
      : "a tool",
  );
}

/** The event that one of a row's events names by its place in a journal; null where it is not loaded. */
export function namedBy(row: FlowRow, entry: Entry, key: string): Entry | null {
  const seq = entry.tokens[key];
  // Late evidence stands in the conversation's journal and names a step of a turn's.
  const journal = entry.type === "LATE" ? (entry.tokens["turn"] ?? "") : entry.journalId;
  return seq === undefined ? null : (row.places.get(`${journal}/${seq}`) ?? null);
}

/** Whether a row holds this event. */
export function holds(row: Row, eventId: string): boolean {
  return row.kind === "flow" && row.entries.some((entry) => entry.eventId === eventId);
}

export function isProblem(row: Row): boolean {
  return row.kind === "unrun" || (row.kind === "flow" && row.problem !== null);
}

export function isTurnStart(row: Row): boolean {
  return row.kind === "flow" && row.bracket === "top";
}
