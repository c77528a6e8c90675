import { createRoute, lazyRouteComponent } from "@tanstack/react-router";

import { textParam } from "../../lib/search";
import { type SpanSearch, spanSearch } from "../../lib/span";
import { rootRoute } from "../../routes/root";

export interface AgentsSearch extends SpanSearch {
  readonly agent?: string;
}

export const agentsRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/agents",
  validateSearch: (search: Record<string, unknown>): AgentsSearch => {
    const agent = textParam(search, "agent");
    return { ...(agent !== undefined && { agent }), ...spanSearch(search) };
  },
  component: lazyRouteComponent(() => import("./AgentsPage"), "AgentsPage"),
});

export const agentRoutes = [agentsRoute] as const;
