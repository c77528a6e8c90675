// What the worker does with bytes: which file it is, its events, and the finding.
import { verifyChain } from "./chain";
import { EventTable, packEvents, type PackedEvents } from "./eventTable";
import { countBodies, FIXTURE_SCHEMA, fixtureOf, verifyFixture } from "./fixture";
import { readJournals } from "./journalFile";
import { isObject, type JsonObject, type JsonValue, NotStrictError, parseStrict } from "./strictJson";
import { type BodyCount, type ChainReport, isGreen } from "./verdict";

/** One event as it is hashed; fields of another type than the contract's are shown as what they are. */
export interface ChainEvent {
  readonly seq: number;
  readonly type: string;
  readonly payloadHash: string;
  readonly summary: string;
  readonly prevHash: string;
  readonly hash: string;
  readonly createdAt: string;
}

/** A checked journal on its way from the worker. */
export interface PackedJournal {
  readonly form: "journal" | "fixture" | "file";
  /** `turn` unless a file says otherwise. */
  readonly kind: string;
  readonly journalId: string;
  readonly agentId: string;
  readonly events: PackedEvents;
  readonly report: ChainReport;
  /** What the sender says about the chain; a claim, compared and never believed.  null: it says nothing. */
  readonly claim: {
    readonly intact: boolean;
    readonly brokenAtSeq: number;
    readonly verification: string;
  } | null;
  /** Bodies of a file; null for an answer of the server, which checks them itself. */
  readonly bodyCount: BodyCount | null;
  /** Text of bodies that a file carries, by `<seq>/<slot>`. */
  readonly bodies: Readonly<Record<string, string>>;
}

export interface CheckedJournal extends Omit<PackedJournal, "events"> {
  readonly events: EventTable;
}

export function unpacked(journal: PackedJournal): CheckedJournal {
  return { ...journal, events: new EventTable(journal.events) };
}

/** The answer of the server for one journal (contract, section 9), checked here. */
export function checkJournal(bytes: Uint8Array): PackedJournal {
  const whole = parseStrict(bytes);
  if (!isObject(whole) || !Array.isArray(whole.events)) throw new NotStrictError("is no journal");
  const { turnId = null, agentId = null } = whole;
  return {
    form: "journal",
    kind: "turn",
    journalId: shownText(turnId),
    agentId: shownText(agentId),
    events: shownEvents(whole.events),
    report: verifyChain(turnId, agentId, whole.events),
    claim: {
      intact: whole.chainIntact === true,
      brokenAtSeq: shownNumber(whole.brokenAtSeq),
      verification: shownText(whole.verification),
    },
    bodyCount: null,
    bodies: {},
  };
}

/** Every journal of a fixture or a journal file.  Throws NotStrictError where it is neither. */
export function checkFile(bytes: Uint8Array): PackedJournal[] {
  const beginning = new TextDecoder().decode(bytes.subarray(0, 4096));
  if (/^\s*\{\s*"schema"\s*:\s*"turnledger\.journal\/1"/.test(beginning)) {
    return readJournals(bytes).map((journal) => ({
      form: "file",
      kind: journal.kind ?? "unknown",
      journalId: journal.journalId ?? "",
      agentId: journal.agentId ?? "",
      events: shownEvents(journal.events),
      report: journal.report,
      claim: null,
      bodyCount: journal.bodyCount,
      bodies: Object.fromEntries(journal.events.flatMap(fileBodies)),
    }));
  }
  const whole = parseStrict(bytes);
  if (!isObject(whole) || whole.schema !== FIXTURE_SCHEMA) {
    throw new NotStrictError("is neither a turn fixture nor a journal file");
  }
  const fixture = fixtureOf(whole);
  const report = verifyFixture(fixture);
  return [
    {
      form: "fixture",
      kind: "turn",
      journalId: shownText(fixture.source.turnId),
      agentId: shownText(fixture.source.agentId),
      events: shownEvents(fixture.events),
      report,
      bodyCount: isGreen(report.verdict) ? countBodies(fixture) : { checked: 0, notChecked: 0 },
      claim: {
        intact: fixture.chain.serverIntact === true,
        brokenAtSeq: shownNumber(fixture.chain.brokenAtSeq),
        verification: shownText(fixture.chain.verification),
      },
      bodies: Object.fromEntries(
        Object.entries(fixture.bodies).map(([key, body]) => [key, bodyText(body)] as const),
      ),
    },
  ];
}

function fileBodies(event: JsonObject, place: number): [string, string][] {
  const bodies = isObject(event.bodies) ? Object.entries(event.bodies) : [];
  return bodies.flatMap(([slot, body]): [string, string][] =>
    isObject(body) && !("state" in body) ? [[`${place}/${slot}`, bodyText(body)]] : [],
  );
}

function bodyText(body: JsonValue): string {
  if (typeof body === "string") return body;
  if (!isObject(body)) return "";
  if (typeof body.text === "string") return body.text;
  if (typeof body.masked === "string") return body.masked;
  return typeof body.base64 === "string" ? body.base64 : "";
}

function shownEvents(events: readonly JsonValue[]): PackedEvents {
  return packEvents(events.map(shownEvent));
}

function shownEvent(event: JsonValue): ChainEvent {
  const fields = isObject(event) ? event : {};
  return {
    seq: shownNumber(fields.seq),
    type: shownText(fields.type),
    payloadHash: shownText(fields.payloadHash),
    summary: shownText(fields.summary),
    prevHash: shownText(fields.prevHash),
    hash: shownText(fields.hash),
    createdAt: shownText(fields.createdAt),
  };
}

function shownNumber(value: JsonValue | undefined): number {
  return typeof value === "number" ? value : -1;
}

function shownText(value: JsonValue | undefined): string {
  return typeof value === "string" ? value : "";
}
