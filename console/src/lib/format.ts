import type { ZoneChoice } from "./settings";

/** What is shown for a value that nobody recorded; never 0 and never nothing. */
export const NOT_RECORDED = "Not recorded";

const NUMBER = new Intl.NumberFormat("en-US");

export function count(value: number): string {
  return NUMBER.format(value);
}

/** `12 events`, `1 event`; the plural is the word with an s unless given. */
export function counted(value: number, word: string, plural = `${word}s`): string {
  return `${count(value)} ${value === 1 ? word : plural}`;
}

/** Bytes in powers of 1000, as file managers and networks count them. */
export function bytes(value: number): string {
  if (value < 1000) return `${value} B`;
  const units = ["kB", "MB", "GB", "TB"];
  let scaled = value / 1000;
  let unit = 0;
  while (scaled >= 999.5 && unit < units.length - 1) {
    scaled /= 1000;
    unit += 1;
  }
  return `${scaled < 9.95 ? scaled.toFixed(1) : scaled.toFixed(0)} ${units[unit] ?? ""}`;
}

/** Milliseconds as people read them: `41 ms`, `3.21 s`, `2 min 5 s`, `3 h 14 min`, `2 d 4 h`. */
export function duration(ms: number): string {
  if (ms < 0) return `−${duration(-ms)}`;
  if (ms < 1000) return `${Math.round(ms)} ms`;
  const seconds = ms / 1000;
  if (seconds < 59.995) return `${seconds.toFixed(2)} s`;
  const whole = Math.round(seconds);
  if (whole < 3600) return pair(whole, 60, "min", "s");
  if (whole < 86_400) return pair(Math.round(whole / 60), 60, "h", "min");
  return pair(Math.round(whole / 3600), 24, "d", "h");
}

function pair(value: number, size: number, big: string, small: string): string {
  const rest = value % size;
  const head = `${Math.floor(value / size)} ${big}`;
  return rest === 0 ? head : `${head} ${rest} ${small}`;
}

/** A number of tokens, short: `940`, `12.4 k`, `3.1 M`. */
export function tokens(value: number): string {
  if (value < 10_000) return count(value);
  return value < 999_500 ? `${(value / 1000).toFixed(1)} k` : `${(value / 1_000_000).toFixed(2)} M`;
}

const HERE = Intl.DateTimeFormat().resolvedOptions().timeZone;

export function zoneName(zone: ZoneChoice): string {
  return zone === "utc" ? "UTC" : HERE;
}

/** How far a zone is from UTC at a moment: `UTC`, `UTC+1`, `UTC−3:30`. */
export function zoneMark(instant: string, zone: ZoneChoice): string {
  const minutes = zone === "utc" ? 0 : -new Date(instant).getTimezoneOffset();
  if (minutes === 0 || Number.isNaN(minutes)) return "UTC";
  const far = Math.abs(minutes);
  const rest = far % 60;
  const hours = Math.floor(far / 60);
  return `UTC${minutes < 0 ? "−" : "+"}${hours}${rest === 0 ? "" : `:${String(rest).padStart(2, "0")}`}`;
}

/** `2026-11-30T10:01:02.114` in the zone; null for what is no time.  Intl is too slow for rows that scroll by. */
function wallTime(instant: string, zone: ZoneChoice): string | null {
  const at = new Date(instant);
  const ms = at.getTime();
  if (Number.isNaN(ms)) return null;
  const shift = zone === "utc" ? 0 : at.getTimezoneOffset() * 60_000;
  return new Date(ms - shift).toISOString();
}

/** `2026-11-30` in the zone; what is no time stays as it is. */
export function day(instant: string, zone: ZoneChoice): string {
  return wallTime(instant, zone)?.replace(/T.*/, "") ?? instant;
}

/** `10:01:02.114` in the zone; `digits` of the second's fraction: 0 or 3. */
export function clock(instant: string, zone: ZoneChoice, digits: 0 | 3 = 3): string {
  const time = wallTime(instant, zone)
    ?.replace(/.*T/, "")
    .slice(0, digits === 0 ? 8 : 12);
  return time ?? instant;
}

/** How long ago, coarse: `now`, `40 s ago`, `3 h 14 min ago`. */
export function ago(ms: number): string {
  if (ms < 1500) return "now";
  if (ms < 60_000) return `${Math.round(ms / 1000)} s ago`;
  return `${duration(ms)} ago`;
}

/** First characters of an id or hash, for people; the whole one is on copy. */
export function short(id: string, characters = 8): string {
  return id.slice(0, characters);
}
