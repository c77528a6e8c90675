/** Which lines are shown where some are folded: rows of the screen to lines of the body and back. */
export class Folds {
  /** Lines that are folded and themselves shown, in order; what they hide ends with `until`. */
  private readonly heads: number[] = [];
  private readonly until: number[] = [];
  /** How many lines are hidden up to and including the fold's own. */
  private readonly hidden: number[] = [];
  readonly rows: number;

  /** `folded` maps a line to the last line that it hides. */
  constructor(lines: number, folded: ReadonlyMap<number, number>) {
    let end = -1;
    let hidden = 0;
    for (const head of [...folded.keys()].sort((left, right) => left - right)) {
      if (head <= end) continue;
      end = folded.get(head) ?? head;
      hidden += end - head;
      this.heads.push(head);
      this.until.push(end);
      this.hidden.push(hidden);
    }
    this.rows = lines - hidden;
  }

  /** The line that is shown in a row. */
  lineOf(row: number): number {
    let low = 0;
    let high = this.heads.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      const before = middle === 0 ? 0 : (this.hidden[middle - 1] ?? 0);
      if ((this.heads[middle] ?? 0) - before < row) low = middle + 1;
      else high = middle;
    }
    return row + (low === 0 ? 0 : (this.hidden[low - 1] ?? 0));
  }

  /** The row that shows a line, or the fold that hides it. */
  rowOf(line: number): number {
    let low = 0;
    let high = this.heads.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.heads[middle] ?? 0) < line) low = middle + 1;
      else high = middle;
    }
    const before = low - 1;
    if (before < 0) return line;
    if (line <= (this.until[before] ?? 0)) {
      return (this.heads[before] ?? 0) - (before === 0 ? 0 : (this.hidden[before - 1] ?? 0));
    }
    return line - (this.hidden[before] ?? 0);
  }
}
