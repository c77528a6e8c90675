import { useQuery } from "@tanstack/react-query";

import { agentsQuery } from "../../api/agents";
import type { ApiError } from "../../api/problem";
import type { Agent } from "../../api/types";

export interface ChosenAgent {
  /** Id of the agent that the address names, else of the first one; undefined while nobody knows. */
  readonly agentId: string | undefined;
  readonly agents: readonly Agent[] | undefined;
  readonly error: ApiError | null;
}

/** The agent of pages that show one at a time. */
export function useAgent(asked: string | undefined): ChosenAgent {
  const { data, error } = useQuery(agentsQuery);
  return { agentId: asked ?? data?.[0]?.id, agents: data, error };
}
