// What the browser found beside what the server says (contract, section 13).
import type { CheckedJournal } from "../../verify/check";
import { isGreen } from "../../verify/verdict";

/** Reasons of the server that no reading of the journal alone can find: they are about what stands beside it. */
const BEYOND = new Set([
  "detail",
  "payload",
  "assurance",
  "event-id",
  "position",
  "head",
  "turn-closed",
  "missing-journal",
  "unlisted-journal",
]);

export type Judgement =
  /** Both found the same, and no fault. */
  | { readonly kind: "sound" }
  /** Nothing was recorded, so nothing was proven. */
  | { readonly kind: "empty" }
  /** Both found the same fault, or the server found one where the browser cannot look. */
  | { readonly kind: "broken"; readonly at: number; readonly reason: string }
  /** They found different things: trust neither, and nothing that is shown. */
  | { readonly kind: "disagree"; readonly at: number };

/** Compare the verdict that was made here with the one that the sender claims. */
export function judge(journal: CheckedJournal): Judgement {
  const { report, claim } = journal;
  const here = isGreen(report.verdict);
  if (claim === null) {
    if (report.verdict === "empty") return { kind: "empty" };
    return here ? { kind: "sound" } : { kind: "broken", at: report.brokenAtSeq, reason: report.reason };
  }
  if (report.verdict === "empty") return claim.intact ? { kind: "disagree", at: -1 } : { kind: "empty" };
  if (here && claim.intact) return { kind: "sound" };
  if (here) {
    return BEYOND.has(claim.verification)
      ? { kind: "broken", at: claim.brokenAtSeq, reason: claim.verification }
      : { kind: "disagree", at: claim.brokenAtSeq };
  }
  const isSame =
    !claim.intact && claim.verification === report.reason && claim.brokenAtSeq === report.brokenAtSeq;
  return isSame
    ? { kind: "broken", at: report.brokenAtSeq, reason: report.reason }
    : { kind: "disagree", at: report.brokenAtSeq };
}

/** Place of the event where the journal breaks; -1 where it does not, or at none. */
export function brokenAt(judgement: Judgement | null): number {
  return judgement?.kind === "broken" || judgement?.kind === "disagree" ? judgement.at : -1;
}
