import {
  isObject,
  type JsonValue,
  NotStrictError,
  NumberText,
  parseStrictText,
} from "../../verify/strictJson";

export interface Change {
  /** Where: `$.order.id`. */
  readonly path: string;
  /** As JSON text; null: not there. */
  readonly supplied: string | null;
  readonly validated: string | null;
}

export type Difference =
  | { readonly kind: "same" }
  /** The same values, written otherwise. */
  | { readonly kind: "spelling" }
  | { readonly kind: "changed"; readonly changes: readonly Change[]; readonly isCut: boolean }
  /** The supplied text is no JSON; `why` completes "The supplied text …". */
  | { readonly kind: "unreadable"; readonly why: string };

const MOST = 50;
const SHOWN = 200;

/** What validation made of the arguments that the model wrote. */
export function difference(supplied: string, validated: string): Difference {
  if (supplied === validated) return { kind: "same" };
  let one: JsonValue;
  let other: JsonValue;
  try {
    one = parseStrictText(supplied);
    other = parseStrictText(validated);
  } catch (error) {
    if (error instanceof NotStrictError) return { kind: "unreadable", why: error.message };
    throw error;
  }
  const changes: Change[] = [];
  const waiting: [string, JsonValue | undefined, JsonValue | undefined][] = [["$", one, other]];
  while (waiting.length > 0 && changes.length <= MOST) {
    const next = waiting.shift();
    if (next === undefined) break;
    const [path, left, right] = next;
    const inside = children(path, left, right);
    if (inside !== null) waiting.push(...inside);
    else if (!isSame(left, right)) changes.push({ path, supplied: shown(left), validated: shown(right) });
  }
  if (changes.length === 0) return { kind: "spelling" };
  return { kind: "changed", changes: changes.slice(0, MOST), isCut: changes.length > MOST };
}

type Pair = [string, JsonValue | undefined, JsonValue | undefined];

/** The members of two values of one kind, side by side; null where they are no containers of one kind. */
function children(path: string, left: JsonValue | undefined, right: JsonValue | undefined): Pair[] | null {
  if (Array.isArray(left) && Array.isArray(right)) {
    const length = Math.max(left.length, right.length);
    return Array.from({ length }, (_, at): Pair => [`${path}[${at}]`, left[at], right[at]]);
  }
  if (isObject(left) && isObject(right)) {
    const keys = [...new Set([...Object.keys(left), ...Object.keys(right)])];
    return keys.map((key): Pair => [`${path}.${key}`, own(left, key), own(right, key)]);
  }
  return null;
}

function own(of: Readonly<Record<string, JsonValue>>, key: string): JsonValue | undefined {
  return Object.hasOwn(of, key) ? of[key] : undefined;
}

function isSame(left: JsonValue | undefined, right: JsonValue | undefined): boolean {
  if (left instanceof NumberText || right instanceof NumberText) return shown(left) === shown(right);
  return left === right;
}

function shown(value: JsonValue | undefined): string | null {
  if (value === undefined) return null;
  if (value instanceof NumberText) return value.text;
  if (Array.isArray(value)) return `a list of ${value.length}`;
  if (isObject(value)) return `an object of ${Object.keys(value).length}`;
  const text = JSON.stringify(value);
  return text.length > SHOWN ? `${text.slice(0, SHOWN)}…` : text;
}
