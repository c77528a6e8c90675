// The closed grammar of every field that goes into an event's hash (contract, section 4); mirrors
// turnledger.integrity.grammar.  The hashed text joins its fields with `|` and escapes nothing, so these
// checks come before any hash is believed.

export const MAX_SEQ = 2 ** 31 - 1;
export const SUMMARY_BYTES = 4096;

const HASH = /^[0-9a-f]{64}$/;
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
const TYPE = /^[A-Z][A-Z0-9_]{0,31}$/;
const INSTANT =
  /^([0-9]{4})-([0-9]{2})-([0-9]{2})T([01][0-9]|2[0-3]):([0-5][0-9]):([0-5][0-9])(?:\.([0-9]{1,9}))?Z$/;
const PRINTABLE = /^[ -~]*$/;
// C0, DEL and C1 controls; bidi embeddings, overrides and isolates; surrogates that have no partner.
// eslint-disable-next-line no-control-regex -- controls are what is looked for
const FORBIDDEN = /[\u0000-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]|\p{Surrogate}/u;

const encoder = new TextEncoder();

export function isHash(value: unknown): value is string {
  return typeof value === "string" && value.length === 64 && HASH.test(value);
}

export function isUuid(value: unknown): value is string {
  return typeof value === "string" && value.length === 36 && UUID.test(value);
}

/** Whether a value is an integer from 0 to 2^31-1; the strict reader keeps `3.0` apart from `3`. */
export function isSeq(value: unknown): value is number {
  return typeof value === "number" && Number.isInteger(value) && value >= 0 && value <= MAX_SEQ;
}

/** Whether a value is a well-formed event type, known or not. */
export function isType(value: unknown): value is string {
  return typeof value === "string" && !value.endsWith("\n") && TYPE.test(value);
}

/** Whether a value is text of at most 4,096 UTF-8 bytes that shows on a screen as what it is. */
export function isSummary(value: unknown): value is string {
  if (typeof value !== "string" || value.length > SUMMARY_BYTES) return false;
  if (PRINTABLE.test(value)) return true;
  return !FORBIDDEN.test(value) && encoder.encode(value).length <= SUMMARY_BYTES;
}

export interface Instant {
  /** Epoch milliseconds, floored. */
  readonly ms: number;
  /** Whether digits below the millisecond are not zero: the hash does not cover those. */
  readonly finer: boolean;
}

/** `YYYY-MM-DDThh:mm:ss[.f]Z` (RFC 3339, 1 to 9 digits); null for every other spelling of an instant. */
export function parseInstant(value: unknown): Instant | null {
  const match = typeof value === "string" ? INSTANT.exec(value) : null;
  if (match === null) return null;
  const [, year, month, day, hour, minute, second, fraction] = match;
  const start = dayStart(Number(year), Number(month), Number(day));
  if (start === null) return null;
  const whole = start + ((Number(hour) * 60 + Number(minute)) * 60 + Number(second)) * 1000;
  if (fraction === undefined) return { ms: whole, finer: false };
  // The fraction counts forward from a whole second, so cutting it is the floor, also before 1970.
  return {
    ms: whole + Number(fraction.slice(0, 3).padEnd(3, "0")),
    finer: /[1-9]/.test(fraction.slice(3)),
  };
}

function dayStart(year: number, month: number, day: number): number | null {
  if (year === 0 || month < 1 || month > 12 || day < 1 || day > 31) return null;
  const date = new Date(0);
  date.setUTCFullYear(year, month - 1, day);
  return date.getUTCMonth() === month - 1 && date.getUTCDate() === day ? date.getTime() : null;
}
