import { describe, expect, it } from "vitest";

import { flagsOf } from "./Flags";

function words(detail: Record<string, unknown>): string[] {
  return flagsOf(detail).map((flag) => flag.word);
}

describe("flags of a detail record", () => {
  it("names every part that is not as it was", () => {
    const slots = { supplied: { lossy: true }, "attachment-0": { bytes: 2 } };
    const rest = { truncated: ["tags", "guard"], flags: ["cut"], usageFlags: ["partial"] };
    expect(words({ lossy: true, slots, ...rest })).toEqual([
      "lossy",
      "lossy: supplied",
      "detail cut: tags, guard",
      "cut",
      "usage partial",
    ]);
  });

  it("passes over what is in another form", () => {
    const odd = { lossy: "yes", slots: [null, 7], truncated: {}, flags: "cut", usageFlags: [1, null] };
    expect(words(odd)).toEqual([]);
    expect(words({})).toEqual([]);
  });
});
