import { choiceParam, textParam } from "./search";
import { zoneName } from "./format";
import type { ZoneChoice } from "./settings";

/** Stretches of time up to now, and their milliseconds. */
const LENGTHS = { "1h": 3_600_000, "24h": 86_400_000, "7d": 604_800_000, "30d": 2_592_000_000 } as const;
export const LASTS = ["1h", "24h", "7d", "30d"] as const;
export type Last = (typeof LASTS)[number];

/** A stretch of time in the address: up to now, or one calendar day of the zone that is shown. */
export interface SpanSearch {
  readonly last?: Last;
  readonly day?: string;
}

export function spanSearch(search: Record<string, unknown>): SpanSearch {
  const day = textParam(search, "day");
  const last = choiceParam(search, "last", LASTS);
  if (day !== undefined && isDay(day)) return { day };
  return last === undefined ? {} : { last };
}

function isDay(text: string): boolean {
  return /^\d{4}-\d{2}-\d{2}$/.test(text) && !Number.isNaN(Date.parse(text));
}

/** The same as parameters of the API. */
export function spanQuery(
  span: SpanSearch,
  zone: ZoneChoice,
  now: number,
): { since?: string; day?: string; tz: string } {
  const tz = zoneName(zone);
  if (span.day !== undefined) return { day: span.day, tz };
  return span.last === undefined ? { tz } : { since: new Date(now - LENGTHS[span.last]).toISOString(), tz };
}
