import { useNavigate } from "@tanstack/react-router";
import { type ReactNode, useState } from "react";

import { journalPath } from "../../api/paths";
import { Page } from "../../components/layout/Page";
import { Empty } from "../../components/ui";
import { isUuid } from "../../lib/ids";
import { useShownRequest } from "../../lib/shownRequest";
import { FileView } from "./FileView";
import { FindAgent } from "./FindAgent";
import { IdForm } from "./IdForm";
import type { OpenedFile } from "./openFile";
import { inspectorRoute } from "./routes";
import { TurnView } from "./TurnView";

/** One turn, event by event, with every hash recomputed in this browser. */
export function InspectorPage(): ReactNode {
  const search = inspectorRoute.useSearch();
  const navigate = useNavigate({ from: inspectorRoute.fullPath });
  const [file, setFile] = useState<OpenedFile | null>(null);
  const { agentId, turnId } = search;
  const isValid = agentId !== undefined && turnId !== undefined && isUuid(agentId) && isUuid(turnId);
  useShownRequest(isValid && file === null ? journalPath(agentId, turnId) : null);
  return (
    <Page title="Turn inspector" aside={<small>Test &amp; monitor</small>}>
      <IdForm
        key={`${agentId ?? ""}/${turnId ?? ""}`}
        agentId={agentId ?? ""}
        turnId={turnId ?? ""}
        onIds={(ids) => {
          setFile(null);
          void navigate({ search: ids });
        }}
        onFile={setFile}
      />
      {file !== null ? (
        <FileView
          file={file}
          onClose={() => {
            setFile(null);
          }}
        />
      ) : isValid ? (
        <TurnView key={`${agentId}/${turnId}`} agentId={agentId} turnId={turnId} search={search} />
      ) : agentId === undefined && turnId !== undefined && isUuid(turnId) ? (
        <FindAgent turnId={turnId} />
      ) : (
        <NoTurn isNamed={agentId !== undefined || turnId !== undefined} />
      )}
    </Page>
  );
}

function NoTurn({ isNamed }: { isNamed: boolean }): ReactNode {
  if (isNamed) {
    return (
      <Empty title="These are not two ids" icon="warning">
        <p>
          An agent and a turn are named by a UUID each, in small letters, such as{" "}
          <code>0198c0de-0000-7000-8000-000000000000</code>. Both are needed: a turn belongs to exactly one
          agent.
        </p>
      </Empty>
    );
  }
  return (
    <Empty title="No turn is chosen" icon="search">
      <p>
        Come here from a conversation, type an agent’s and a turn’s id, or open a fixture or journal file from
        disk: it is checked in this browser, and nothing of it is sent anywhere.
      </p>
    </Empty>
  );
}
