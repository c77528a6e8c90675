import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import type { ReactNode } from "react";

import { api, ask } from "../../api/client";
import { address } from "../../api/paths";
import type { ApiError } from "../../api/problem";
import { sessionQuery } from "../../api/session";
import type { components } from "../../api/schema";
import { Table } from "../../components/table";
import { Badge, Button, Failure, Loading, RecordedText, Time } from "../../components/ui";
import { say } from "../../lib/toasts";
import { AgentNames } from "./AgentNames";
import { Confirmed } from "./Confirmed";
import { type Grant, NewGrant } from "./NewGrant";
import { Secret } from "./Secret";
import s from "./settings.module.css";

type LoginLink = components["schemas"]["LoginLink"];
type Operator = components["schemas"]["Operator"];

const KEY = ["operators"] as const;

/** People who may log in. */
export function Operators(): ReactNode {
  const client = useQueryClient();
  const own = useQuery(sessionQuery).data?.id;
  const done = (): void => void client.invalidateQueries({ queryKey: KEY });
  const operators = useQuery({
    queryKey: KEY,
    queryFn: ({ signal }) => ask(api.GET("/api/operators", { signal })),
  });
  const add = useMutation<LoginLink, ApiError, Grant>({
    mutationFn: (body) => ask(api.POST("/api/operators", { body })),
    onSuccess: done,
  });
  const link = useMutation<LoginLink, ApiError, string>({
    mutationFn: (operatorId) =>
      ask(api.POST("/api/operators/{operatorId}/login-link", { params: { path: { operatorId } } })),
    onError: complain,
  });
  const remove = useMutation<unknown, ApiError, string>({
    mutationFn: (operatorId) =>
      ask(api.DELETE("/api/operators/{operatorId}", { params: { path: { operatorId } } })),
    onSuccess: done,
    onError: complain,
  });
  const made = link.data ?? add.data;
  return (
    <section className={s.card}>
      <h2>Operators</h2>
      {made !== undefined && (
        <Secret text={address(made.path)} what="the login link">
          Link of <RecordedText text={made.operator.name} />: it logs in once, until{" "}
          <Time at={made.expiresAt} digits={0} />. Whoever has it is that operator.
        </Secret>
      )}
      {operators.data === undefined ? (
        operators.error === null ? (
          <Loading what="operators" />
        ) : (
          <Failure error={operators.error} what="the operators" onRetry={() => void operators.refetch()} />
        )
      ) : (
        <Table
          caption="Operators"
          rows={operators.data.items}
          keyOf={(row) => row.id}
          columns={[
            { head: "Name", cell: (row) => <RecordedText text={row.name} /> },
            { head: "Scopes", cell: (row) => row.scopes.join(", ") },
            { head: "Agents", cell: (row) => <AgentNames of={row.agents} /> },
            { head: "Since", cell: (row) => <Time at={row.createdAt} digits={0} /> },
            {
              head: "What to do",
              cell: (row) => (
                <Actions
                  of={row}
                  isOwn={row.id === own}
                  isBusy={link.isPending || remove.isPending}
                  onLink={() => {
                    link.mutate(row.id);
                  }}
                  onRemove={() => {
                    remove.mutate(row.id);
                  }}
                />
              ),
            },
          ]}
        />
      )}
      <h3>Let somebody in</h3>
      <NewGrant
        what="Add operator"
        scopes={["view_audit_log", "view_bodies", "manage"]}
        isBusy={add.isPending}
        error={add.error}
        onMake={(grant) => {
          link.reset();
          add.mutate(grant);
        }}
      />
    </section>
  );
}

function complain(error: ApiError): void {
  say(`${error.problem.title}: ${error.problem.detail}`, "bad");
}

function Actions({
  of,
  isOwn,
  isBusy,
  onLink,
  onRemove,
}: {
  of: Operator;
  isOwn: boolean;
  isBusy: boolean;
  onLink: () => void;
  onRemove: () => void;
}): ReactNode {
  if (of.removedAt !== null)
    return (
      <Badge tone="idle" icon="empty">
        removed
      </Badge>
    );
  return (
    <span className={s.actions}>
      <Button small disabled={isBusy} onClick={onLink}>
        New login link
      </Button>
      {isOwn ? (
        <Badge tone="active" icon="dot">
          you
        </Badge>
      ) : (
        <Confirmed what="Remove" isBusy={isBusy} onDo={onRemove} />
      )}
    </span>
  );
}
