import { queryOptions } from "@tanstack/react-query";

import { askBytes } from "./client";
import { bodyPath } from "./paths";

/** Largest body that is read as one text, for comparing; larger ones are for the body view. */
export const TEXT_LIMIT = 8_000_000;

/** One body as text; a body never changes, so it is asked for once. */
export function bodyTextQuery(agentId: string, eventId: string, slot: string) {
  return queryOptions({
    queryKey: ["body", agentId, eventId, slot],
    queryFn: async ({ signal }) =>
      new TextDecoder().decode(await askBytes(bodyPath(agentId, eventId, slot), signal)),
    staleTime: Infinity,
    gcTime: 60_000,
  });
}
