import { describe, expect, it } from "vitest";

import { cacheWords, inputOf, outputOf, tokenFlow } from "./tokenSums";

const NONE = { in: null, cacheRead: null, cacheWrite: null, out: null, reasoning: null };

describe("tokens as people count them", () => {
  it("counts all input and all output", () => {
    const of = { in: 180, cacheRead: 1024, cacheWrite: 6, out: 88, reasoning: 12 };
    expect([inputOf(of), outputOf(of)]).toEqual([1210, 100]);
    expect(tokenFlow(of)).toBe("1,210 → 100");
    expect(cacheWords(of)).toBe("1,024 of it from cache, 6 written to it");
  });

  it("takes what nobody reported for unknown, not for 0", () => {
    expect([inputOf(NONE), outputOf(NONE), tokenFlow(NONE), cacheWords(NONE)]).toEqual([
      null,
      null,
      "? → ?",
      "",
    ]);
    expect(inputOf({ ...NONE, cacheRead: 0 })).toBe(0);
    expect(cacheWords({ ...NONE, cacheWrite: 5 })).toBe("5 written to cache");
  });
});
