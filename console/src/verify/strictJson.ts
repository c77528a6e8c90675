// JSON as other people hand it to us, read without a second opinion; mirrors turnledger.wire.strict_json.
// A file that two readers could read differently is refused: a key given twice, NaN and Infinity, a number
// beyond the double's range, bytes that are not UTF-8.  Nothing here recurses.

export const MAX_DEPTH = 500;

/** A number that is no integer a double holds exactly: its text, so that `3.0` is not taken for `3`. */
export class NumberText {
  constructor(readonly text: string) {}
}

export type JsonValue = null | boolean | string | number | NumberText | JsonValue[] | JsonObject;
export interface JsonObject {
  [key: string]: JsonValue;
}

/** The file is not strict JSON; the message completes "This file …". */
export class NotStrictError extends Error {}

const NUMBER = /-?(?:0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?/y;
// eslint-disable-next-line no-control-regex -- a string ends at its quote, an escape, or a forbidden control
const PLAIN = /[^"\\\u0000-\u001f]*/y;
const WORDS = [
  ["true", true],
  ["false", false],
  ["null", null],
] as const;
const ESCAPES: Readonly<Record<string, string>> = {
  '"': '"',
  "\\": "\\",
  "/": "/",
  b: "\b",
  f: "\f",
  n: "\n",
  r: "\r",
  t: "\t",
};

/** The value of a JSON text in UTF-8.  Throws NotStrictError. */
export function parseStrict(bytes: Uint8Array): JsonValue {
  let text: string;
  try {
    text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw new NotStrictError("is not UTF-8");
  }
  return parseStrictText(text);
}

export function parseStrictText(text: string): JsonValue {
  return new Parser(text).run();
}

interface Frame {
  readonly container: JsonValue[] | JsonObject;
  key: string;
}

class Parser {
  private at = 0;

  constructor(private readonly text: string) {}

  run(): JsonValue {
    const stack: Frame[] = [];
    for (;;) {
      let value = this.open(stack);
      if (value === undefined) continue;
      // A value is complete: put it where it belongs, and close what ends behind it.
      for (;;) {
        const frame = stack.at(-1);
        if (frame === undefined) {
          this.skip();
          if (this.at < this.text.length) this.bad("something behind its end");
          return value;
        }
        put(frame, value);
        if (this.goesOn(frame)) break;
        value = frame.container;
        stack.pop();
      }
    }
  }

  /** Start the next value: a scalar, an empty container, or undefined where a container was opened. */
  private open(stack: Frame[]): JsonValue | undefined {
    this.skip();
    const first = this.text[this.at];
    if (first === '"') return this.string();
    if (first !== "{" && first !== "[") return this.word();
    if (stack.length >= MAX_DEPTH) throw new NotStrictError(`is nested more than ${MAX_DEPTH} deep`);
    this.at += 1;
    this.skip();
    if (this.text[this.at] === (first === "{" ? "}" : "]")) {
      this.at += 1;
      return first === "{" ? {} : [];
    }
    const frame: Frame = { container: first === "{" ? {} : [], key: "" };
    stack.push(frame);
    if (first === "{") this.readKey(frame);
    return undefined;
  }

  /** Behind a value inside `frame`: true where another one follows, false where the container ends. */
  private goesOn(frame: Frame): boolean {
    this.skip();
    const mark = this.text[this.at];
    const isList = Array.isArray(frame.container);
    if (mark === ",") {
      this.at += 1;
      if (!isList) this.readKey(frame);
      return true;
    }
    if (mark !== (isList ? "]" : "}")) this.bad("a value without a comma behind it");
    this.at += 1;
    return false;
  }

  private readKey(frame: Frame): void {
    this.skip();
    if (this.text[this.at] !== '"') this.bad("a key that is no string");
    frame.key = this.string();
    if (Object.hasOwn(frame.container, frame.key)) {
      throw new NotStrictError("has an object with the same key twice");
    }
    this.skip();
    if (this.text[this.at] !== ":") this.bad("a key without a colon behind it");
    this.at += 1;
  }

  private word(): JsonValue {
    for (const [word, value] of WORDS) {
      if (this.text.startsWith(word, this.at)) {
        this.at += word.length;
        return value;
      }
    }
    NUMBER.lastIndex = this.at;
    const match = NUMBER.exec(this.text);
    if (match === null) return this.bad("no value");
    this.at = NUMBER.lastIndex;
    const number = Number(match[0]);
    const isInteger = match[1] === undefined && match[2] === undefined;
    if (!isInteger && !Number.isFinite(number)) {
      throw new NotStrictError("has a number beyond the range of a double");
    }
    return isInteger && Number.isSafeInteger(number) ? number : new NumberText(match[0]);
  }

  private string(): string {
    this.at += 1;
    let made = "";
    for (;;) {
      PLAIN.lastIndex = this.at;
      PLAIN.test(this.text);
      const end = PLAIN.lastIndex;
      made += this.text.slice(this.at, end);
      this.at = end;
      const mark = this.text[end];
      if (mark === '"') {
        this.at += 1;
        return made;
      }
      if (mark !== "\\") this.bad("a string that does not end");
      made += this.escape();
    }
  }

  private escape(): string {
    const letter = this.text[this.at + 1] ?? "";
    if (letter === "u") {
      const digits = this.text.slice(this.at + 2, this.at + 6);
      if (!/^[0-9a-fA-F]{4}$/.test(digits)) this.bad("an escape that is none");
      this.at += 6;
      return String.fromCharCode(Number.parseInt(digits, 16));
    }
    const plain = Object.hasOwn(ESCAPES, letter) ? ESCAPES[letter] : undefined;
    if (plain === undefined) return this.bad("an escape that is none");
    this.at += 2;
    return plain;
  }

  private skip(): void {
    for (;;) {
      const code = this.text.charCodeAt(this.at);
      if (code !== 32 && code !== 10 && code !== 13 && code !== 9) return;
      this.at += 1;
    }
  }

  private bad(what: string): never {
    throw new NotStrictError(`is not JSON: ${what} at character ${this.at}`);
  }
}

function put(frame: Frame, value: JsonValue): void {
  if (Array.isArray(frame.container)) frame.container.push(value);
  else if (frame.key === "__proto__") {
    Object.defineProperty(frame.container, frame.key, {
      value,
      enumerable: true,
      writable: true,
      configurable: true,
    });
  } else frame.container[frame.key] = value;
}

export function isObject(value: JsonValue | undefined): value is JsonObject {
  return (
    typeof value === "object" && value !== null && !Array.isArray(value) && !(value instanceof NumberText)
  );
}
