// Why a turn did not end as it should: the event that says so.
import { nameOf } from "./cardWords";
import { type CardTable, problemOf } from "./events";

const UNSUCCESSFUL: ReadonlySet<string> = new Set([
  "failed",
  "refused",
  "exhausted",
  "cancelled",
  "interrupted",
]);
/** How far back from the end it is looked for what went before an ABORT. */
const LOOKED_AT = 50;

export interface Cause {
  readonly place: number;
  readonly seq: number;
  /** What happened, in a few words. */
  readonly words: string;
}

/** The last error of a turn with this status, else what went wrong before its end; null: nothing is known. */
export function causeOf(cards: CardTable, status: string): Cause | null {
  if (!UNSUCCESSFUL.has(status)) return null;
  const last = cards.length - 1;
  const places = Array.from({ length: Math.min(LOOKED_AT, cards.length) }, (_, back) => last - back);
  const error = places.find((place) => cards.type(place) === "ERROR");
  const wrong = places.find((place) => {
    const card = cards.type(place) === "ABORT" ? undefined : cards.at(place);
    return card !== undefined && problemOf(card) !== null;
  });
  const place = error ?? wrong ?? places.find((one) => cards.type(one) === "ABORT");
  const card = place === undefined ? undefined : cards.at(place);
  if (place === undefined || card === undefined) return null;
  const { event, tokens } = card;
  const what = [event.type.toLowerCase().replaceAll("_", " "), nameOf(card)].filter(Boolean).join(" ");
  const why = tokens.get("class") ?? tokens.get("reason") ?? problemOf(card);
  return { place, seq: event.seq, words: why === null ? what : `${what}: ${why}` };
}
