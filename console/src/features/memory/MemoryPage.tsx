import { useQuery } from "@tanstack/react-query";
import { Link, useNavigate } from "@tanstack/react-router";
import type { ReactNode } from "react";

import { api, ask } from "../../api/client";
import type { MemoryRevision } from "../../api/types";
import { usePages } from "../../api/usePages";
import { AgentSelect, Filters, NoAgent, useAgent } from "../../components/filters";
import { Page } from "../../components/layout/Page";
import { More, Table } from "../../components/table";
import { Badge, Empty, Failure, Loading, RecordedText, Time } from "../../components/ui";
import { outsideName } from "../../lib/outsideName";
import { useShownRequest } from "../../lib/shownRequest";
import { Content } from "./Content";
import s from "./memory.module.css";
import { type MemorySearch, memoryRoute } from "./routes";

interface RevisionPage {
  items: MemoryRevision[];
  next: string | null;
}

/** What an agent remembers, each revision with the turn that wrote it. */
export function MemoryPage(): ReactNode {
  const search = memoryRoute.useSearch();
  const navigate = useNavigate({ from: "/memory" });
  const chosen = useAgent(search.agent);
  const { agentId } = chosen;
  return (
    <Page title="Memory">
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
      ) : (
        <Revisions key={`${agentId}/${search.entry ?? ""}`} agentId={agentId} search={search} />
      )}
    </Page>
  );
}

function Revisions({ agentId, search }: { agentId: string; search: MemorySearch }): ReactNode {
  const { entry, conversation } = search;
  const base = `/api/agents/${agentId}/memory`;
  useShownRequest(entry === undefined ? base : `${base}/${entry}`);
  const revisions = usePages<MemoryRevision, RevisionPage>(
    ["memory", agentId, entry, conversation],
    (after, signal) => {
      if (entry === undefined) {
        const query = { ...after, ...(conversation !== undefined && { conversation }) };
        return ask(api.GET("/api/agents/{agentId}/memory", { params: { path: { agentId }, query }, signal }));
      }
      return ask(
        api.GET("/api/agents/{agentId}/memory/{entryId}", {
          params: { path: { agentId, entryId: entry }, query: after },
          signal,
        }),
      );
    },
    true,
  );
  if (revisions.isLoading) return <Loading what="the memory" />;
  if (revisions.error !== null && revisions.items.length === 0)
    return <Failure error={revisions.error} what="the memory" onRetry={revisions.again} />;
  const [newest] = revisions.items;
  if (newest === undefined)
    return (
      <Empty title="Nothing was remembered">
        <p>
          An agent records what it remembers with <code>turn.memory_write(key, content)</code>; each write is
          a revision of one entry.
        </p>
      </Empty>
    );
  return (
    <>
      {entry !== undefined && (
        <p>
          <Link to="/memory" search={{ agent: agentId }}>
            All entries
          </Link>{" "}
          / <b>{<RecordedText text={outsideName(newest.key)} />}</b>
        </p>
      )}
      {entry !== undefined && <Newest of={newest} agentId={agentId} />}
      <RevisionTable agentId={agentId} rows={revisions.items} />
      <More
        shown={revisions.items.length}
        hasMore={revisions.hasMore}
        isLoading={revisions.isLoadingMore}
        onMore={revisions.more}
      />
    </>
  );
}

function RevisionTable({ agentId, rows }: { agentId: string; rows: readonly MemoryRevision[] }): ReactNode {
  return (
    <Table
      caption="Revisions, newest first"
      rows={rows}
      keyOf={(row) => row.eventId}
      columns={[
        {
          head: "Entry",
          cell: (row) => (
            <Link to="/memory" search={{ agent: agentId, entry: row.entryId }}>
              <RecordedText text={outsideName(row.key)} />
            </Link>
          ),
        },
        { head: "Revision", isNumber: true, cell: (row) => row.revision },
        {
          head: "What",
          cell: (row) => <Badge tone={row.op === "delete" ? "warn" : "idle"}>{row.op}</Badge>,
        },
        { head: "When", cell: (row) => <Time at={row.createdAt} digits={0} /> },
        { head: "Written by", cell: (row) => <WrittenBy agentId={agentId} of={row} /> },
      ]}
    />
  );
}

function WrittenBy({ agentId, of }: { agentId: string; of: MemoryRevision }): ReactNode {
  return (
    <>
      {of.turnId !== null && (
        <Link to="/agents/turns" search={{ agentId, turnId: of.turnId }}>
          turn
        </Link>
      )}
      {of.turnId !== null && of.conversationId !== null && " in "}
      {of.conversationId !== null && (
        <Link
          to="/agents/$agentId/conversations/$conversationId"
          params={{ agentId, conversationId: of.conversationId }}
          search={{ at: of.eventId }}
        >
          conversation
        </Link>
      )}
    </>
  );
}

function Newest({ agentId, of }: { agentId: string; of: MemoryRevision }): ReactNode {
  const event = useQuery({
    queryKey: ["event", of.eventId],
    queryFn: ({ signal }) =>
      ask(
        api.GET("/api/agents/{agentId}/events/{eventId}", {
          params: { path: { agentId, eventId: of.eventId } },
          signal,
        }),
      ),
    staleTime: Infinity,
  });
  if (event.data === undefined)
    return event.error === null ? (
      <Loading what="the newest revision" />
    ) : (
      <Failure error={event.error} what="the newest revision" onRetry={() => void event.refetch()} />
    );
  return (
    <section className={s.newest}>
      <h2>Revision {of.revision}, the newest</h2>
      <Content of={event.data} />
    </section>
  );
}
