import { useMutation } from "@tanstack/react-query";
import { type FormEvent, type ReactNode, useState } from "react";

import { api, ask } from "../../api/client";
import { noteFindings } from "../../api/findings";
import { ApiError } from "../../api/problem";
import type { components } from "../../api/schema";
import { AgentSelect, useAgent } from "../../components/filters";
import { Badge, Button, Failure, Field } from "../../components/ui";
import { isUuid } from "../../lib/ids";
import { FindingTable } from "./FindingTable";
import s from "./integrity.module.css";

type FindingList = components["schemas"]["FindingList"];

interface Target {
  agentId: string;
  id: string;
}

/** An id is a turn's or a conversation's: who has one need not know which. */
async function verified({ agentId, id }: Target): Promise<FindingList> {
  try {
    return await ask(
      api.GET("/api/agents/{agentId}/turns/{turnId}/verification", {
        params: { path: { agentId, turnId: id } },
      }),
    );
  } catch (error) {
    if (!(error instanceof ApiError) || error.status !== 404) throw error;
  }
  return ask(
    api.GET("/api/agents/{agentId}/conversations/{conversationId}/verification", {
      params: { path: { agentId, conversationId: id } },
    }),
  );
}

export function VerifyOne(): ReactNode {
  const [agent, setAgent] = useState<string>();
  const [text, setText] = useState("");
  const [fault, setFault] = useState<string>();
  const { agentId } = useAgent(agent);
  const verifying = useMutation<FindingList, ApiError, Target>({
    mutationFn: verified,
    onSuccess: ({ items }) => {
      noteFindings(items);
    },
  });
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    const id = text.trim().toLowerCase();
    if (!isUuid(id)) setFault("An id looks like 01890a5d-ac96-774b-bcce-b302099a8057.");
    else if (agentId !== undefined) {
      setFault(undefined);
      verifying.mutate({ agentId, id });
    }
  };
  return (
    <section className={s.card}>
      <h2>One turn or conversation</h2>
      <form className={s.form} onSubmit={submit}>
        <AgentSelect value={agentId} onChoose={setAgent} />
        <Field
          label="Id of a turn or conversation"
          value={text}
          fault={fault}
          onChange={(event) => {
            setText(event.target.value);
          }}
        />
        <Button type="submit" disabled={verifying.isPending || agentId === undefined}>
          {verifying.isPending ? "Verifying …" : "Verify"}
        </Button>
      </form>
      {verifying.error !== null && <Failure error={verifying.error} what="the verification" />}
      {verifying.data !== undefined && (
        <>
          <FindingTable caption="Findings" findings={verifying.data.items} />
          <NotCovered of={verifying.data} />
        </>
      )}
    </section>
  );
}

function NotCovered({ of }: { of: FindingList }): ReactNode {
  const words = [...new Set(of.items.flatMap((item) => item.notCovered))];
  if (words.length === 0) return null;
  return (
    <p className={s.soft}>
      <Badge tone="warn" icon="warning">
        not covered
      </Badge>{" "}
      {words.join(", ")}
    </p>
  );
}
