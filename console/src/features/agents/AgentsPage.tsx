import { useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import type { ReactNode } from "react";

import { api, ask } from "../../api/client";
import { AGEING_MS, useRenewal } from "../../api/useRenewal";
import { AgentSelect, Filters, NoAgent, SpanSelect, useAgent } from "../../components/filters";
import { Page } from "../../components/layout/Page";
import { Failure, Loading } from "../../components/ui";
import { useSettings } from "../../lib/settings";
import { useShownRequest } from "../../lib/shownRequest";
import { spanQuery } from "../../lib/span";
import { Figures } from "./Figures";
import { agentsRoute } from "./routes";

/** One agent over a stretch of time. */
export function AgentsPage(): ReactNode {
  const search = agentsRoute.useSearch();
  const navigate = useNavigate({ from: "/agents" });
  const { zone } = useSettings();
  const chosen = useAgent(search.agent);
  const { agentId } = chosen;
  const { last, day } = search;
  const overview = useQuery({
    queryKey: ["overview", agentId, last, day, zone],
    queryFn: ({ signal }) =>
      ask(
        api.GET("/api/agents/{agentId}/overview", {
          params: {
            path: { agentId: agentId ?? "" },
            query: spanQuery({ ...(last && { last }), ...(day !== undefined && { day }) }, zone, Date.now()),
          },
          signal,
        }),
      ),
    enabled: agentId !== undefined,
    refetchInterval: AGEING_MS,
    placeholderData: (before) => (before?.agentId === agentId ? before : undefined),
  });
  useRenewal(agentId === undefined ? null : { agent: agentId }, overview.data?.liveCursor ?? null, [
    ["overview", agentId],
  ]);
  useShownRequest(agentId === undefined ? null : `/api/agents/${agentId}/overview`);
  return (
    <Page title="Agents">
      <Filters label="Which agent, when">
        <AgentSelect
          value={agentId}
          onChoose={(agent) => {
            void navigate({ search: (before) => ({ ...before, ...(agent !== undefined && { agent }) }) });
          }}
        />
        <SpanSelect
          span={search}
          whole="last 24 hours"
          onChange={(span) => {
            void navigate({
              search: { ...(search.agent !== undefined && { agent: search.agent }), ...span },
            });
          }}
        />
      </Filters>
      {agentId === undefined ? (
        <NoAgent chosen={chosen} />
      ) : overview.isPending ? (
        <Loading what="the agent's figures" />
      ) : overview.data === undefined ? (
        <Failure error={overview.error} what="the agent's figures" onRetry={() => void overview.refetch()} />
      ) : (
        <Figures of={overview.data} />
      )}
    </Page>
  );
}
