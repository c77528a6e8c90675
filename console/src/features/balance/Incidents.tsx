import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";

import { api, ask } from "../../api/client";
import type { Delivery, Disposal } from "../../api/types";
import { type Pages, usePages } from "../../api/usePages";
import { type Column, More, Table } from "../../components/table";
import { Badge, Failure, Loading, Time } from "../../components/ui";
import { count, duration, NOT_RECORDED } from "../../lib/format";
import { useSettings } from "../../lib/settings";
import { type SpanSearch, spanQuery } from "../../lib/span";
import s from "./balance.module.css";

interface Asked {
  agentId: string;
  span: SpanSearch;
}

interface PageOf<T> {
  items: T[];
  next: string | null;
}

/** Triggers that were dropped, or folded into another one. */
export function Disposals({ agentId, span }: Asked): ReactNode {
  const { zone } = useSettings();
  const rows = usePages<Disposal, PageOf<Disposal>>(
    ["disposals", agentId, span, zone],
    (after, signal) =>
      ask(
        api.GET("/api/agents/{agentId}/disposals", {
          params: { path: { agentId }, query: { ...spanQuery(span, zone, Date.now()), ...after } },
          signal,
        }),
      ),
    true,
  );
  return (
    <Block
      title="Shed and collapsed triggers"
      none="No trigger was dropped or folded into another one."
      rows={rows}
      columns={[
        { head: "When", cell: (row) => <EventLink agentId={agentId} of={row} /> },
        {
          head: "What",
          cell: (row) => (
            <Badge tone={row.kind === "shed" ? "bad" : "idle"} icon={row.kind === "shed" ? "empty" : "dot"}>
              {row.kind}
            </Badge>
          ),
        },
        { head: "Reason", cell: (row) => row.reason?.replaceAll("_", " ") ?? "" },
        { head: "Message", cell: (row) => <Messages agentId={agentId} of={row} /> },
        { head: "Age", isNumber: true, cell: (row) => ageWords(row) },
        { head: "In the queue", isNumber: true, cell: (row) => (row.depth === null ? "" : count(row.depth)) },
      ]}
    />
  );
}

function Messages({ agentId, of }: { agentId: string; of: Disposal }): ReactNode {
  if (of.messageSeq === null) return "no message";
  return (
    <>
      <MessageLink agentId={agentId} conversationId={of.conversationId} seq={of.messageSeq}>
        the message
      </MessageLink>
      {of.intoSeq !== null && (
        <>
          {" "}
          into{" "}
          <MessageLink agentId={agentId} conversationId={of.conversationId} seq={of.intoSeq}>
            this one
          </MessageLink>
        </>
      )}
    </>
  );
}

/** To a message's own row of the timeline: its number in the journal means nothing to anybody. */
function MessageLink({
  agentId,
  conversationId,
  seq,
  children,
}: {
  agentId: string;
  conversationId: string;
  seq: number;
  children: ReactNode;
}): ReactNode {
  return (
    <Link
      to="/agents/$agentId/conversations/$conversationId"
      params={{ agentId, conversationId }}
      search={{ seq }}
    >
      {children}
    </Link>
  );
}

function ageWords(of: Disposal): string {
  if (of.kind === "collapsed") return "";
  if (of.ageMs === null) return NOT_RECORDED;
  return of.staleMs === null ? duration(of.ageMs) : `${duration(of.ageMs)}, bound ${duration(of.staleMs)}`;
}

/** Outbound messages that did not arrive. */
export function Deliveries({ agentId, span }: Asked): ReactNode {
  const { zone } = useSettings();
  const rows = usePages<Delivery, PageOf<Delivery>>(
    ["deliveries", agentId, span, zone],
    (after, signal) =>
      ask(
        api.GET("/api/agents/{agentId}/deliveries", {
          params: {
            path: { agentId },
            query: { status: "failed", ...spanQuery(span, zone, Date.now()), ...after },
          },
          signal,
        }),
      ),
    true,
  );
  return (
    <Block
      title="Failed deliveries"
      none="No delivery failed."
      rows={rows}
      columns={[
        { head: "When", cell: (row) => <EventLink agentId={agentId} of={row} /> },
        {
          head: "Message",
          cell: (row) => (
            <MessageLink agentId={agentId} conversationId={row.conversationId} seq={row.messageSeq}>
              the message
            </MessageLink>
          ),
        },
        { head: "Attempt", isNumber: true, cell: (row) => row.attempt ?? NOT_RECORDED },
      ]}
    />
  );
}

function Block<T extends { eventId: string }>({
  title,
  none,
  rows,
  columns,
}: {
  title: string;
  none: string;
  rows: Pages<T, PageOf<T>>;
  columns: readonly Column<T>[];
}): ReactNode {
  return (
    <section className={s.block}>
      <h2>{title}</h2>
      {rows.isLoading ? (
        <Loading what={title.toLowerCase()} />
      ) : rows.error !== null && rows.items.length === 0 ? (
        <Failure error={rows.error} what={title.toLowerCase()} onRetry={rows.again} />
      ) : rows.items.length === 0 ? (
        <p className={s.none}>{none}</p>
      ) : (
        <>
          <Table caption={title} rows={rows.items} keyOf={(row) => row.eventId} columns={columns} />
          <More
            shown={rows.items.length}
            hasMore={rows.hasMore}
            isLoading={rows.isLoadingMore}
            onMore={rows.more}
          />
        </>
      )}
    </section>
  );
}

function EventLink({
  agentId,
  of,
}: {
  agentId: string;
  of: { conversationId: string; eventId: string; createdAt: string };
}): ReactNode {
  return (
    <Link
      to="/agents/$agentId/conversations/$conversationId"
      params={{ agentId, conversationId: of.conversationId }}
      search={{ at: of.eventId }}
    >
      <Time at={of.createdAt} digits={0} />
    </Link>
  );
}
