// `turnledger.journal/1`: journals as JSON lines, read and checked; mirrors turnledger.wire.journal_file and
// turnledger.integrity.journal_check.
import { parseSummary } from "../lib/summary";
import { ChainVerifier, FINAL_TYPES } from "./chain";
import { bodyMatches, GrammarError, NO_PAYLOAD } from "./commitment";
import { bytesFromJson, fromBase64 } from "./fileJson";
import { isUuid } from "./grammar";
import { sha256Hex } from "./sha256";
import { isObject, type JsonObject, type JsonValue, NotStrictError, parseStrict } from "./strictJson";
import { TurnsOfFile, TurnsTold } from "./turnsOfFile";
import type { BodyCount, ChainReport } from "./verdict";

export const JOURNAL_SCHEMA = "turnledger.journal/1";

const BESIDE: ReadonlySet<string> = new Set(["eventId", "position", "assurance", "detail", "bodies"]);
const KINDS = ["turn", "conversation", "ledger"];
const WORDS: Readonly<Record<string, string>> = {
  w: "write_ahead",
  s: "spooled",
  o: "observed",
  i: "imported",
};
const STARTS = ['{"seq":', '{"schema":'] as const;

/** One journal of a file: whose it is (null where its header could not be read), its events, the finding. */
export interface FileJournal {
  readonly kind: string | null;
  readonly journalId: string | null;
  readonly agentId: string | null;
  readonly events: readonly JsonObject[];
  readonly badLines: number;
  readonly report: ChainReport;
  readonly bodyCount: BodyCount;
  /** What a conversation's journal says of its turns. */
  readonly told: TurnsTold;
  /** The conversation whose journal was written together with this turn's. */
  readonly writtenWith: string | null;
}

type Line = { readonly fields: JsonObject } | "header-bad" | "torn" | "unreadable";

/**
 * Every journal of a file; a conversation has to have its turns beside it.  Throws NotStrictError where the file
 * does not start with a header.
 */
export function readJournals(data: Uint8Array): FileJournal[] {
  const found = oneByOne(data);
  const turns = new TurnsOfFile();
  for (const { kind, journalId, report, told } of found) {
    if (journalId === null) continue;
    if (kind === "turn") turns.take(journalId, report);
    else turns.told(journalId, told);
  }
  // A header that cannot be read may be the conversation's.
  const hasEveryHeader = found.every((one) => one.journalId !== null);
  return found.map((one) => {
    const { kind, journalId, report, told, writtenWith } = one;
    if (journalId === null) return one;
    const beside =
      kind === "turn"
        ? turns.ofTurn(journalId, report, hasEveryHeader ? writtenWith : null)
        : turns.ofConversation(told, report);
    return { ...one, report: beside };
  });
}

/** Every journal by itself. */
function oneByOne(data: Uint8Array): FileJournal[] {
  const found: FileJournal[] = [];
  let check: JournalCheck | null = null;
  let isFirst = true;
  for (const bytes of linesOf(data)) {
    for (const line of recordsOf(bytes)) {
      const header = typeof line === "object" && "schema" in line.fields ? line.fields : null;
      const isHeader = header !== null || line === "header-bad";
      if (isFirst && (header === null || !isHeaderOf(header))) {
        throw new NotStrictError(`is no journal: its first line is no header of ${JOURNAL_SCHEMA}`);
      }
      isFirst = false;
      if (isHeader) {
        if (check !== null) found.push(check.done());
        check = new JournalCheck(header !== null && isHeaderOf(header) ? header : null);
      } else check?.take(line);
    }
  }
  if (check === null) throw new NotStrictError("is empty, so it is no journal");
  found.push(check.done());
  return found;
}

function* linesOf(data: Uint8Array): Generator<Uint8Array> {
  for (let at = 0; at < data.length;) {
    const end = data.indexOf(10, at);
    const stop = end < 0 ? data.length : end + 1;
    const line = data.subarray(at, stop);
    if (line.some((byte) => byte !== 32 && byte !== 9 && byte !== 10 && byte !== 13)) yield line;
    at = stop;
  }
}

