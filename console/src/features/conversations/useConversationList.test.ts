import { describe, expect, it } from "vitest";

import type { Conversation } from "../../api/types";
import type { ConversationList } from "./listQuery";
import { shownItems } from "./useConversationList";

function conversation(id: string, minute: number, turns = 1): Conversation {
  return {
    id,
    agentId: "a",
    agentName: "support",
    key: id,
    connector: "slack",
    shape: "dm",
    place: null,
    openedAt: "2026-11-30T12:00:00.000Z",
    lastAt: `2026-11-30T12:${String(minute).padStart(2, "0")}:00.000Z`,
    events: 1,
    turns,
    messages: 1,
    openTurns: 0,
    waitingTurns: 0,
    failedTurns: 0,
    owesReply: false,
    tokensIn: 0,
    tokensOut: 0,
    cost: { amounts: [], priced: 0, unpriced: 0, unbilled: 0, reasons: {} },
    lastMessage: null,
  };
}

function list(...items: Conversation[]): ConversationList {
  return { items, hasMore: false, next: null, damaged: null, liveCursor: "c" };
}

describe("a live list of conversations", () => {
  const pages = [list(conversation("b", 20), conversation("a", 10)), list(conversation("z", 1))];

  it("keeps its rows where they are, takes their news, and counts what waits", () => {
    const fresh = list(conversation("new", 31), conversation("a", 30, 2), conversation("b", 20));
    const shown = shownItems(pages, fresh);
    expect(shown.items.map((item) => [item.id, item.turns])).toEqual([
      ["b", 1],
      ["a", 2],
      ["z", 1],
    ]);
    expect(shown.waiting).toBe(1);
    expect(shown.isOutOfOrder).toBe(true);
  });

  it("shows a conversation once that moved up while pages were turned", () => {
    const shown = shownItems([...pages, list(conversation("b", 5))], null);
    expect(shown.items.map((item) => item.id)).toEqual(["b", "a", "z"]);
    expect(shown.isOutOfOrder).toBe(false);
    expect(shown.waiting).toBe(0);
  });
});
