import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import type { ReactNode } from "react";

import { api, ask } from "../../api/client";
import type { ApiError } from "../../api/problem";
import type { components } from "../../api/schema";
import { Table } from "../../components/table";
import { Ago, Badge, Failure, Loading, RecordedText, Time } from "../../components/ui";
import { say } from "../../lib/toasts";
import { AgentNames } from "./AgentNames";
import { Confirmed } from "./Confirmed";
import { type Grant, NewGrant } from "./NewGrant";
import { Secret } from "./Secret";
import s from "./settings.module.css";

type NewToken = components["schemas"]["NewToken"];

const KEY = ["tokens"] as const;

/** Credentials of programs. */
export function Tokens(): ReactNode {
  const client = useQueryClient();
  const done = (): void => void client.invalidateQueries({ queryKey: KEY });
  const tokens = useQuery({
    queryKey: KEY,
    queryFn: ({ signal }) => ask(api.GET("/api/tokens", { signal })),
  });
  const add = useMutation<NewToken, ApiError, Grant>({
    mutationFn: (body) => ask(api.POST("/api/tokens", { body })),
    onSuccess: done,
  });
  const revoke = useMutation<unknown, ApiError, string>({
    mutationFn: (tokenId) => ask(api.DELETE("/api/tokens/{tokenId}", { params: { path: { tokenId } } })),
    onSuccess: done,
    onError: (error) => {
      say(`${error.problem.title}: ${error.problem.detail}`, "bad");
    },
  });
  return (
    <section className={s.card}>
      <h2>Tokens</h2>
      {add.data !== undefined && (
        <Secret text={add.data.token} what="the token">
          Token <RecordedText text={add.data.about.name} />: it is shown this once and not kept.
        </Secret>
      )}
      {tokens.data === undefined ? (
        tokens.error === null ? (
          <Loading what="tokens" />
        ) : (
          <Failure error={tokens.error} what="the tokens" onRetry={() => void tokens.refetch()} />
        )
      ) : tokens.data.items.length === 0 ? (
        <p>No program has a token yet. Recorders on other machines need one with the scope capture.</p>
      ) : (
        <Table
          caption="Tokens"
          rows={tokens.data.items}
          keyOf={(row) => row.id}
          columns={[
            { head: "Name", cell: (row) => <RecordedText text={row.name} /> },
            { head: "Scopes", cell: (row) => row.scopes.join(", ") },
            { head: "Agents", cell: (row) => <AgentNames of={row.agents} /> },
            { head: "Made", cell: (row) => <Time at={row.createdAt} digits={0} /> },
            { head: "Last used", cell: (row) => (row.usedAt === null ? "never" : <Ago at={row.usedAt} />) },
            {
              head: "What to do",
              cell: (row) =>
                row.revokedAt === null ? (
                  <Confirmed
                    what="Revoke"
                    isBusy={revoke.isPending}
                    onDo={() => {
                      revoke.mutate(row.id);
                    }}
                  />
                ) : (
                  <Badge tone="idle" icon="empty">
                    revoked
                  </Badge>
                ),
            },
          ]}
        />
      )}
      <h3>New token</h3>
      <NewGrant
        what="Make token"
        scopes={["capture", "view_audit_log", "view_bodies", "manage"]}
        isBusy={add.isPending}
        error={add.error}
        onMake={(grant) => {
          add.mutate(grant);
        }}
      />
    </section>
  );
}
