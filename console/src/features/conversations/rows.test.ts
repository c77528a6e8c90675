import { describe, expect, it } from "vitest";

import type { Entry, Turn } from "../../api/types";
import { difference } from "./difference";
import { isProblem, namedBy, rowsOf } from "./rows";

const TURN = "01890a5d-ac96-774b-bcce-b302099a8057";
let position = 0;

function entry(
  type: string,
  seq: number,
  tokens: Record<string, string> = {},
  more: Partial<Entry> = {},
): Entry {
  position += 1;
  const isOfTurn = !["MESSAGE", "VERDICT", "TURN_OPENED", "TURN_CLOSED", "SHED"].includes(type);
  return {
    eventId: `e${position}`,
    journal: isOfTurn ? "turn" : "conversation",
    journalId: isOfTurn ? TURN : "c",
    agentId: "a",
    conversationId: "c",
    turnId: isOfTurn ? TURN : null,
    seq,
    position,
    cursor: "",
    type,
    createdAt: "2026-11-30T12:00:00.000Z",
    gapMs: null,
    summary: "",
    tokens,
    assurance: "write_ahead",
    payloadHash: "",
    hash: "",
    detail: {},
    bodies: [],
    preview: null,
    ...more,
  };
}

function turn(status: Turn["status"]): Turn {
  return {
    id: TURN,
    agentId: "a",
    agentName: "support",
    conversationId: "c",
    ordinal: 7,
    status,
    errorClass: null,
    trigger: "1",
    openedAt: "",
    closedAt: null,
    ms: null,
    events: 0,
    modelCalls: 0,
    toolCalls: 0,
    openSteps: 0,
    errors: 0,
    tokens: { in: null, out: null, cacheRead: null, cacheWrite: null, reasoning: null },
    cost: { amounts: [], priced: 0, unpriced: 0, unbilled: 0, reasons: {} },
    parentTurnId: null,
  };
}

function rows(
  entries: Entry[],
  status: Turn["status"] = "running",
  lifeless: string[] = [],
  before: string | null = null,
) {
  return rowsOf(
    { entries, turns: new Map([[TURN, turn(status)]]), before, isAtEnd: true },
    new Set(lifeless),
  );
}

describe("rows of a flow", () => {
  it("hold what directly follows: a verdict, an intake, an outcome, the end of a turn", () => {
    const shown = rows([
      entry("MESSAGE", 1, { direction: "inbound" }),
      entry("VERDICT", 2, { message: "1", verdict: "observe" }),
      entry("TURN_OPENED", 3, { turn: TURN, trigger: "1" }),
      entry("INTAKE", 0),
      entry("MODEL_CALL", 1),
      entry("MODEL_RESULT", 2, { call: "1", status: "ok" }),
      entry("COMMIT", 3, { status: "completed" }),
      entry("TURN_CLOSED", 4, { turn: TURN, status: "completed" }),
    ]);
    expect(shown.map((row) => (row.kind === "flow" ? [row.bracket, row.entries.length] : row.kind))).toEqual([
      [null, 2],
      ["top", 2],
      ["inside", 2],
      ["bottom", 2],
    ]);
    expect(shown.some(isProblem)).toBe(false);
  });

  it("leave an outcome where it came, when something came between", () => {
    const result = entry("TOOL_RESULT", 5, { call: "3", status: "ok" });
    const shown = rows([entry("TOOL_CALL", 3), entry("APPROVAL", 4, { subject: "3" }), result]);
    expect(shown).toHaveLength(3);
    expect(shown[0]).toMatchObject({ outcome: result, doubt: null });
  });

  it("say what is known of a step without an outcome", () => {
    const doubt = (status: Turn["status"], lifeless: string[] = []) =>
      rows([entry("TOOL_CALL", 3)], status, lifeless)[0];
    expect(doubt("running")).toMatchObject({ doubt: "running", problem: null });
    expect(doubt("running", [TURN])).toMatchObject({ doubt: "no sign of life" });
    expect(doubt("interrupted")).toMatchObject({ problem: "in doubt: may have happened" });
  });

  it("name the tool calls that a model asked for and nobody ran, before the turn's end", () => {
    const asked = { requested: [{ tool: "lookup" }, { tool: "refund" }] };
    const shown = rows([
      entry("MODEL_RESULT", 2, { call: "1", status: "ok" }, { detail: asked }),
      entry("TOOL_CALL", 3, { from: "2", ordinal: "0" }),
      entry("TOOL_RESULT", 4, { call: "3", status: "ok" }),
      entry("COMMIT", 5, { status: "completed" }),
    ]);
    expect(shown.map((row) => row.kind)).toEqual(["flow", "flow", "unrun", "flow"]);
    expect(shown[2]).toMatchObject({ tool: "refund", ordinal: 1 });
  });

  it("begin with a row that keeps its key when older events come", () => {
    const stretch = [entry("MODEL_RESULT", 2, { call: "1", status: "ok" }), entry("PROGRESS", 3)];
    const [, progress] = stretch;
    expect(rows(stretch, "running", [], "older").map((row) => row.key)).toEqual([progress?.eventId]);
    const whole = rows([entry("MODEL_CALL", 1), ...stretch]);
    expect(whole.map((row) => row.key).at(-1)).toBe(progress?.eventId);
    expect(whole).toHaveLength(2);
  });

  it("press idle time together", () => {
    const shown = rows([
      entry("MESSAGE", 1),
      entry("SHED", 2, {}, { createdAt: "2026-11-30T12:41:00.000Z" }),
    ]);
    expect(shown.map((row) => row.kind)).toEqual(["flow", "idle", "flow"]);
    expect(shown[1]).toMatchObject({ ms: 41 * 60_000 });
  });
});

describe("what validation changed", () => {
  it("is told value by value, big integers included", () => {
    expect(difference('{"a":1}', '{"a":1}')).toEqual({ kind: "same" });
    expect(difference('{"b":2, "a":1}', '{"a":1,"b":2}')).toEqual({ kind: "spelling" });
    expect(difference('{"n":12345678901234567890,"x":[1]}', '{"n":12345678901234567891,"x":[1,2]}')).toEqual({
      kind: "changed",
      isCut: false,
      changes: [
        { path: "$.n", supplied: "12345678901234567890", validated: "12345678901234567891" },
        { path: "$.x[1]", supplied: null, validated: "2" },
      ],
    });
    expect(difference('{"n":', "{}").kind).toBe("unreadable");
  });

  it("finds what an event names by its place in a journal, in whichever numbering the row shows it", () => {
    const message = entry("MESSAGE", 6, { direction: "inbound" });
    const call = entry("TOOL_CALL", 6);
    const guard = entry("GUARD", 7);
    const result = entry("TOOL_RESULT", 8, { call: "6" });
    const late = entry("LATE", 7, { turn: TURN, call: "6" }, { journal: "conversation", journalId: "c" });
    const shed = entry("SHED", 8, { message: "6" });
    const beyond = entry("SHED", 9, { message: "3" });
    const entries = [message, call, guard, result, late, shed, beyond];
    const found = rowsOf({ entries, turns: new Map(), before: null, isAtEnd: true }).map((row) =>
      row.kind !== "flow"
        ? null
        : (namedBy(row, row.entries[0], "call") ?? namedBy(row, row.entries[0], "message")),
    );
    expect(found).toEqual([null, null, null, call, call, message, null]);
  });
});
