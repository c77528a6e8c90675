import { expect, it } from "vitest";

import type { ChainEvent } from "../../verify/check";
import { EventTable } from "../../verify/eventTable";
import { causeOf } from "./cause";
import { CardTable } from "./events";

function cards(...events: readonly (readonly [type: string, summary: string])[]): CardTable {
  const all = events.map(([type, summary], seq): ChainEvent => ({
    seq,
    type,
    summary,
    payloadHash: "",
    prevHash: "",
    hash: "",
    createdAt: "2026-11-30T10:00:00.000Z",
  }));
  return new CardTable(EventTable.of(all));
}

const INTAKE = ["INTAKE", ""] as const;

it.each([
  [
    "failed",
    [
      ["TOOL_RESULT", "tool=a status=error"],
      ["ERROR", "stage=tool class=ValueError"],
      ["ABORT", "status=failed"],
    ],
    2,
    "error: ValueError",
  ],
  [
    "refused",
    [
      ["GUARD", "guard=pii decision=deny"],
      ["PROGRESS", ""],
      ["ABORT", "status=refused reason=guard"],
    ],
    1,
    "guard pii: denied",
  ],
  [
    "exhausted",
    [
      ["BUDGET", "budget=steps outcome=exhausted"],
      ["ABORT", "status=exhausted"],
    ],
    1,
    "budget: budget exhausted",
  ],
  ["failed", [["ABORT", "status=failed reason=uncommitted"]], 1, "abort failed: uncommitted"],
] as const)("a turn that %s says why", (status, events, seq, words) => {
  expect(causeOf(cards(INTAKE, ...events), status)).toMatchObject({ seq, place: seq, words });
});

it("one whose process was lost says so, whatever had gone wrong before", () => {
  const lost = cards(
    INTAKE,
    ["TOOL_RESULT", "status=error"],
    ["TOOL_CALL", "tool=a"],
    ["ABORT", "status=interrupted reason=lease_expired"],
  );
  expect(causeOf(lost, "interrupted")).toMatchObject({
    seq: 3,
    words: "its process gave no sign of life until its claim ran out",
  });
  expect(causeOf(cards(INTAKE), "interrupted")).toBeNull();
});

it("one that ended well, or goes on, has no cause", () => {
  expect(causeOf(cards(INTAKE, ["TOOL_RESULT", "status=error"]), "completed")).toBeNull();
  expect(causeOf(cards(INTAKE), "running")).toBeNull();
  expect(causeOf(cards(INTAKE), "failed")).toBeNull();
});
