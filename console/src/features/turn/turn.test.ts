import { describe, expect, it } from "vitest";

import type { CheckedJournal } from "../../verify/check";
import { EventTable } from "../../verify/eventTable";
import type { Reason, Verdict } from "../../verify/verdict";
import { withVerdict } from "./fixtureText";
import { brokenAt, judge } from "./judgement";
import { place, stretches } from "./scale";

function checked(
  verdict: Verdict,
  reason: Reason,
  at: number,
  claim: CheckedJournal["claim"],
): CheckedJournal {
  return {
    form: "journal",
    kind: "turn",
    journalId: "",
    agentId: "",
    events: EventTable.of([]),
    bodyCount: null,
    bodies: {},
    claim,
    report: {
      verdict,
      reason,
      brokenAtSeq: at,
      warnings: [],
      events: 3,
      head: "",
      finalType: null,
      clockStepsBack: 0,
    },
  };
}

const says = (intact: boolean, verification: string, brokenAtSeq = -1): CheckedJournal["claim"] => ({
  intact,
  verification,
  brokenAtSeq,
});

describe("the browser's verdict beside the server's", () => {
  it("is sound only where both say so", () => {
    expect(judge(checked("intact", "ok", -1, says(true, "ok")))).toEqual({ kind: "sound" });
  });
  it("is broken where both found the same fault", () => {
    const judgement = judge(checked("broken", "hash", 1, says(false, "hash", 1)));
    expect(judgement).toEqual({ kind: "broken", at: 1, reason: "hash" });
    expect(brokenAt(judgement)).toBe(1);
  });
  it("is broken where the server found a fault in what stands beside the journal", () => {
    expect(judge(checked("intact", "ok", -1, says(false, "payload", 2)))).toEqual({
      kind: "broken",
      at: 2,
      reason: "payload",
    });
  });
  it.each([
    ["the server says intact", checked("broken", "hash", 1, says(true, "ok"))],
    ["another event", checked("broken", "hash", 1, says(false, "hash", 2))],
    ["another reason", checked("broken", "hash", 1, says(false, "seq", 1))],
    ["a fault of the chain that is not there", checked("intact", "ok", -1, says(false, "hash", 1))],
    ["a word that nobody knows", checked("intact", "ok", -1, says(false, "mistrust", 1))],
    ["intact, and there is nothing", checked("empty", "no-events", -1, says(true, "ok"))],
  ])("is a disagreement: %s", (_, journal) => {
    expect(judge(journal).kind).toBe("disagree");
  });
  it("is never green where there is nothing", () => {
    expect(judge(checked("empty", "no-events", -1, says(false, "no-events")))).toEqual({ kind: "empty" });
    expect(judge(checked("empty", "no-events", -1, null))).toEqual({ kind: "empty" });
  });
});

it("puts the verdict into a fixture and leaves every other character alone", () => {
  const text =
    '{"chain": {"clientVerified": null}, "events": [{"n": 912345678901234567, "clientVerified": null}]}';
  expect(withVerdict(text, true)).toBe(text.replace("null", "true"));
  expect(withVerdict(text, null)).toBe(text);
});

describe("time on a line", () => {
  it("squeezes idle stretches and keeps order", () => {
    const scale = stretches([
      [0, 100],
      [3_600_000, 3_600_100],
    ]);
    expect(scale.map((one) => one.idle)).toEqual([false, true, false]);
    const places = [0, 50, 100, 1_800_000, 3_600_000, 3_600_100].map((at) => place(scale, at));
    expect(places).toEqual([...places].sort((left, right) => left - right));
    expect(places[0]).toBe(0);
    expect(places[5]).toBe(1);
    expect((places[4] ?? 0) - (places[2] ?? 0)).toBeLessThan(0.1);
  });
  it("stands still for moments alone", () => {
    expect(stretches([[5, 5]]).length).toBe(1);
    expect(place([], 7)).toBe(1);
  });
});
