import { queryOptions } from "@tanstack/react-query";

import { api, ask } from "./client";
import type { Agent } from "./types";

/** All agents that the caller may see, by name; without those that only a token was made for until now. */
export const agentsQuery = queryOptions({
  queryKey: ["agents"],
  queryFn: async ({ signal }): Promise<Agent[]> =>
    (await ask(api.GET("/api/agents", { signal }))).items.filter(
      ({ conversations, turns }) => conversations + turns > 0,
    ),
  staleTime: 30_000,
});
