import { describe, expect, it, vi } from "vitest";

import type { Flow as FlowType } from "./flow";

// The client takes the browser's fetch once, when it is loaded.
const answer = vi.fn<(request: Request) => Promise<Response>>();
vi.stubGlobal("fetch", answer);
const { Flow } = await import("./flow");

interface Page {
  before: string | null;
  hasMore: boolean;
  positions: number[];
}

/** A server that gives these pages in turn, and the queries that it was asked. */
function serve(...pages: Page[]): string[] {
  const asked: string[] = [];
  answer.mockImplementation((request) => {
    asked.push(new URL(request.url).search);
    const page = pages.shift();
    const body = {
      conversationId: "c",
      agentId: "a",
      entries: page?.positions.map((position) => ({ eventId: `e${position}`, position })),
      hasMore: page?.hasMore,
      before: page?.before,
      after: `after-${page?.positions.at(-1) ?? ""}`,
      total: 100,
      damaged: null,
      turns: [],
      names: {},
    };
    return Promise.resolve(
      new Response(JSON.stringify(body), { headers: { "Content-Type": "application/json" } }),
    );
  });
  return asked;
}

function positions(flow: FlowType): (number | null)[] | undefined {
  return flow.get().flow?.entries.map((entry) => entry.position);
}

describe("a flow", () => {
  it("loads older events once, whoever asks, and again as soon as they are there", async () => {
    const asked = serve(
      { positions: [8, 9], before: "b8", hasMore: true },
      { positions: [6, 7], before: "b6", hasMore: true },
      { positions: [4, 5], before: null, hasMore: false },
    );
    const flow = new Flow("a", "c", { anchor: "end" });
    await flow.open();
    const asking: Promise<void>[] = [];
    flow.subscribe(() => {
      // The page still stands at the beginning when it hears of the older ones.
      if (positions(flow)?.[0] === 6 && asking.length === 0) asking.push(flow.older());
    });
    await Promise.all([flow.older(), flow.older()]);
    await Promise.all(asking);
    expect(positions(flow)).toEqual([4, 5, 6, 7, 8, 9]);
    await flow.older();
    expect(asked.map((query) => new URLSearchParams(query).get("before"))).toEqual([null, "b8", "b6"]);
  });

  it("catches up with everything that was recorded, and holds it back while it is paused", async () => {
    const asked = serve(
      { positions: [1], before: null, hasMore: false },
      { positions: [2, 3], before: null, hasMore: true },
      { positions: [4], before: null, hasMore: false },
    );
    const flow = new Flow("a", "c", { anchor: "end" });
    await flow.open();
    flow.pause(true);
    flow.heard(3);
    expect(flow.get()).toMatchObject({ isPaused: true, waiting: 3, flow: { total: 103 } });
    expect(asked).toHaveLength(1);
    flow.pause(false);
    await flow.newer();
    expect(positions(flow)).toEqual([1, 2, 3, 4]);
    expect(flow.get()).toMatchObject({ waiting: 0, flow: { isAtEnd: true, after: "after-4" } });
  });
});
