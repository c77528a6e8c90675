import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect, useRef } from "react";

import { api, ask, askBytes } from "../../api/client";
import { journalPath } from "../../api/paths";
import type { ApiError } from "../../api/problem";
import type { Step, TurnReport } from "../../api/types";
import { useLive } from "../../api/useLive";
import type { CheckedJournal } from "../../verify/check";
import { NotCheckedError, verifyJournal } from "../../verify/client";
import { type Entries, isOpenEnded, useEntries } from "./useEntries";

const SETTLE_MS = 400;
/** A server prices a call within this time after it is on record. */
const PRICED_MS = 2500;
/** Turns of more events are not asked for again for their cost alone. */
const SMALL = 500;
const OPEN = ["running", "waiting"];

export interface TurnData extends Entries {
  readonly journal: CheckedJournal | undefined;
  /** The turn, its totals and steps. */
  readonly report: TurnReport | undefined;
  /** Why the journal, and why what it took, cannot be shown. */
  readonly errors: { readonly journal: ApiError | null; readonly report: ApiError | null };
  /** Why the browser could not check; it says nothing about the journal. */
  readonly notChecked: string | null;
  /** When the browser checked last, in epoch milliseconds. */
  readonly checkedAt: number;
}

/** A journal that was looked at, or why it could not be. */
type Checked = { readonly journal: CheckedJournal } | { readonly fault: string };

/** One turn: its journal, verified here, and what the API says beside it; kept up to date while it runs. */
export function useTurn(agentId: string, turnId: string): TurnData {
  const client = useQueryClient();
  const report = useQuery({
    queryKey: ["turn", agentId, turnId, "report"],
    queryFn: ({ signal }) =>
      ask(
        api.GET("/api/agents/{agentId}/turns/{turnId}", {
          params: { path: { agentId, turnId }, query: { limit: 1, previews: false } },
          signal,
        }),
      ),
  });
  const checked = useQuery<Checked>({
    queryKey: ["turn", agentId, turnId, "journal"],
    // Where it is long, what needs no journal is here sooner if the server is not asked for both at once.
    enabled: !report.isPending,
    queryFn: async ({ signal }) => check(await askBytes(journalPath(agentId, turnId), signal)),
    structuralSharing: false,
  });
  const entries = useEntries(agentId, turnId);
  const first = report.data;
  const settle = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  const refresh = (): void => {
    settle.current ??= setTimeout(() => {
      settle.current = undefined;
      void client.invalidateQueries({ queryKey: ["turn", agentId, turnId], predicate: isOpenEnded });
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
  const events = first?.turn.events ?? 0;
  const isUnpriced = events > 0 && events <= SMALL && entries.steps.some(awaitsCost);
  useEffect(() => {
    if (!isUnpriced) return undefined;
    const timer = setTimeout(
      () =>
        void client.invalidateQueries({
          queryKey: ["turn", agentId, turnId],
          predicate: ({ queryKey }) => queryKey[3] !== "journal",
        }),
      PRICED_MS,
    );
    return () => {
      clearTimeout(timer);
    };
  }, [isUnpriced, events, client, agentId, turnId]);
  const { data } = checked;
  return {
    ...entries,
    journal: data !== undefined && "journal" in data ? data.journal : undefined,
    report: first,
    errors: { journal: checked.error, report: report.error },
    notChecked: data !== undefined && "fault" in data ? data.fault : null,
    checkedAt: checked.dataUpdatedAt,
    retry: () => {
      void checked.refetch();
      void report.refetch();
      entries.retry();
    },
  };
}

/** Whether a call has ended and nothing is known of its cost: it may be priced any moment. */
function awaitsCost(step: Step): boolean {
  return step.kind === "model" && step.outcomeSeq !== null && step.cost === null;
}

/** A fault of the check is no fault of the request, and no verdict. */
async function check(bytes: ArrayBuffer): Promise<Checked> {
  try {
    return { journal: await verifyJournal(bytes) };
  } catch (error) {
    if (error instanceof NotCheckedError) return { fault: error.message };
    throw error;
  }
}
