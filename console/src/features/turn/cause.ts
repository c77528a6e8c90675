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

const LOST = "its process gave no sign of life until its claim ran out";

export interface Cause {
  readonly place: number;
  readonly seq: number;
  /** What happened, in a few words. */
  readonly words: string;
}

/** That its process was lost, else its last error, else what went wrong before its end; null: nothing is known. */
export function causeOf(cards: CardTable, status: string): Cause | null {
  if (!UNSUCCESSFUL.has(status)) return null;
  const last = cards.length - 1;
  if (status === "interrupted") {
    // The steps before it are in doubt because of it, and what went wrong among them did not end the turn.
    return cards.type(last) === "ABORT" ? { place: last, seq: cards.seq(last), words: LOST } : null;
  }
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
