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
import { Fates } from "./Fates";
import { Deliveries, Disposals } from "./Incidents";
import { balanceRoute } from "./routes";

/** What became of every message that came in, and what was dropped or not delivered. */
export function BalancePage(): ReactNode {
  const search = balanceRoute.useSearch();
  const navigate = useNavigate({ from: "/balance" });
  const { zone } = useSettings();
  const chosen = useAgent(search.agent);
  const { agentId } = chosen;
  const { last, day } = search;
  const span = { ...(last && { last }), ...(day !== undefined && { day }) };
  const balance = useQuery({
    queryKey: ["balance", agentId, last, day, zone],
    queryFn: ({ signal }) =>
      ask(
        api.GET("/api/agents/{agentId}/balance", {
          params: { path: { agentId: agentId ?? "" }, query: spanQuery(span, zone, Date.now()) },
          signal,
        }),
      ),
    enabled: agentId !== undefined,
    refetchInterval: AGEING_MS,
  });
  useRenewal(agentId === undefined ? null : { agent: agentId }, balance.data?.liveCursor ?? null, [
    ["balance", agentId],
    ["disposals", agentId],
    ["deliveries", agentId],
  ]);
  useShownRequest(agentId === undefined ? null : `/api/agents/${agentId}/balance`);
  return (
    <Page title="Balance and failures">
      <Filters label="Which agent, when">
        <AgentSelect
          value={agentId}
          onChoose={(agent) => {
            void navigate({ search: { ...(agent !== undefined && { agent }), ...span } });
          }}
        />
        <SpanSelect
          span={search}
          whole="last 24 hours"
          onChange={(chosenSpan) => {
            const { agent } = search;
            void navigate({ search: { ...(agent !== undefined && { agent }), ...chosenSpan } });
          }}
        />
      </Filters>
      {agentId === undefined ? (
        <NoAgent chosen={chosen} />
      ) : balance.isPending ? (
        <Loading what="the balance" />
      ) : balance.data === undefined ? (
        <Failure error={balance.error} what="the balance" onRetry={() => void balance.refetch()} />
      ) : (
        <>
          <Fates of={balance.data} />
          <Disposals agentId={agentId} span={span} />
          <Deliveries agentId={agentId} span={span} />
        </>
      )}
    </Page>
  );
}
