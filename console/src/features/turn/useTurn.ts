import { useInfiniteQuery, useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect, useMemo, useRef } from "react";

import { api, ask, askBytes } from "../../api/client";
import { journalPath } from "../../api/paths";
import type { ApiError } from "../../api/problem";
import type { Entry, TurnReport } from "../../api/types";
import { useLive } from "../../api/useLive";
import type { CheckedJournal } from "../../verify/check";
import { verifyJournal } from "../../verify/client";

// The first entries are shown soon; the others come in large pages.
const FIRST_PAGE = 100;
const PAGE = 1000;
const SETTLE_MS = 400;
const OPEN = ["running", "waiting"];

export interface TurnData {
  readonly journal: CheckedJournal | undefined;
  /** The first page of the report: the turn, its totals and steps. */
  readonly report: TurnReport | undefined;
  readonly entries: readonly Entry[];
  /** Whether there are entries that have not come yet. */
  readonly partial: boolean;
  /** Why the turn cannot be shown. */
  readonly error: ApiError | null;
  /** Why the browser could not check; it says nothing about the journal. */
  readonly notChecked: string | null;
  /** When the browser checked last, in epoch milliseconds. */
  readonly checkedAt: number;
  readonly retry: () => void;
}

/** One turn: its journal, verified here, and what the API says beside it; kept up to date while it runs. */
export function useTurn(agentId: string, turnId: string): TurnData {
  const client = useQueryClient();
  const journal = useQuery({
    queryKey: ["turn", agentId, turnId, "journal"],
    queryFn: async ({ signal }) => askBytes(journalPath(agentId, turnId), signal),
  });
  // A fault of the check is no fault of the request, so it is a query of its own.
  const checked = useQuery<CheckedJournal, Error>({
    queryKey: ["turn", agentId, turnId, "checked", journal.dataUpdatedAt],
    queryFn: () => verifyJournal(journal.data?.slice(0) ?? new ArrayBuffer(0)),
    enabled: journal.data !== undefined,
    placeholderData: (before) => before,
    staleTime: Infinity,
    gcTime: 10_000,
    retry: false,
  });
  const report = useInfiniteQuery({
    queryKey: ["turn", agentId, turnId, "report"],
    queryFn: ({ signal, pageParam }) =>
      ask(
        api.GET("/api/agents/{agentId}/turns/{turnId}", {
          params: {
            path: { agentId, turnId },
            query: pageParam === "" ? { limit: FIRST_PAGE } : { limit: PAGE, after: pageParam },
          },
          signal,
        }),
      ),
    initialPageParam: "",
    getNextPageParam: (last) => last.next,
  });
  const { hasNextPage, isFetching, fetchNextPage } = report;
  useEffect(() => {
    if (hasNextPage && !isFetching) void fetchNextPage();
  }, [hasNextPage, isFetching, fetchNextPage]);

  const entries = useMemo(() => (report.data?.pages ?? []).flatMap((page) => page.entries), [report.data]);
  const first = report.data?.pages[0];
  const settle = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  const refresh = (): void => {
    settle.current ??= setTimeout(() => {
      settle.current = undefined;
      void client.invalidateQueries({ queryKey: ["turn", agentId, turnId] });
    }, SETTLE_MS);
  };
  const isOpen = first !== undefined && OPEN.includes(first.turn.status);
  useLive({
    topic: isOpen ? { conversation: first.turn.conversationId } : null,
    after: first?.liveCursor ?? null,
    onEvents: (events) => {
      if (events.some((event) => event.turnId === turnId || event.summary.includes(turnId))) refresh();
    },
    onResync: refresh,
  });
  return {
    journal: checked.data,
    report: first,
    entries,
    partial: hasNextPage,
    error: journal.error ?? report.error,
    notChecked: checked.error === null ? null : checked.error.message,
    checkedAt: checked.dataUpdatedAt,
    retry: () => {
      void journal.refetch();
      void report.refetch();
    },
  };
}
