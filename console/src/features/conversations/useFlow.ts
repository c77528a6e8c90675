import { useQueries, useQueryClient } from "@tanstack/react-query";
import { useEffect, useMemo, useRef, useSyncExternalStore } from "react";

import { api, ask } from "../../api/client";
import { stillLoggedIn, useServerBack } from "../../api/session";
import type { Turn } from "../../api/types";
import { useLive } from "../../api/useLive";
import type { Flow, FlowState } from "./flow";

const MOST_OPEN = 3;
const LOOK_MS = 10_000;
const SETTLE_MS = 1000;

/** A conversation's flow, loaded and kept up with while the page is shown. */
export function useFlow(flow: Flow, conversationId: string): ReturnType<Flow["get"]> {
  const state = useSyncExternalStore(flow.subscribe, flow.get);
  useEffect(() => {
    void flow.open();
  }, [flow]);
  const client = useQueryClient();
  const isDoubtful = state.error?.isDoubtful === true;
  useEffect(() => {
    if (isDoubtful) void stillLoggedIn(client);
  }, [isDoubtful, client]);
  useServerBack(() => void (flow.get().flow === null ? flow.open() : flow.newer()));
  const settling = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(
    () => () => {
      clearTimeout(settling.current);
      settling.current = undefined;
    },
    [],
  );
  const isAtEnd = state.flow?.isAtEnd === true;
  useLive({
    topic: { conversation: conversationId },
    after: isAtEnd ? state.flow.after : null,
    onEvents: (events) => {
      flow.heard(events.length);
      // The head of the page counts turns and tokens.
      settling.current ??= setTimeout(() => {
        settling.current = undefined;
        void client.invalidateQueries({ queryKey: ["conversation", conversationId] });
      }, SETTLE_MS);
    },
    onResync: () => void flow.newer(),
  });
  return state;
}

/** Ids of the newest open turns of a flow whose writer gives no sign of life. */
export function useLifeless(flow: FlowState | null): ReadonlySet<string> {
  const open = useMemo(() => openTurns(flow), [flow]);
  const lifeless = useQueries({
    queries: open.map((turn) => ({
      queryKey: ["turn-life", turn.id],
      queryFn: async () => {
        const path = { agentId: turn.agentId, turnId: turn.id };
        const report = await ask(
          api.GET("/api/agents/{agentId}/turns/{turnId}", {
            params: { path, query: { previews: false, limit: 1 } },
          }),
        );
        return report.noSignOfLife ? turn.id : null;
      },
      refetchInterval: LOOK_MS,
    })),
    combine: (results) =>
      results
        .map((one) => one.data)
        .filter((id) => typeof id === "string")
        .join(),
  });
  return useMemo(() => new Set(lifeless === "" ? [] : lifeless.split(",")), [lifeless]);
}

function openTurns(flow: FlowState | null): Turn[] {
  if (flow === null) return [];
  return [...flow.turns.values()].filter((turn) => turn.closedAt === null).slice(-MOST_OPEN);
}
