import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";

import type { Finding } from "../../api/types";
import { Table } from "../../components/table";
import { Badge, type Tone } from "../../components/ui";
import { count } from "../../lib/format";

const TONE: Readonly<Record<Finding["verdict"], Tone>> = {
  intact: "good",
  sealed: "good",
  witnessed: "good",
  empty: "idle",
  not_checked: "idle",
  broken: "bad",
  malformed: "bad",
};

/** Findings about journals, each with a way to what it is about. */
export function FindingTable({
  caption,
  findings,
}: {
  caption: string;
  findings: readonly Finding[];
}): ReactNode {
  return (
    <Table
      caption={caption}
      rows={findings}
      keyOf={(row) => `${row.kind}/${row.target}`}
      columns={[
        {
          head: "Verdict",
          cell: (row) => (
            <Badge
              tone={TONE[row.verdict]}
              icon={TONE[row.verdict] === "good" ? "check" : TONE[row.verdict] === "bad" ? "cross" : "dot"}
            >
              {row.verdict.replace("_", " ")}
            </Badge>
          ),
        },
        { head: "Journal", cell: (row) => <JournalLink of={row} /> },
        {
          head: "What was found",
          cell: (row) => (
            <>
              {row.explanation}
              {row.warnings.map((warning) => (
                <div key={warning}>Warning: {warning}</div>
              ))}
            </>
          ),
        },
        { head: "Events", isNumber: true, cell: (row) => count(row.events) },
        { head: "Bodies hashed", isNumber: true, cell: (row) => count(row.bodies.checked) },
        { head: "Pruned", isNumber: true, cell: (row) => count(row.bodies.pruned) },
      ]}
    />
  );
}

function JournalLink({ of }: { of: Finding }): ReactNode {
  const { agentId } = of;
  const words = `${of.kind} ${of.target.slice(0, 18)}…`;
  if (of.kind === "turn")
    return (
      <Link
        to="/agents/turns"
        search={{
          turnId: of.target,
          ...(agentId !== null && { agentId }),
          ...(of.brokenAtSeq >= 0 && { seq: of.brokenAtSeq }),
        }}
        title={of.target}
      >
        {words}
      </Link>
    );
  if (of.kind === "conversation" && agentId !== null)
    return (
      <Link
        to="/agents/$agentId/conversations/$conversationId"
        params={{ agentId, conversationId: of.target }}
        search={of.brokenAtSeq >= 0 ? { seq: of.brokenAtSeq } : {}}
        title={of.target}
      >
        {words}
      </Link>
    );
  return <span title={of.target}>{words}</span>;
}
