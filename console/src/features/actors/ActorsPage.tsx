import { Link, useNavigate } from "@tanstack/react-router";
import type { ReactNode } from "react";

import { api, ask } from "../../api/client";
import type { Actor } from "../../api/types";
import { usePages } from "../../api/usePages";
import { AgentSelect, Filters, NoAgent, useAgent } from "../../components/filters";
import { Page } from "../../components/layout/Page";
import { More, Table } from "../../components/table";
import { Ago, Empty, Failure, Loading, RecordedText, Time } from "../../components/ui";
import { count } from "../../lib/format";
import { outsideName } from "../../lib/outsideName";
import { useShownRequest } from "../../lib/shownRequest";
import { ActorMessages } from "./ActorMessages";
import { actorsRoute } from "./routes";

/** Who writes to an agent, and what one of them wrote. */
export function ActorsPage(): ReactNode {
  const search = actorsRoute.useSearch();
  const navigate = useNavigate({ from: "/actors" });
  const chosen = useAgent(search.agent);
  const { agentId } = chosen;
  return (
    <Page title="Actors">
      <Filters label="Which agent">
        <AgentSelect
          value={agentId}
          onChoose={(agent) => {
            void navigate({ search: agent === undefined ? {} : { agent } });
          }}
        />
      </Filters>
      {agentId === undefined ? (
        <NoAgent chosen={chosen} />
      ) : search.actor === undefined ? (
        <ActorList agentId={agentId} />
      ) : (
        <ActorMessages agentId={agentId} actorId={search.actor} />
      )}
    </Page>
  );
}

function ActorList({ agentId }: { agentId: string }): ReactNode {
  useShownRequest(`/api/agents/${agentId}/actors`);
  const actors = usePages<Actor, { items: Actor[]; next: string | null }>(
    ["actors", agentId],
    (after, signal) =>
      ask(api.GET("/api/agents/{agentId}/actors", { params: { path: { agentId }, query: after }, signal })),
    true,
  );
  if (actors.isLoading) return <Loading what="actors" />;
  if (actors.error !== null && actors.items.length === 0)
    return <Failure error={actors.error} what="the actors" onRetry={actors.again} />;
  if (actors.items.length === 0)
    return (
      <Empty title="Nobody wrote to this agent">
        <p>
          Actors appear with <code>conversation.inbound(text, actor=&quot;slack:U7&quot;)</code>.
        </p>
      </Empty>
    );
  return (
    <>
      <Table
        caption="Actors"
        rows={actors.items}
        keyOf={(actor) => actor.id}
        columns={[
          {
            head: "Actor",
            cell: (actor) => (
              <Link to="/actors" search={{ agent: agentId, actor: actor.id }}>
                <RecordedText text={outsideName(actor.name)} />
              </Link>
            ),
          },
          { head: "Messages", isNumber: true, cell: (actor) => count(actor.messages) },
          {
            head: "Conversations",
            isNumber: true,
            cell: (actor) => (
              <Link to="/" search={{ agent: agentId, actor: actor.id }}>
                {count(actor.conversations)}
              </Link>
            ),
          },
          { head: "First message", cell: (actor) => <Time at={actor.firstAt} digits={0} /> },
          { head: "Last message", cell: (actor) => <Ago at={actor.lastAt} /> },
        ]}
      />
      <More
        shown={actors.items.length}
        hasMore={actors.hasMore}
        isLoading={actors.isLoadingMore}
        onMore={actors.more}
      />
    </>
  );
}
