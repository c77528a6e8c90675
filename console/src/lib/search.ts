// The URL is the state: query strings are plain text, and every page reads its own parameters from them.

export type RawSearch = Record<string, string | string[]>;

/** The parameters of a query string; one given several times is a list. */
export function parseSearch(query: string): RawSearch {
  const found: RawSearch = {};
  for (const [key, value] of new URLSearchParams(query)) {
    const before = found[key];
    if (before === undefined) found[key] = value;
    else found[key] = Array.isArray(before) ? [...before, value] : [before, value];
  }
  return found;
}

/** The query string of a page's parameters; undefined, null, false and empty ones are left out. */
export function stringifySearch(search: Record<string, unknown>): string {
  const query = new URLSearchParams();
  for (const [key, value] of Object.entries(search)) {
    for (const one of Array.isArray(value) ? value : [value]) {
      if (typeof one === "string" && one !== "") query.append(key, one);
      else if (typeof one === "number") query.append(key, String(one));
      else if (one === true) query.append(key, "1");
    }
  }
  const text = query.toString();
  return text === "" ? "" : `?${text}`;
}

const read = new Set<string>();

/** Whether a page that was opened reads a parameter of this name. */
export function isRead(key: string): boolean {
  return read.has(key);
}

/** A parameter as it stands in the address. */
function given(search: Record<string, unknown>, key: string): unknown {
  read.add(key);
  return search[key];
}

/** What is wrong with the parameters of an address of which a page's `taken` are not the same, a sentence each. */
export function leftOutOf(query: string, taken: Readonly<Record<string, unknown>>): string[] {
  return Object.entries(parseSearch(query)).flatMap(([key, value]) => {
    const text = Array.isArray(value) ? value.join(", ") : value;
    if (text === "" || key in taken || OFF.has(text)) return [];
    const shown = text.length > MOST_SHOWN ? `${text.slice(0, MOST_SHOWN)}…` : text;
    return isRead(key)
      ? [`“${shown}” is no ${key}; it was left out.`]
      : [`This page has no “${key}” to choose by; “${shown}” was left out.`];
  });
}

const MOST_SHOWN = 60;
/** Words that switch a flag off, which is as if it were not there. */
const OFF: ReadonlySet<string> = new Set(["0", "false"]);

/** One text parameter; undefined where it is missing or empty. */
export function textParam(search: Record<string, unknown>, key: string): string | undefined {
  const value = given(search, key);
  const first: unknown = Array.isArray(value) ? value[0] : value;
  return typeof first === "string" && first !== "" ? first : undefined;
}

export function listParam(search: Record<string, unknown>, key: string): string[] | undefined {
  const value = given(search, key);
  const all: unknown[] = Array.isArray(value) ? value : [value];
  const texts = all.filter((one): one is string => typeof one === "string" && one !== "");
  return texts.length > 0 ? texts : undefined;
}

/** A parameter out of a closed list; undefined for anything else. */
export function choiceParam<const T extends string>(
  search: Record<string, unknown>,
  key: string,
  choices: readonly T[],
): T | undefined {
  const value = textParam(search, key);
  return choices.find((choice) => choice === value);
}

export function flagParam(search: Record<string, unknown>, key: string): true | undefined {
  const value = given(search, key);
  return value === "1" || value === "true" || value === true ? true : undefined;
}

/** A whole number from 0 up to 2^31-1. */
export function numberParam(search: Record<string, unknown>, key: string): number | undefined {
  const value = given(search, key);
  const text = typeof value === "number" ? String(value) : textParam(search, key);
  return text !== undefined && /^(0|[1-9][0-9]{0,9})$/.test(text) ? Number(text) : undefined;
}
