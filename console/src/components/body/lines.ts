// A body as lines for the screen, found in one pass over its bytes and kept in flat arrays: a body of 50 MB
// costs some bytes a line, and nothing is copied until a line is shown.  Nothing here recurses, and no
// number is read.

/** Longest stretch of a string, or of a text's line, that one line of the screen holds, in bytes. */
export const PIECE = 1000;
/** Pieces of a string beyond which it is folded at first, and depth from which on objects and lists are. */
const LONG_STRING = 8;
const DEEP = 24;

export const Kind = {
  Text: 0,
  Open: 1,
  Close: 2,
  Scalar: 3,
  /** First piece of a string that takes several lines; the others are of kind Piece. */
  Head: 4,
  Piece: 5,
  Hex: 6,
} as const;
export type Kind = (typeof Kind)[keyof typeof Kind];

const KINDS: readonly Kind[] = Object.values(Kind);

export type Form = "json" | "text" | "binary";

/** Lines of one body; all positions are byte offsets, `match` is the last line of what a line opens. */
export interface Lines {
  readonly form: Form;
  readonly count: number;
  readonly keyStart: Uint32Array;
  readonly keyEnd: Uint32Array;
  readonly start: Uint32Array;
  readonly end: Uint32Array;
  readonly depth: Uint32Array;
  readonly match: Uint32Array;
  readonly items: Uint32Array;
  readonly kind: Uint8Array;
  readonly comma: Uint8Array;
  /** Lines that are folded at first. */
  readonly folded: readonly number[];
}

class Columns {
  private size = 1024;
  count = 0;
  keyStart = new Uint32Array(this.size);
  keyEnd = new Uint32Array(this.size);
  start = new Uint32Array(this.size);
  end = new Uint32Array(this.size);
  depth = new Uint32Array(this.size);
  match = new Uint32Array(this.size);
  items = new Uint32Array(this.size);
  kind = new Uint8Array(this.size);
  comma = new Uint8Array(this.size);
  folded: number[] = [];

  add(kind: Kind, start: number, end: number, depth: number, keyStart = 0, keyEnd = 0): number {
    if (this.count === this.size) this.grow();
    const line = this.count;
    this.count += 1;
    this.kind[line] = kind;
    this.start[line] = start;
    this.end[line] = end;
    this.depth[line] = depth;
    this.keyStart[line] = keyStart;
    this.keyEnd[line] = keyEnd;
    this.match[line] = line;
    return line;
  }

  private grow(): void {
    this.size *= 2;
    this.keyStart = grown(this.keyStart, this.size);
    this.keyEnd = grown(this.keyEnd, this.size);
    this.start = grown(this.start, this.size);
    this.end = grown(this.end, this.size);
    this.depth = grown(this.depth, this.size);
    this.match = grown(this.match, this.size);
    this.items = grown(this.items, this.size);
    const kind = new Uint8Array(this.size);
    kind.set(this.kind);
    this.kind = kind;
    const comma = new Uint8Array(this.size);
    comma.set(this.comma);
    this.comma = comma;
  }

  lines(form: Form): Lines {
    const { count, keyStart, keyEnd, start, end, depth, match, items, kind, comma, folded } = this;
    return { form, count, keyStart, keyEnd, start, end, depth, match, items, kind, comma, folded };
  }
}

