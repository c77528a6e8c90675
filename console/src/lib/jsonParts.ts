// Stretches of a JSON text, found without reading a value: what is compared and shown is what was recorded.

export interface Member {
  /** Empty for an item of a list. */
  readonly key: string;
  /** The text of the value as it stands in the source. */
  readonly raw: string;
}

/** Members of the object or items of the list that a text is; null where it is neither, or is no JSON. */
export function partsOf(
  text: string,
): { readonly isList: boolean; readonly members: readonly Member[] } | null {
  const from = blank(text, 0);
  const isList = text[from] === "[";
  if (!isList && text[from] !== "{") return null;
  const members: Member[] = [];
  let at = blank(text, from + 1);
  if (text[at] === (isList ? "]" : "}")) return { isList, members };
  for (;;) {
    let key = "";
    if (!isList) {
      const end = text[at] === '"' ? stringEnd(text, at) : -1;
      if (end < 0) return null;
      key = stringValue(text.slice(at, end)) ?? "";
      at = blank(text, end);
      if (text[at] !== ":") return null;
      at = blank(text, at + 1);
    }
    const end = valueEnd(text, at);
    if (end < 0) return null;
    members.push({ key, raw: text.slice(at, end) });
    at = blank(text, end);
    if (text[at] === (isList ? "]" : "}")) return { isList, members };
    if (text[at] !== ",") return null;
    at = blank(text, at + 1);
  }
}

/** What a JSON string says; null where `raw` is no string. */
export function stringValue(raw: string): string | null {
  if (!raw.startsWith('"')) return null;
  try {
    const value: unknown = JSON.parse(raw);
    return typeof value === "string" ? value : null;
  } catch {
    return null;
  }
}

const BLANK = new Set([" ", "\n", "\r", "\t"]);

function blank(text: string, from: number): number {
  let at = from;
  while (BLANK.has(text[at] ?? "")) at += 1;
  return at;
}

function stringEnd(text: string, from: number): number {
  let at = from;
  for (;;) {
    at = text.indexOf('"', at + 1);
    if (at < 0) return -1;
    let slashes = 0;
    while (text[at - 1 - slashes] === "\\") slashes += 1;
    if (slashes % 2 === 0) return at + 1;
  }
}

/** Where the value that starts at `from` ends; -1 where none does.  Counts brackets, so depth costs nothing. */
function valueEnd(text: string, from: number): number {
  let depth = 0;
  let at = from;
  while (at < text.length) {
    const mark = text[at] ?? "";
    if (mark === '"') {
      at = stringEnd(text, at);
      if (at < 0) return -1;
      if (depth === 0) return at;
      continue;
    }
    if (mark === "{" || mark === "[") depth += 1;
    else if (mark === "}" || mark === "]") {
      if (depth === 0) return at > from ? at : -1;
      depth -= 1;
      if (depth === 0) return at + 1;
    } else if (depth === 0 && (mark === "," || BLANK.has(mark))) return at > from ? at : -1;
    at += 1;
  }
  return -1;
}