/** What one line holds: a record, a fault, or a torn record with another one behind it. */
function recordsOf(bytes: Uint8Array): Line[] {
  const whole = parseLine(bytes);
  if (typeof whole === "object") return [whole];
  const text = new TextDecoder("latin1").decode(bytes);
  const start = Math.max(...STARTS.map((mark) => text.lastIndexOf(mark)));
  if (start > 0) {
    const behind = parseLine(bytes.subarray(start));
    if (typeof behind === "object") return [text.startsWith(STARTS[1]) ? "header-bad" : "torn", behind];
  }
  if (!text.endsWith("\n")) return ["torn"];
  if (text.startsWith(STARTS[1])) return ["header-bad"];
  return [text.startsWith(STARTS[0]) && !text.trimEnd().endsWith("}") ? "torn" : "unreadable"];
}

function parseLine(bytes: Uint8Array): Line {
  let fields: JsonValue;
  try {
    fields = parseStrict(bytes);
  } catch (error) {
    if (error instanceof NotStrictError) return "unreadable";
    throw error;
  }
  if (isObject(fields) && "schema" in fields) return isHeaderOf(fields) ? { fields } : "header-bad";
  return isObject(fields) && "seq" in fields ? { fields } : "unreadable";
}

function isHeaderOf(fields: JsonObject): boolean {
  const journal = fields.journal;
  const conversation = fields.conversationId ?? null;
  const events = fields.events ?? null;
  return (
    fields.schema === JOURNAL_SCHEMA &&
    isObject(journal) &&
    typeof journal.kind === "string" &&
    KINDS.includes(journal.kind) &&
    isUuid(journal.id) &&
    isUuid(fields.agentId) &&
    (conversation === null || isUuid(conversation)) &&
    typeof fields.exportedAt === "string" &&
    (events === null || Number.isInteger(events))
  );
}

/** State of one journal while its lines go by. */
class JournalCheck {
  private readonly chain: ChainVerifier;
  private readonly events: JsonObject[] = [];
  private readonly kind: string | null = null;
  private readonly journalId: string | null = null;
  private readonly agentId: string | null = null;
  private readonly announced: number | null = null;
  private readonly told = new TurnsTold();
  private readonly writtenWith: string | null = null;
  private tornAt = -1;
  private unreadableAt = -1;
  private checked = 0;
  private notChecked = 0;
  private bad = 0;

  constructor(header: JsonObject | null) {
    if (header === null) {
      this.bad = 1;
    } else {
      const journal = isObject(header.journal) ? header.journal : {};
      this.kind = text(journal.kind);
      this.journalId = text(journal.id);
      this.agentId = text(header.agentId);
      const beside = header.with;
      if (Array.isArray(beside) && beside.length === 1 && beside[0] === "conversation")
        this.writtenWith = text(header.conversationId);
      this.announced = typeof header.events === "number" ? header.events : null;
    }
    this.chain = new ChainVerifier(this.journalId, this.agentId, {
      finalTypes: this.kind === "turn" ? FINAL_TYPES : new Set<string>(),
      beside: BESIDE,
    });
    if (header === null) this.chain.warn("unreadable-lines");
  }

  take(line: Line): void {
    if (typeof line === "string" || this.journalId === null) {
      this.bad += 1;
      this.chain.warn(line === "torn" ? "torn-record" : "unreadable-lines");
      if (line === "torn") this.tornAt = this.events.length;
      else this.unreadableAt = this.events.length;
      return;
    }
    const place = this.events.length;
    this.events.push(line.fields);
    if (line.fields.seq !== place) this.failForBadLine(place);
    this.chain.feed(line.fields);
    if (!this.chain.intact) return;
    if (this.kind === "conversation") this.told.note(place, line.fields);
    try {
      this.checkBeside(line.fields);
    } catch (error) {
      if (!(error instanceof GrammarError)) throw error;
      this.chain.fail("bodies-grammar");
    }
  }

  /** The event that is missing here was torn or altered past reading, not taken out. */
  private failForBadLine(place: number): void {
    if (place === this.tornAt) this.chain.fail("torn-record", place);
    else if (place === this.unreadableAt) this.chain.fail("event-grammar", place);
  }

