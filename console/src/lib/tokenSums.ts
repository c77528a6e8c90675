// Tokens as people count them; the API has them in buckets of which no two hold the same token.
import { tokens } from "./format";

/** One exchange's buckets, or the sums of many; null where nobody reported any. */
export interface Buckets {
  readonly in: number | null;
  readonly cacheRead: number | null;
  readonly cacheWrite: number | null;
  readonly out: number | null;
  readonly reasoning: number | null;
}

/** All input: new to the model, read from its cache, and written to it. */
export function inputOf(of: Buckets): number | null {
  return sum([of.in, of.cacheRead, of.cacheWrite]);
}

/** All output: what is seen, and reasoning. */
export function outputOf(of: Buckets): number | null {
  return sum([of.out, of.reasoning]);
}

/** `12.4 k → 340`; a question mark where nothing is on record. */
export function tokenFlow(of: Buckets): string {
  return [inputOf(of), outputOf(of)].map((one) => (one === null ? "?" : tokens(one))).join(" → ");
}

/** What of the input has to do with a cache; empty where nothing has. */
export function cacheWords(of: Buckets): string {
  const [read, written] = [of.cacheRead ?? 0, of.cacheWrite ?? 0];
  const words = read > 0 ? [`${tokens(read)} of it from cache`] : [];
  if (written > 0) words.push(`${tokens(written)} written to ${read > 0 ? "it" : "cache"}`);
  return words.join(", ");
}

function sum(counts: readonly (number | null)[]): number | null {
  const known = counts.filter((one) => one !== null);
  return known.length === 0 ? null : known.reduce((total, one) => total + one, 0);
}
