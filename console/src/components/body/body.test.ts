import { describe, expect, it } from "vitest";

import { Folds } from "./folds";
import { findLine, Kind, layout, layoutJson, layoutText, PIECE, rowOf } from "./lines";

const encode = (text: string): Uint8Array => new TextEncoder().encode(text);

function shown(text: string): string[] {
  const bytes = encode(text);
  const lines = layout(bytes);
  return Array.from({ length: lines.count }, (_, line) => {
    const row = rowOf(bytes, lines, line);
    return `${" ".repeat(row.depth)}${row.key}${row.key === "" ? "" : ": "}${row.text}`;
  });
}

describe("JSON as lines", () => {
  it("D05: digits are those that were recorded", () => {
    expect(
      shown('{"order_id": 912345678901234567,"big":123456789012345678901234567890, "f":[1.0,1e-7]}'),
    ).toEqual([
      "{",
      ' "order_id": 912345678901234567,',
      ' "big": 123456789012345678901234567890,',
      ' "f": [',
      "  1.0,",
      "  1e-7",
      " ]",
      "}",
    ]);
  });
  it("D07: half a surrogate pair stays the escape that it was", () => {
    expect(shown('["ok \\ud83d", "\\\\", "a\\"b"]')).toEqual([
      "[",
      ' "ok \\ud83d",',
      ' "\\\\",',
      ' "a\\"b"',
      "]",
    ]);
  });
  it("D08: depth overflows nothing, and what is deep is folded", () => {
    const deep = encode("[".repeat(20_000) + "]".repeat(20_000));
    const lines = layoutJson(deep);
    expect(lines?.count).toBe(39_999);
    expect(lines?.folded[0]).toBe(24);
    expect(lines?.match[0]).toBe(39_998);
  });
  it("R01: a string of megabytes is many short lines, folded", () => {
    const bytes = encode(JSON.stringify({ image: `data:image/png;base64,${"A".repeat(2_000_000)}` }));
    const lines = layout(bytes);
    const longest = Math.max(
      ...Array.from({ length: lines.count }, (_, line) => rowOf(bytes, lines, line).text.length),
    );
    expect(longest).toBeLessThanOrEqual(PIECE + 1);
    expect(lines.folded).toEqual([1]);
    expect(lines.kind[1]).toBe(Kind.Head);
  });
  it("is text where it is not JSON", () => {
    for (const text of ["{", "[1,]", '{"a" 1}', "[1] 2", "[tru]", "hello", '{"a":1', '["', "[nullx]"]) {
      expect(layout(encode(text)).form, text).toBe("text");
    }
    expect(shown("")).toEqual([""]);
    expect(shown("[]")).toEqual(["[]"]);
    expect(layout(new Uint8Array([1, 0, 255])).form).toBe("binary");
  });
  it("does not cut a character in two", () => {
    const text = "é".repeat(PIECE);
    const bytes = encode(text);
    const lines = layoutText(bytes);
    const rows = Array.from({ length: lines.count }, (_, line) => rowOf(bytes, lines, line).text);
    expect(rows.join("")).toBe(text);
  });
  it("finds text from a line on, and goes round", () => {
    const bytes = encode('{"a": "needle", "b": 1, "c": "needle"}');
    const lines = layout(bytes);
    expect(findLine(bytes, lines, encode("needle"), 0)).toBe(1);
    expect(findLine(bytes, lines, encode("needle"), 2)).toBe(3);
    expect(findLine(bytes, lines, encode("needle"), 4)).toBe(1);
    expect(findLine(bytes, lines, encode("hay"), 0)).toBe(-1);
  });
});

describe("folds", () => {
  it("map rows to lines and back, inner ones inside outer ones included", () => {
    const folds = new Folds(
      20,
      new Map([
        [2, 5],
        [3, 4],
        [10, 12],
      ]),
    );
    expect(folds.rows).toBe(15);
    const lines = Array.from({ length: folds.rows }, (_, row) => folds.lineOf(row));
    expect(lines).toEqual([0, 1, 2, 6, 7, 8, 9, 10, 13, 14, 15, 16, 17, 18, 19]);
    lines.forEach((line, row) => {
      expect(folds.rowOf(line)).toBe(row);
    });
    expect(folds.rowOf(4)).toBe(2);
    expect(folds.rowOf(11)).toBe(7);
  });
});