  /** What stands beside an event whose own hash holds. */
  private checkBeside(event: JsonObject): void {
    const summary = text(event.summary) ?? "";
    const claimed = event.assurance ?? null;
    if (claimed !== null && claimed !== WORDS[parseSummary(summary).get("assurance") ?? ""]) {
      this.chain.fail("assurance");
      return;
    }
    const detail = (event.detail ?? null) === null ? null : bytesFromJson(event.detail, "The detail");
    const bodies = event.bodies ?? {};
    if (!isObject(bodies)) throw new GrammarError("The bodies are no object.");
    const slots = this.checkDetail(summary, detail, event.eventId ?? null);
    if (this.chain.intact) this.checkBodies(text(event.payloadHash) ?? "", slots, bodies);
  }

  /** Commitments of the detail record's slots; null where there is no record to go by. */
  private checkDetail(
    summary: string,
    detail: Uint8Array | null,
    eventId: JsonValue,
  ): Map<string, string> | null {
    const last = summary.slice(summary.lastIndexOf(" ") + 1);
    const named = last.startsWith("detail=") ? last.slice("detail=".length) : null;
    if (named === null || detail === null) {
      if (named !== null || detail !== null) this.chain.warn("detail-not-checked");
      return null;
    }
    const record = sha256Hex(detail) === named ? parseDetail(detail) : null;
    if (record === null) {
      this.chain.fail("detail");
      return null;
    }
    if (eventId !== null && (typeof eventId !== "string" || eventId.replaceAll("-", "") !== record.id)) {
      this.chain.fail("event-id");
    }
    const slots = isObject(record.slots) ? Object.entries(record.slots) : [];
    return new Map(
      slots.flatMap(([slot, entry]) =>
        isObject(entry) && "commitment" in entry ? [[slot, text(entry.commitment) ?? ""] as const] : [],
      ),
    );
  }

  private checkBodies(payload: string, slots: Map<string, string> | null, bodies: JsonObject): void {
    const committed = new Map(slots);
    if (payload !== NO_PAYLOAD) committed.set("payload", payload);
    for (const [slot, body] of Object.entries(bodies)) {
      const found = readBody(body);
      const digest = committed.get(slot);
      committed.delete(slot);
      if (found === null) {
        if (isObject(body) && body.state === "withheld") this.notChecked += 1;
        continue;
      }
      this.checked += 1;
      if (digest === undefined && slots === null) this.chain.warn("bodies-not-checked");
      else if (
        digest === undefined ||
        found.data.length !== found.size ||
        !bodyMatches(digest, found.data, found.salt)
      ) {
        this.chain.fail("payload");
        return;
      }
    }
    this.notChecked += committed.size;
  }

  done(): FileJournal {
    if (this.announced !== null && this.events.length < this.announced) {
      const isAltered = this.unreadableAt === this.events.length;
      this.chain.fail(isAltered ? "event-grammar" : "truncated", this.events.length);
    }
    const { kind, journalId, agentId, events, told, writtenWith, checked, notChecked } = this;
    const bodyCount = { checked, notChecked };
    return {
      kind,
      journalId,
      agentId,
      events,
      badLines: this.bad,
      report: this.chain.report(),
      bodyCount,
      told,
      writtenWith,
    };
  }
}

function parseDetail(bytes: Uint8Array): JsonObject | null {
  try {
    const record = parseStrict(bytes);
    return isObject(record) ? record : null;
  } catch {
    return null;
  }
}

/** A body of an event line; null where its bytes are not in the file.  Throws GrammarError. */
export function readBody(
  body: JsonValue | undefined,
): { size: number; mediaType: string; data: Uint8Array; salt: Uint8Array | null } | null {
  if (!isObject(body) || typeof body.bytes !== "number" || typeof body.mediaType !== "string") {
    throw new GrammarError("A body is not in the form of the format.");
  }
  if ("state" in body) {
    if (!["pruned", "erased", "withheld"].includes(text(body.state) ?? "")) {
      throw new GrammarError("A body has an unknown state.");
    }
    return null;
  }
  const salt = (body.salt ?? null) === null ? null : fromBase64(body.salt, "A salt");
  const content = "text" in body ? body.text : { base64: body.base64 ?? null };
  return { size: body.bytes, mediaType: body.mediaType, data: bytesFromJson(content, "A body"), salt };
}

function text(value: JsonValue | undefined): string | null {
  return typeof value === "string" ? value : null;
}
