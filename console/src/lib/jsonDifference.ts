import { isObject, type JsonValue, NotStrictError, NumberText, parseStrictText } from "../verify/strictJson";

/** One place where two JSON texts differ; null: nothing stands there. */
export interface Difference {
  readonly path: string;
  readonly left: string | null;
  readonly right: string | null;
}

/** Most differences that are told. */
export const MOST = 100;

/**
 * Where two JSON texts differ in what they say, whatever their spelling of it; numbers are compared by their
 * digits.  null where one of them is no JSON.
 */
export function jsonDifferences(left: string, right: string): readonly Difference[] | null {
  try {
    return walk(parseStrictText(left), parseStrictText(right));
  } catch (error) {
    if (error instanceof NotStrictError) return null;
    throw error;
  }
}

function walk(left: JsonValue, right: JsonValue): Difference[] {
  const found: Difference[] = [];
  const queue: [string, JsonValue | undefined, JsonValue | undefined][] = [["$", left, right]];
  while (queue.length > 0 && found.length < MOST) {
    const [path, one, other] = queue.shift() ?? ["", undefined, undefined];
    if (Array.isArray(one) && Array.isArray(other)) {
      for (let at = 0; at < Math.max(one.length, other.length); at += 1) {
        queue.push([`${path}[${at}]`, one[at], other[at]]);
      }
    } else if (isObject(one) && isObject(other)) {
      for (const key of new Set([...Object.keys(one), ...Object.keys(other)])) {
        queue.push([`${path}.${key}`, own(one, key), own(other, key)]);
      }
    } else if (shown(one) !== shown(other)) {
      found.push({ path, left: shown(one), right: shown(other) });
    }
  }
  return found;
}

function own(value: Record<string, JsonValue>, key: string): JsonValue | undefined {
  return Object.hasOwn(value, key) ? value[key] : undefined;
}

function shown(value: JsonValue | undefined): string | null {
  if (value === undefined) return null;
  return JSON.stringify(value, (_, inner: unknown) =>
    inner instanceof NumberText ? `#${inner.text}` : inner,
  ).replace(/"#([-0-9.eE+]+)"/g, "$1");
}
