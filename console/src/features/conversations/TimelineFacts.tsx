import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";

import { api, ask } from "../../api/client";
import { noteFindings, useUnsound } from "../../api/findings";
import type { Conversation } from "../../api/types";
import { Badge, Button, RecordedText } from "../../components/ui";
import { costPhrase } from "../../lib/money";
import { counted, tokens } from "../../lib/format";
import s from "./timeline.module.css";

/** What is known about a conversation as a whole, and its verification by the server. */
export function TimelineFacts({
  about,
  agentId,
  conversationId,
  total,
}: {
  about: Conversation | undefined;
  agentId: string;
  conversationId: string;
  total: number;
}): ReactNode {
  return (
    <>
      {about !== undefined && (
        <span className={s.about}>
          <Link to="/agents" search={{ agent: agentId }}>
            <RecordedText text={about.agentName} />
          </Link>{" "}
          · {about.connector ?? "no connector"} · {about.shape}
          {about.place !== null && (
            <>
              {" · "}
              <RecordedText text={about.place} />
            </>
          )}
          {" · "}
          {counted(about.turns, "turn")} · {tokenWords(about)} · {costPhrase(about.cost)}
        </span>
      )}
      <span className={s.about}>{counted(total, "event")}</span>
      <Verification agentId={agentId} conversationId={conversationId} />
    </>
  );
}

function tokenWords({ tokensIn, tokensOut }: Conversation): string {
  if (tokensIn === null && tokensOut === null) return "tokens not recorded";
  return `${[tokensIn, tokensOut].map((one) => (one === null ? "?" : tokens(one))).join(" → ")} tokens`;
}

function Verification({ agentId, conversationId }: { agentId: string; conversationId: string }): ReactNode {
  const found = useQuery({
    queryKey: ["verification", conversationId],
    queryFn: async ({ signal }) => {
      const list = await ask(
        api.GET("/api/agents/{agentId}/conversations/{conversationId}/verification", {
          params: { path: { agentId, conversationId } },
          signal,
        }),
      );
      noteFindings(list.items, false, conversationId);
      return list;
    },
    enabled: false,
  });
  const broken = [...useUnsound().values()].find((one) => one.conversationId === conversationId);
  return (
    <>
      <Button small disabled={found.isFetching} onClick={() => void found.refetch()}>
        {found.isFetching ? "Verifying …" : "Verify"}
      </Button>
      {found.data !== undefined && broken === undefined && (
        <Badge
          tone="good"
          icon="check"
          title="The server hashed every event and body of this conversation again."
        >
          {found.data.verdict}: {counted(found.data.items.length, "journal")}
        </Badge>
      )}
      {broken !== undefined && (
        <Badge tone="bad" icon="cross" title={broken.explanation}>
          {broken.verdict}: {broken.explanation}
        </Badge>
      )}
      {broken?.kind === "turn" && (
        <Link to="/agents/turns" search={{ agentId, turnId: broken.target, ...seqOf(broken.seq) }}>
          inspect
        </Link>
      )}
      {found.error !== null && (
        <Badge tone="warn" icon="warning" title={found.error.problem.detail}>
          {found.error.problem.title}
        </Badge>
      )}
    </>
  );
}

function seqOf(place: number): { seq?: number } {
  return place >= 0 ? { seq: place } : {};
}
