import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";

import { agentsQuery } from "../../api/agents";
import { Select } from "../ui";

/** Which agent; `isAny` adds the choice of all of them. */
export function AgentSelect({
  value,
  isAny = false,
  onChoose,
}: {
  value: string | undefined;
  isAny?: boolean;
  onChoose: (agentId: string | undefined) => void;
}): ReactNode {
  const agents = useQuery(agentsQuery).data ?? [];
  const known = agents.map((agent) => [agent.id, agent.name] as const);
  const isUnknown = value !== undefined && !agents.some((agent) => agent.id === value);
  return (
    <Select
      label="Agent"
      value={value ?? ""}
      choices={[
        ...(isAny ? ([["", "any"]] as const) : []),
        ...known,
        ...(isUnknown ? ([[value, value]] as const) : []),
      ]}
      onChoose={(chosen) => {
        onChoose(chosen === "" ? undefined : chosen);
      }}
    />
  );
}
