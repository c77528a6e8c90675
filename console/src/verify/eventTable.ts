// The events of a journal as one text and a few numbers: as objects, a hundred thousand of them would hold
// the page up while they cross from the worker.
import type { ChainEvent } from "./check";

const TEXTS = ["type", "payloadHash", "summary", "prevHash", "hash", "createdAt"] as const;

/** The texts of all events behind one another, where each of them ends, and the events' numbers. */
export interface PackedEvents {
  readonly text: string;
  readonly ends: Uint32Array<ArrayBuffer>;
  readonly seqs: Float64Array<ArrayBuffer>;
}

export function packEvents(events: readonly ChainEvent[]): PackedEvents {
  const ends = new Uint32Array(events.length * TEXTS.length);
  const parts: string[] = [];
  let end = 0;
  for (const event of events) {
    for (const key of TEXTS) {
      end += event[key].length;
      ends[parts.length] = end;
      parts.push(event[key]);
    }
  }
  return { text: parts.join(""), ends, seqs: Float64Array.from(events, (event) => event.seq) };
}

/** The events of a journal in their order, made as they are asked for. */
export class EventTable {
  constructor(private readonly packed: PackedEvents) {}

  static of(events: readonly ChainEvent[]): EventTable {
    return new EventTable(packEvents(events));
  }

  get length(): number {
    return this.packed.seqs.length;
  }

  /** One event; undefined beyond both ends. */
  at(place: number): ChainEvent | undefined {
    const seq = this.packed.seqs[place];
    if (seq === undefined) return undefined;
    return {
      seq,
      type: this.field(place, 0),
      payloadHash: this.field(place, 1),
      summary: this.field(place, 2),
      prevHash: this.field(place, 3),
      hash: this.field(place, 4),
      createdAt: this.field(place, 5),
    };
  }

  seq(place: number): number {
    return this.packed.seqs[place] ?? -1;
  }

  type(place: number): string {
    return this.field(place, 0);
  }

  summary(place: number): string {
    return this.field(place, 2);
  }

  /** When it was recorded, in epoch milliseconds; NaN where its time is none. */
  moment(place: number): number {
    return Date.parse(this.field(place, 5));
  }

  /** Where the event with this number stands: in an intact journal at that place; -1: nowhere. */
  placeOf(seq: number): number {
    return this.packed.seqs[seq] === seq ? seq : this.packed.seqs.indexOf(seq);
  }

  private field(place: number, column: number): string {
    const at = place * TEXTS.length + column;
    const { text, ends } = this.packed;
    return text.slice(ends[at - 1] ?? 0, ends[at] ?? 0);
  }
}
