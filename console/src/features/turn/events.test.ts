import { describe, expect, it } from "vitest";

import type { ChainEvent } from "../../verify/check";
import { EventTable, packEvents } from "../../verify/eventTable";
import { CardTable } from "./events";

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
