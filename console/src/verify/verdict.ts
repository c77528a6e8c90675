// One scale of verdicts and the words of the contract's vectors; mirrors turnledger.integrity.verdict.

export type Verdict = "malformed" | "broken" | "not_checked" | "empty" | "intact" | "sealed" | "witnessed";

export type Caveat =
  | "no-final-event"
  | "sub-millisecond-not-covered"
  | "unknown-type"
  | "unhashed-fields-present"
  | "bodies-not-checked"
  | "detail-not-checked"
  | "torn-record"
  | "unreadable-lines";

export type Reason =
  | "ok"
  | "no-events"
  | "source-turnId"
  | "source-agentId"
  | "event-grammar"
  | "seq-grammar"
  | "type-grammar"
  | "payload-hash-grammar"
  | "summary-grammar"
  | "prev-hash-grammar"
  | "hash-grammar"
  | "created-at-grammar"
  | "commitment"
  | "bodies-grammar"
  | "seq"
  | "prev-hash"
  | "hash"
  | "detail"
  | "payload"
  | "assurance"
  | "expected-block"
  | "torn-record"
  | "truncated"
  | "event-id"
  | "turn-closed"
  | "missing-journal"
  | "missing-conversation";

/**
 * Finding about one journal.  `brokenAtSeq` is the zero-based position of the first event that fails, -1
 * where no single event is at fault; `head` the hash of the last event that held; `finalType` the COMMIT or
 * ABORT it ends with; `clockStepsBack` counts events whose time is before their predecessor's (no fault).
 */
export interface ChainReport {
  readonly verdict: Verdict;
  readonly brokenAtSeq: number;
  readonly reason: Reason;
  readonly warnings: readonly Caveat[];
  readonly events: number;
  readonly head: string;
  readonly finalType: string | null;
  readonly clockStepsBack: number;
}

/** Of the bodies that events committed, how many were hashed, and how many could not be: those not there, too. */
export interface BodyCount {
  readonly checked: number;
  readonly notChecked: number;
}

/** Whether a reason is a fault of form (verdict malformed) or of content (verdict broken). */
export function isMalformed(reason: Reason): boolean {
  return reason.endsWith("-grammar") || ["source-turnId", "source-agentId", "commitment"].includes(reason);
}

/** Whether a verdict says that the check was made and found no fault. */
export function isGreen(verdict: Verdict): boolean {
  return verdict === "intact" || verdict === "sealed" || verdict === "witnessed";
}

/** The same with a fault of content that another check found; one that is there already stays. */
export function withFault(report: ChainReport, reason: Reason, at: number): ChainReport {
  if (report.verdict === "broken" || report.verdict === "malformed") return report;
  return { ...report, verdict: "broken", reason, brokenAtSeq: at, finalType: null };
}
