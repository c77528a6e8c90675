import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";

import { api, ask } from "../../api/client";
import type { Message } from "../../api/types";
import { usePages } from "../../api/usePages";
import { More, Table } from "../../components/table";
import { Badge, Empty, Failure, Loading, RecordedText, StatusBadge, Time } from "../../components/ui";
import { fateWord } from "../../lib/fates";
import { counted } from "../../lib/format";
import { outsideName } from "../../lib/outsideName";
import { useShownRequest } from "../../lib/shownRequest";

interface MessagePage {
  name: string | null;
  items: Message[];
  next: string | null;
}

/** One actor's messages in all conversations with the agent, newest first. */
export function ActorMessages({ agentId, actorId }: { agentId: string; actorId: string }): ReactNode {
  useShownRequest(`/api/agents/${agentId}/actors/${actorId}/timeline`);
  const messages = usePages<Message, MessagePage>(
    ["actor", agentId, actorId],
    (after, signal) =>
      ask(
        api.GET("/api/agents/{agentId}/actors/{actorId}/timeline", {
          params: { path: { agentId, actorId }, query: after },
          signal,
        }),
      ),
    true,
  );
  if (messages.isLoading) return <Loading what="the actor's messages" />;
  if (messages.error !== null && messages.items.length === 0)
    return <Failure error={messages.error} what="the actor's messages" onRetry={messages.again} />;
  if (messages.last?.name === null && messages.items.length === 0)
    return (
      <Empty title="This agent knows no such actor" icon="search">
        <p>
          The id was mistyped, or it is of an actor who wrote to another agent only.{" "}
          <Link to="/actors" search={{ agent: agentId }}>
            All actors
          </Link>
        </p>
      </Empty>
    );
  return (
    <>
      <p>
        <Link to="/actors" search={{ agent: agentId }}>
          All actors
        </Link>{" "}
        / <b>{messages.last !== undefined && <RecordedText text={outsideName(messages.last.name)} />}</b> ·{" "}
        <Link to="/" search={{ agent: agentId, actor: actorId }}>
          conversations
        </Link>
      </p>
      <Table
        caption="Messages of one actor"
        rows={messages.items}
        keyOf={(message) => message.eventId}
        columns={[
          {
            head: "When",
            cell: (message) => (
              <Link
                to="/agents/$agentId/conversations/$conversationId"
                params={{ agentId, conversationId: message.conversationId }}
                search={{ at: message.eventId }}
              >
                <Time at={message.createdAt} digits={0} />
              </Link>
            ),
          },
          { head: "Message", cell: (message) => <Said of={message} /> },
          {
            head: "Verdict",
            cell: (message) =>
              message.verdict === null ? <em>none</em> : <Badge tone="idle">{message.verdict}</Badge>,
          },
          { head: "What became of it", cell: (message) => <Fate of={message} agentId={agentId} /> },
        ]}
      />
      <More
        shown={messages.items.length}
        hasMore={messages.hasMore}
        isLoading={messages.isLoadingMore}
        onMore={messages.more}
      />
    </>
  );
}

function Said({ of }: { of: Message }): ReactNode {
  const { preview } = of;
  if (preview?.state === "text")
    return <RecordedText text={preview.more ? `${preview.text}…` : preview.text} />;
  const why = preview === null ? "" : `, ${preview.state}`;
  return (
    <em>
      {counted(of.chars, "character")}
      {why}
    </em>
  );
}

function Fate({ of, agentId }: { of: Message; agentId: string }): ReactNode {
  if (of.turnId !== null) return <TurnFate of={of} agentId={agentId} turnId={of.turnId} />;
  if (of.fate === null) return <em>nothing yet</em>;
  return (
    <Badge tone={of.fate === "shed" ? "bad" : "idle"} icon={of.fate === "shed" ? "empty" : "dot"}>
      {fateWord(of.fate)}
    </Badge>
  );
}

const TURNS = 200;

/** How the turn ended that dealt with a message; asked for once for all of a conversation's newest turns. */
function TurnFate({ of, agentId, turnId }: { of: Message; agentId: string; turnId: string }): ReactNode {
  const { conversationId } = of;
  const turns = useQuery({
    queryKey: ["turns", agentId, conversationId],
    queryFn: ({ signal }) =>
      ask(
        api.GET("/api/agents/{agentId}/turns", {
          params: { path: { agentId }, query: { conversation: conversationId, limit: TURNS } },
          signal,
        }),
      ),
  });
  const turn = turns.data?.items.find((one) => one.id === turnId);
  return (
    <>
      {turn !== undefined && (
        <>
          <StatusBadge status={turn.status} />{" "}
        </>
      )}
      <Link to="/agents/turns" search={{ agentId, turnId }}>
        {turn === undefined ? "turn" : `turn ${turn.ordinal + 1}`}
      </Link>
    </>
  );
}
