// The hash chain of a journal: how an event is hashed, and the verifier; mirrors turnledger.integrity.chain.
import { isHash, isSeq, isSummary, isType, isUuid, parseInstant } from "./grammar";
import { sha256Text } from "./sha256";
import { type Caveat, type ChainReport, isMalformed, type Reason } from "./verdict";

export const GENESIS = "0".repeat(64);

export const FINAL_TYPES: ReadonlySet<string> = new Set(["COMMIT", "ABORT"]);

export const KNOWN_TYPES: ReadonlySet<string> = new Set(
  (
    "INTAKE PROMPT GUARD MODEL_CALL MODEL_RESULT TOOL_CALL TOOL_RESULT APPROVAL MEMORY_WRITE PROGRESS VERIFY " +
    "SUPERSEDED BUDGET ERROR COMMIT ABORT OPENED MESSAGE VERDICT COLLAPSED SHED TURN_OPENED TURN_CLOSED " +
    "DELIVERY LATE GAP CAPTURE_ERROR PRUNED ERASED SETTING ACCESS REPRICED EPOCH"
  ).split(" "),
);

const FIELDS: ReadonlySet<string> = new Set([
  "seq",
  "type",
  "payloadHash",
  "summary",
  "prevHash",
  "hash",
  "createdAt",
]);

/** The text whose UTF-8 bytes are hashed (contract, section 4); the caller has checked the grammar. */
export function preimage(
  prevHash: string,
  journalId: string,
  agentId: string,
  seq: number,
  type: string,
  payloadHash: string,
  summary: string,
  createdMs: number,
): string {
  return `${prevHash}|${journalId}|${agentId}|${seq}|${type}|${payloadHash}|${summary}|${createdMs}`;
}

export interface ChainOptions {
  /** Types that raise no warning. */
  known?: ReadonlySet<string>;
  /** What a complete journal ends with; empty for journals that never end. */
  finalTypes?: ReadonlySet<string>;
  /** Unhashed keys that an event may carry without a warning. */
  beside?: ReadonlySet<string>;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Checks one journal event by event and keeps nothing but the head. */
export class ChainVerifier {
  private readonly known: ReadonlySet<string>;
  private readonly finalTypes: ReadonlySet<string>;
  private readonly beside: ReadonlySet<string>;
  private readonly owner: string;
  private count = 0;
  private head = GENESIS;
  private lastType = "";
  private lastMs = -Infinity;
  private stepsBack = 0;
  private readonly caveats = new Set<Caveat>();
  private brokenAt = -1;
  private reason: Reason = "ok";

  constructor(journalId: unknown, agentId: unknown, options: ChainOptions = {}) {
    this.known = options.known ?? KNOWN_TYPES;
    this.finalTypes = options.finalTypes ?? FINAL_TYPES;
    this.beside = options.beside ?? new Set();
    this.owner = `|${String(journalId)}|${String(agentId)}|`;
    if (!isUuid(journalId)) this.reason = "source-turnId";
    else if (!isUuid(agentId)) this.reason = "source-agentId";
  }

  /** Whether nothing failed so far. */
  get intact(): boolean {
    return this.reason === "ok";
  }

  /** Note a fault found by another check, at the event fed last unless told; the first one stays. */
  fail(reason: Reason, at: number = this.count - 1): void {
    if (this.reason !== "ok") return;
    this.reason = reason;
    this.brokenAt = at;
  }

  /** Note something that the verdict does not cover. */
  warn(caveat: Caveat): void {
    this.caveats.add(caveat);
  }

  /** Check the next event in its JSON form: an object with the seven fields of the contract. */
  feed(event: unknown): void {
    const place = this.count;
    this.count = place + 1;
    if (this.reason !== "ok") return;
    if (!isRecord(event)) {
      this.fail("event-grammar");
      return;
    }
    const { seq, type, payloadHash, summary, prevHash, hash } = event;
    if (!isSeq(seq)) this.fail("seq-grammar");
    else if (!isType(type)) this.fail("type-grammar");
    else if (!isHash(payloadHash)) this.fail("payload-hash-grammar");
    else if (!isSummary(summary)) this.fail("summary-grammar");
    else if (!isHash(prevHash)) this.fail("prev-hash-grammar");
    else if (!isHash(hash)) this.fail("hash-grammar");
    else {
      const instant = parseInstant(event["createdAt"]);
      if (instant === null) this.fail("created-at-grammar");
      else if (seq !== place) this.fail("seq");
      else if (prevHash !== this.head) this.fail("prev-hash");
      else {
        this.link(seq, type, payloadHash, summary, hash, instant.ms);
        if (instant.finer) this.warn("sub-millisecond-not-covered");
        for (const key in event) {
          if (!FIELDS.has(key) && !this.beside.has(key)) this.warn("unhashed-fields-present");
        }
      }
    }
  }

  private link(seq: number, type: string, payload: string, summary: string, hash: string, ms: number): void {
    if (sha256Text(`${this.head}${this.owner}${seq}|${type}|${payload}|${summary}|${ms}`) !== hash) {
      this.fail("hash");
      return;
    }
    this.head = hash;
    this.lastType = type;
    if (!this.known.has(type)) this.warn("unknown-type");
    if (ms < this.lastMs) this.stepsBack += 1;
    this.lastMs = ms;
  }

  /** The finding so far; may be asked for at any time. */
  report(): ChainReport {
    const caveats = new Set(this.caveats);
    const common = { events: this.count, head: this.head, clockStepsBack: this.stepsBack };
    const at = { brokenAtSeq: this.brokenAt };
    if (this.reason !== "ok") {
      const verdict = isMalformed(this.reason) ? "malformed" : "broken";
      return { verdict, reason: this.reason, warnings: sorted(caveats), finalType: null, ...at, ...common };
    }
    if (this.count === 0) {
      return {
        verdict: "empty",
        reason: "no-events",
        warnings: sorted(caveats),
        finalType: null,
        ...at,
        ...common,
      };
    }
    const finalType = this.finalTypes.has(this.lastType) ? this.lastType : null;
    if (this.finalTypes.size > 0 && finalType === null) caveats.add("no-final-event");
    return { verdict: "intact", reason: "ok", warnings: sorted(caveats), finalType, ...at, ...common };
  }
}

function sorted(caveats: ReadonlySet<Caveat>): Caveat[] {
  return [...caveats].sort();
}

/** The report on a whole journal whose events come in their JSON form; ids as they were found. */
export function verifyChain(
  journalId: unknown,
  agentId: unknown,
  events: Iterable<unknown>,
  options: ChainOptions = {},
): ChainReport {
  const verifier = new ChainVerifier(journalId, agentId, options);
  for (const event of events) verifier.feed(event);
  return verifier.report();
}
