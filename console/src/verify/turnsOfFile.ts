// What the conversations of a journal file say of their turns, against the turns that are in the file; mirrors
// turnledger.integrity.turns_of_file.  Of copies of a turn one has to be as its conversation says.
import { parseSummary } from "../lib/summary";
import type { JsonObject } from "./strictJson";
import { type ChainReport, withFault } from "./verdict";

/** What one conversation's journal says: turn → seq of its TURN_OPENED, and → how it ended. */
export class TurnsTold {
  readonly opened = new Map<string, number>();
  readonly closed = new Map<string, string>();

  /** Take in a verified event of the conversation's journal. */
  note(seq: number, event: JsonObject): void {
    const tokens = parseSummary(typeof event.summary === "string" ? event.summary : "");
    const turn = tokens.get("turn") ?? "";
    if (event.type === "TURN_OPENED") {
      if (!this.opened.has(turn)) this.opened.set(turn, seq);
    } else if (event.type === "TURN_CLOSED") {
      this.closed.set(turn, `${tokens.get("events") ?? ""} ${tokens.get("head") ?? ""}`);
    }
  }
}

/** The turns that are in a file, and what its conversations say of them. */
export class TurnsOfFile {
  private readonly there = new Map<string, Set<string>>();
  private readonly closed = new Map<string, Set<string>>();
  private readonly conversations = new Set<string>();

  /** A turn's journal that is in the file. */
  take(turn: string, found: ChainReport): void {
    add(this.there, turn, `${found.events} ${found.head}`);
  }

  /** A conversation's journal that is in the file. */
  told(conversation: string, told: TurnsTold): void {
    this.conversations.add(conversation);
    for (const [turn, end] of told.closed) add(this.closed, turn, end);
  }

  /** The finding about a conversation, once all of the file was read: has it the turns that it opened? */
  ofConversation(told: TurnsTold, found: ChainReport): ChainReport {
    let missing: number | null = null;
    for (const [turn, seq] of told.opened) {
      if (!this.there.has(turn) && (missing === null || seq < missing)) missing = seq;
    }
    return missing === null ? found : withFault(found, "missing-journal", missing);
  }

  /**
   * The finding about a turn, once all of the file was read: did it end as its conversation says?  `writtenWith`
   * is the conversation whose journal was written together with it.
   */
  ofTurn(turn: string, found: ChainReport, writtenWith: string | null): ChainReport {
    if (writtenWith !== null && !this.conversations.has(writtenWith))
      return withFault(found, "missing-conversation", -1);
    const there = this.there.get(turn);
    const isAsTold = [...(this.closed.get(turn) ?? [])].every((end) => there?.has(end) === true);
    return isAsTold ? found : withFault(found, "turn-closed", -1);
  }
}

function add(sets: Map<string, Set<string>>, key: string, value: string): void {
  const set = sets.get(key);
  if (set === undefined) sets.set(key, new Set([value]));
  else set.add(value);
}
