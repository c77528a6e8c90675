import { type Query, useQueries } from "@tanstack/react-query";
import { useCallback, useMemo, useState } from "react";

import { api, ask } from "../../api/client";
import type { Entry, Step } from "../../api/types";

const BLOCK = 200;
const MOST = 64;

export interface Entries {
  /** What the API says beside the journal, by seq, as far as it was asked for. */
  readonly entries: ReadonlyMap<number, Entry>;
  /** The steps that these events begin or end; one may be there twice. */
  readonly steps: readonly Step[];
  /** Whether some of what was asked for could not be had. */
  readonly isLacking: boolean;
  /** Ask for what stands beside the events from one place to another. */
  readonly need: (first: number, last: number) => void;
  readonly retry: () => void;
}

/** Entries of a turn in blocks, each of them asked for when its events come into view. */
export function useEntries(agentId: string, turnId: string): Entries {
  const [blocks, setBlocks] = useState<readonly number[]>([0]);
  const { pages, failed } = useQueries({
    queries: blocks.map((block) => ({
      queryKey: ["turn", agentId, turnId, "entries", block],
      queryFn: ({ signal }: { signal: AbortSignal }) =>
        ask(
          api.GET("/api/agents/{agentId}/turns/{turnId}/entries", {
            params: { path: { agentId, turnId }, query: { from: block * BLOCK, limit: BLOCK } },
            signal,
          }),
        ),
    })),
    combine: (results) => ({
      pages: results.map((one) => one.data),
      failed: results.filter((one) => one.error !== null).map((one) => one.refetch),
    }),
  });
  const entries = useMemo(
    () => new Map(pages.flatMap((page) => (page?.entries ?? []).map((entry) => [entry.seq, entry] as const))),
    [pages],
  );
  const steps = useMemo(() => pages.flatMap((page) => page?.steps ?? []), [pages]);
  const need = useCallback((first: number, last: number) => {
    const from = Math.floor(Math.max(0, first) / BLOCK);
    const wanted = Array.from({ length: Math.floor(last / BLOCK) - from + 1 }, (_, place) => from + place);
    setBlocks((now) => {
      const lacking = wanted.filter((block) => !now.includes(block));
      return lacking.length === 0 ? now : [...now, ...lacking].slice(-MOST);
    });
  }, []);
  return {
    entries,
    steps,
    isLacking: failed.length > 0,
    need,
    retry: () => {
      for (const again of failed) void again();
    },
  };
}

/** Whether a query's answer changes while its turn goes on: all do, except blocks that are full. */
export function isOpenEnded(query: Query): boolean {
  const { data } = query.state;
  const isFull = typeof data === "object" && data !== null && "hasMore" in data && data.hasMore === true;
  return query.queryKey[3] !== "entries" || !isFull;
}
