import { describe, expect, it } from "vitest";

import type { CallCost, Step } from "../../api/types";
import type { ChainEvent } from "../../verify/check";
import { EventTable, packEvents } from "../../verify/eventTable";
import { CardTable } from "./events";
import { StepTable } from "./steps";

function event(seq: number, type = "PROGRESS", summary = "", second = seq): ChainEvent {
  const createdAt = new Date(1_790_000_000_000 + second * 1000).toISOString();
  const mark = seq.toString(16);
  return { seq, type, payloadHash: `p${mark}`, summary, prevHash: `v${mark}`, hash: `h${mark}`, createdAt };
}

describe("events packed into one text", () => {
  const events = [event(0, "INTAKE", "é|𝄞"), event(1, "", ""), event(2, "COMMIT", "status=completed")];
  const table = new EventTable(structuredClone(packEvents(events)));
  it("come out as they went in, also across a worker's border", () => {
    expect([0, 1, 2].map((place) => table.at(place))).toEqual(events);
    expect(table.length).toBe(3);
  });
  it("end at both ends", () => {
    expect(table.at(3)).toBeUndefined();
    expect(table.at(-1)).toBeUndefined();
    expect(table.moment(-1)).toBeNaN();
  });
  it("are found by their number also where an altered journal has them at another place", () => {
    expect(table.placeOf(2)).toBe(2);
    expect(EventTable.of([event(0), event(2), event(7)]).placeOf(7)).toBe(2);
    expect(table.placeOf(9)).toBe(-1);
  });
});

describe("cards", () => {
  it("know the time since the event before", () => {
    const cards = new CardTable(
      EventTable.of([event(0), event(1, "PROGRESS", "", 90), { ...event(2), createdAt: "?" }]),
    );
    expect([0, 1, 2].map((place) => cards.at(place)?.gapMs)).toEqual([null, 90_000, null]);
  });
  it("know the call before in the same role", () => {
    const calls = ["primary", "fast", "primary"].map((role, seq) => event(seq, "MODEL_CALL", `role=${role}`));
    const cards = new CardTable(EventTable.of(calls));
    expect([0, 1, 2].map((place) => cards.callBefore(place))).toEqual([-1, -1, 0]);
  });
});

describe("steps of a journal", () => {
  const table = EventTable.of([
    event(0, "INTAKE"),
    event(1, "MODEL_CALL", "role=primary model=gpt-5 call=9"),
    event(2, "MODEL_RESULT", "call=1 status=ok model=gpt-5-0807 ms=12"),
    event(3, "TOOL_CALL", "tool=look%20up from=2"),
    event(4, "TOOL_CALL", "tool=other from=2"),
    event(5, "TOOL_RESULT", "call=4 status=error ms=x"),
    event(6, "TOOL_RESULT", "call=0 status=ok"),
  ]);
  const steps = new StepTable(table);
  it("are calls with the outcomes that name them", () => {
    expect(steps.all().map(({ intentSeq, outcomeSeq }) => [intentSeq, outcomeSeq])).toEqual([
      [1, 2],
      [3, null],
      [4, 5],
    ]);
    expect(steps.at(2)).toEqual({
      kind: "model",
      intentSeq: 1,
      outcomeSeq: 2,
      name: "gpt-5-0807",
      role: "primary",
      status: "ok",
      ms: 12,
      cost: null,
      doubt: null,
    });
    expect(steps.at(3)).toMatchObject({ kind: "tool", name: "look up", status: null, ms: null });
    expect(steps.at(4)?.ms).toBeNull();
  });
  it("are none where an event begins or ends nothing", () => {
    expect([0, 6, 7].map((place) => steps.at(place))).toEqual([undefined, undefined, undefined]);
  });
  it("have what the API says of them: cost, and what is known without an outcome", () => {
    const cost: CallCost = {
      state: "unpriced",
      amount: null,
      currency: null,
      reason: "no-model",
      provider: null,
      model: null,
      prices: "none",
      pricedAt: "2026-11-30T10:00:00Z",
      earlier: [],
    };
    const told = steps.all().map((step): Step => ({
      ...step,
      cost: step.intentSeq === 1 ? cost : null,
      doubt: step.intentSeq === 3 ? "in doubt: may have happened" : null,
    }));
    const cards = new CardTable(table, new Map(), told);
    expect(cards.at(2)?.step?.cost).toEqual(cost);
    expect(cards.at(3)?.step?.doubt).toBe("in doubt: may have happened");
    expect(cards.allSteps()).toHaveLength(3);
  });
});
