import { api, ask } from "../../api/client";
import type { components } from "../../api/schema";
import type { ZoneChoice } from "../../lib/settings";
import { spanQuery } from "../../lib/span";
import type { ListSearch } from "./routes";

export type ConversationList = components["schemas"]["ConversationList"];

export const PAGE = 50;

/** The parameters of the API that a page's address stands for. */
function parameters(search: ListSearch, zone: ZoneChoice) {
  const { actor, connector, shape, place, status, q } = search;
  return {
    ...(actor !== undefined && { actor }),
    ...(connector !== undefined && { connector }),
    ...(shape !== undefined && { shape }),
    ...(place !== undefined && { place }),
    ...(status !== undefined && { status }),
    ...(q !== undefined && { q }),
    ...spanQuery(search, zone, Date.now()),
    previews: true,
    limit: PAGE,
  };
}

/** One page of the list, latest activity first; `after` is the cursor of the page before, or null. */
export function listPage(
  search: ListSearch,
  zone: ZoneChoice,
  after: string | null,
  signal?: AbortSignal,
): Promise<ConversationList> {
  const query = { ...parameters(search, zone), ...(after !== null && { after }) };
  const options = { ...(signal && { signal }) };
  return search.agent === undefined
    ? ask(api.GET("/api/conversations", { params: { query }, ...options }))
    : ask(
        api.GET("/api/agents/{agentId}/conversations", {
          params: { path: { agentId: search.agent }, query },
          ...options,
        }),
      );
}

/** The same request as text, for the footer. */
export function listPath(search: ListSearch, zone: ZoneChoice): string {
  const query = new URLSearchParams();
  for (const [key, value] of Object.entries(parameters(search, zone))) query.set(key, String(value));
  const base =
    search.agent === undefined ? "/api/conversations" : `/api/agents/${search.agent}/conversations`;
  return `${base}?${query.toString()}`;
}

/** Whether anything narrows the list. */
export function isFiltered(search: ListSearch): boolean {
  return Object.entries(search).some(([key, value]) => key !== "sel" && value !== undefined);
}
