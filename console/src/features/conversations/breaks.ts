// Where a check of this tab found that a journal does not prove, on the rows of a timeline.
import type { Unsound } from "../../api/findings";
import type { Row } from "./rows";

export interface RowBreak {
  readonly found: Unsound;
  /** Whether it breaks at an event of the row; else the row begins the turn whose record it is. */
  readonly isHere: boolean;
}

/** What a check found about the journals that a row's events stand in; null: nothing, or no row of events. */
export function breakOf(row: Row, unsound: ReadonlyMap<string, Unsound>): RowBreak | null {
  if (row.kind !== "flow" || unsound.size === 0) return null;
  for (const { journalId, seq } of row.entries) {
    const found = unsound.get(journalId);
    if (found?.seq === seq) return { found, isHere: true };
  }
  const whole = row.bracket === "top" ? unsound.get(row.turn?.id ?? "") : undefined;
  return whole === undefined ? null : { found: whole, isHere: false };
}

/** Whether to stop at a row: the break is here, or it is at no single event and the turn begins here. */
export function isBreak(row: Row, unsound: ReadonlyMap<string, Unsound>): boolean {
  const found = breakOf(row, unsound);
  return found !== null && (found.isHere || found.found.seq < 0);
}