function grown(old: Uint32Array, size: number): Uint32Array<ArrayBuffer> {
  const made = new Uint32Array(size);
  made.set(old);
  return made;
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const COLON = 0x3a;

/** The best form of a body: JSON where it is, text where it is UTF-8 without controls, else bytes. */
export function layout(bytes: Uint8Array, asText = false): Lines {
  if (!asText) {
    const json = layoutJson(bytes);
    if (json !== null) return json;
  }
  return isText(bytes) ? layoutText(bytes) : layoutHex(bytes);
}

function isText(bytes: Uint8Array): boolean {
  const sample = bytes.subarray(0, 65_536);
  return !sample.includes(0);
}

export function layoutText(bytes: Uint8Array): Lines {
  const columns = new Columns();
  let at = 0;
  do {
    let stop = bytes.indexOf(10, at);
    if (stop < 0) stop = bytes.length;
    do {
      const end = pieceEnd(bytes, at, stop);
      columns.add(Kind.Text, at, end, 0);
      at = end;
    } while (at < stop);
    at = stop + 1;
  } while (at < bytes.length);
  return columns.lines("text");
}

const HEX_BYTES = 16;

export function layoutHex(bytes: Uint8Array): Lines {
  const columns = new Columns();
  for (let at = 0; at < bytes.length; at += HEX_BYTES) {
    columns.add(Kind.Hex, at, Math.min(at + HEX_BYTES, bytes.length), 0);
  }
  return columns.lines("binary");
}

/** Where a piece that starts at `at` ends: at most PIECE bytes on, and never inside a character. */
function pieceEnd(bytes: Uint8Array, at: number, stop: number): number {
  if (stop - at <= PIECE) return stop;
  let end = at + PIECE;
  while (end > at + PIECE - 4 && ((bytes[end] ?? 0) & 0xc0) === 0x80) end -= 1;
  return end;
}

/** JSON's lines; null where it is none, or two values. */
export function layoutJson(bytes: Uint8Array): Lines | null {
  return new JsonLayout(bytes).run();
}

class JsonLayout {
  private at = 0;
  private readonly columns = new Columns();
  /** Lines that opened what is not closed yet. */
  private readonly open: number[] = [];
  private keyStart = 0;
  private keyEnd = 0;

  constructor(private readonly bytes: Uint8Array) {}

  run(): Lines | null {
    if (this.peek() !== 0x7b && this.peek() !== 0x5b) return null;
    for (;;) {
      const opened = this.value();
      if (opened === null) return null;
      if (opened) continue;
      const more = this.behindValue();
      if (more === null) return null;
      if (more === "end") break;
    }
    this.skip();
    return this.at === this.bytes.length ? this.columns.lines("json") : null;
  }

  /** Take a value: true where it opened something that is not empty, null where there is none. */
  private value(): boolean | null {
    const mark = this.peek();
    const depth = this.open.length;
    const from = this.at;
    if (mark !== 0x7b && mark !== 0x5b) return this.scalar(mark, from, depth);
    this.at += 1;
    const close = mark === 0x7b ? 0x7d : 0x5d;
    if (this.peek() === close) {
      this.at += 1;
      this.line(Kind.Scalar, from, this.at, depth);
      return false;
    }
    const line = this.line(Kind.Open, from, from + 1, depth);
    if (depth >= DEEP) this.columns.folded.push(line);
    this.open.push(line);
    if (mark === 0x7b && !this.key()) return null;
    return true;
  }

  private scalar(mark: number, from: number, depth: number): false | null {
    if (mark === QUOTE) {
      if (!this.string()) return null;
      this.stringLines(from, depth);
      return false;
    }
    while (isWordByte(this.bytes[this.at] ?? 0)) this.at += 1;
    const word = this.at - from;
    if (word === 0 || !isWord(this.bytes.subarray(from, Math.min(this.at, from + 8)), word)) return null;
    this.line(Kind.Scalar, from, this.at, depth);
    return false;
  }

  private stringLines(from: number, depth: number): void {
    const stop = this.at;
    if (stop - from <= PIECE) {
      this.line(Kind.Scalar, from, stop, depth);
      return;
    }
    let end = pieceEnd(this.bytes, from, stop);
    const head = this.line(Kind.Head, from, end, depth);
    let last = head;
    let pieces = 1;
    while (end < stop) {
      const start = end;
      end = pieceEnd(this.bytes, start, stop);
      last = this.columns.add(Kind.Piece, start, end, depth + 1);
      pieces += 1;
    }
    this.columns.match[head] = last;
    this.columns.items[head] = stop - from;
    if (pieces > LONG_STRING) this.columns.folded.push(head);
  }

  /** What stands behind a value: closes what ends there; null where it is wrong. */
  private behindValue(): "more" | "end" | null {
    for (;;) {
      const opener = this.open.at(-1);
      if (opener === undefined) return "end";
      this.columns.items[opener] = (this.columns.items[opener] ?? 0) + 1;
      const isObject = this.bytes[this.columns.start[opener] ?? 0] === 0x7b;
      const mark = this.peek();
      if (mark === COMMA) {
        this.columns.comma[this.columns.count - 1] = 1;
        this.at += 1;
        return isObject && !this.key() ? null : "more";
      }
      if (mark !== (isObject ? 0x7d : 0x5d)) return null;
      const depth = this.open.length - 1;
      const close = this.columns.add(Kind.Close, this.at, this.at + 1, depth);
      this.columns.match[opener] = close;
      this.at += 1;
      this.open.pop();
    }
  }

  private key(): boolean {
    if (this.peek() !== QUOTE) return false;
    this.keyStart = this.at;
    if (!this.string()) return false;
    this.keyEnd = this.at;
    if (this.peek() !== COLON) return false;
    this.at += 1;
    return true;
  }

  private string(): boolean {
    let end = this.at;
    for (;;) {
      end = this.bytes.indexOf(QUOTE, end + 1);
      if (end < 0) return false;
      let slashes = 0;
      while (this.bytes[end - 1 - slashes] === BACKSLASH) slashes += 1;
      if (slashes % 2 === 0) break;
    }
    this.at = end + 1;
    return true;
  }

  private line(kind: Kind, start: number, end: number, depth: number): number {
    const line = this.columns.add(kind, start, end, depth, this.keyStart, this.keyEnd);
    this.keyStart = this.keyEnd = 0;
    return line;
  }

  private peek(): number {
    this.skip();
    return this.bytes[this.at] ?? 0;
  }

  private skip(): void {
    for (;;) {
      const byte = this.bytes[this.at];
      if (byte !== 32 && byte !== 10 && byte !== 13 && byte !== 9) return;
      this.at += 1;
    }
  }
}

/** Digits, letters, sign, point: what numbers and the three words are made of. */
function isWordByte(byte: number): boolean {
  return (
    (byte >= 0x30 && byte <= 0x39) ||
    (byte >= 0x61 && byte <= 0x7a) ||
    byte === 0x2b ||
    byte === 0x2d ||
    byte === 0x2e ||
    byte === 0x45
  );
}

function isWord(beginning: Uint8Array, length: number): boolean {
  const first = beginning[0] ?? 0;
  if (first === 0x2d || (first >= 0x30 && first <= 0x39)) return true;
  const word = String.fromCharCode(...beginning);
  return length === word.length && ["true", "false", "null"].includes(word);
}

// --- one line as text -------------------------------------------------------------------------------

export interface Row {
  readonly line: number;
  readonly kind: Kind;
  readonly depth: number;
  /** With its quotes; empty for an item of a list. */
  readonly key: string;
  readonly text: string;
  /** Last line of what this one opens; the line itself where it opens nothing. */
  readonly match: number;
  /** How many items an object or list has; how many bytes a string that is longer than a line. */
  readonly items: number;
  /** What closes it, with the comma behind: shown where it is folded. */
  readonly tail: string;
}

const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
const KEY_SHOWN = 400;

export function rowOf(bytes: Uint8Array, lines: Lines, line: number): Row {
  const kind = KINDS[lines.kind[line] ?? Kind.Text] ?? Kind.Text;
  const start = lines.start[line] ?? 0;
  const end = lines.end[line] ?? 0;
  const match = lines.match[line] ?? line;
  const keyStart = lines.keyStart[line] ?? 0;
  const keyEnd = lines.keyEnd[line] ?? 0;
  const isCut = keyEnd - keyStart > KEY_SHOWN;
  const key = decoder.decode(bytes.subarray(keyStart, isCut ? keyStart + KEY_SHOWN : keyEnd));
  const tail = kind === Kind.Open || kind === Kind.Head ? tailOf(bytes, lines, match, kind) : "";
  const text = kind === Kind.Hex ? hexText(bytes, start, end) : decoder.decode(bytes.subarray(start, end));
  return {
    line,
    kind,
    depth: lines.depth[line] ?? 0,
    key: isCut ? `${key}…"` : key,
    text: text + (lines.comma[line] === 1 ? "," : ""),
    match,
    items: lines.items[line] ?? 0,
    tail,
  };
}

function tailOf(bytes: Uint8Array, lines: Lines, match: number, kind: Kind): string {
  const comma = lines.comma[match] === 1 ? "," : "";
  if (kind === Kind.Head) return `"${comma}`;
  return decoder.decode(bytes.subarray(lines.start[match] ?? 0, lines.end[match] ?? 0)) + comma;
}

function hexText(bytes: Uint8Array, start: number, end: number): string {
  const part = bytes.subarray(start, end);
  const hex = Array.from(part, (byte) => byte.toString(16).padStart(2, "0")).join(" ");
  const shown = Array.from(part, (byte) => (byte >= 32 && byte < 127 ? String.fromCharCode(byte) : "·")).join(
    "",
  );
  return `${start.toString(16).padStart(8, "0")}  ${hex.padEnd(HEX_BYTES * 3)} ${shown}`;
}

/** The first line from `from` on that holds `needle` (bytes), going round at the end; -1 where none does. */
export function findLine(bytes: Uint8Array, lines: Lines, needle: Uint8Array, from: number): number {
  const first = needle[0];
  if (first === undefined || lines.count === 0) return -1;
  const begin = from < lines.count ? (lines.start[from] ?? 0) : 0;
  const place = indexOf(bytes, needle, begin);
  const found = place >= 0 ? place : indexOf(bytes, needle, 0);
  return found < 0 ? -1 : lineAt(lines, found);
}

function indexOf(bytes: Uint8Array, needle: Uint8Array, from: number): number {
  const first = needle[0] ?? 0;
  for (let at = bytes.indexOf(first, from); at >= 0; at = bytes.indexOf(first, at + 1)) {
    let same = 1;
    while (same < needle.length && bytes[at + same] === needle[same]) same += 1;
    if (same === needle.length) return at;
  }
  return -1;
}

/** The line that shows the byte at `place`: the last one that starts at it or before. */
function lineAt(lines: Lines, place: number): number {
  let low = 0;
  let high = lines.count - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    const keyStart = lines.keyStart[middle] ?? 0;
    const start = lines.keyEnd[middle] === 0 ? (lines.start[middle] ?? 0) : keyStart;
    if (start <= place) low = middle;
    else high = middle - 1;
  }
  return low;
}
