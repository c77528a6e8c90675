import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";

import { agentsQuery } from "../../api/agents";
import { RecordedText } from "../../components/ui";
import { short } from "../../lib/format";

/** The agents that a token or a person is let near, by name; one that is not on record yet by its id. */
export function AgentNames({ of }: { of: readonly string[] | null }): ReactNode {
  const { data: known } = useQuery(agentsQuery);
  if (of === null) return "all agents";
  if (of.length === 0) return "no agent";
  const names = of.map((id) => known?.find((agent) => agent.id === id)?.name ?? `${short(id, 13)}…`);
  return (
    <span title={of.join("\n")}>
      <RecordedText text={names.join(", ")} />
    </span>
  );
}
