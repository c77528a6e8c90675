import { useQuery } from "@tanstack/react-query";
import { Navigate } from "@tanstack/react-router";
import type { ReactNode } from "react";

import { agentsQuery } from "../../api/agents";
import { api, ask } from "../../api/client";
import { ApiError } from "../../api/problem";
import type { Agent } from "../../api/types";
import { Empty, Failure, Loading } from "../../components/ui";

/** A turn id without its agent's: looks which of the agents that may be seen has it. */
export function FindAgent({ turnId }: { turnId: string }): ReactNode {
  const agents = useQuery(agentsQuery);
  const owner = useQuery({
    queryKey: ["turn owner", turnId],
    queryFn: () => ownerOf(turnId, agents.data ?? []),
    enabled: agents.data !== undefined,
  });
  const error = agents.error ?? owner.error;
  if (error !== null)
    return <Failure error={error} what="the turn’s agent" onRetry={() => void owner.refetch()} />;
  if (owner.data === undefined) return <Loading what="the turn’s agent" />;
  if (owner.data === null) {
    return (
      <Empty title="No agent that you may see has this turn" icon="search">
        <p>The id was mistyped, the turn is in another ledger, or its agent is one that you may not see.</p>
      </Empty>
    );
  }
  return <Navigate to="/agents/turns" search={{ agentId: owner.data, turnId }} replace />;
}

async function ownerOf(turnId: string, agents: readonly Agent[]): Promise<string | null> {
  for (const { id: agentId } of agents) {
    try {
      const query = { limit: 1, previews: false };
      await ask(
        api.GET("/api/agents/{agentId}/turns/{turnId}", { params: { path: { agentId, turnId }, query } }),
      );
      return agentId;
    } catch (error) {
      if (!(error instanceof ApiError && error.status === 404)) throw error;
    }
  }
  return null;
}
