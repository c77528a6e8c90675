import { createRoute, lazyRouteComponent } from "@tanstack/react-router";

import { textParam } from "../../lib/search";
import { rootRoute } from "../../routes/root";

export interface ActorsSearch {
  readonly agent?: string;
  /** One actor, with all messages. */
  readonly actor?: string;
}

export const actorsRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/actors",
  validateSearch: (search: Record<string, unknown>): ActorsSearch => {
    const agent = textParam(search, "agent");
    const actor = textParam(search, "actor");
    return { ...(agent !== undefined && { agent }), ...(actor !== undefined && { actor }) };
  },
  component: lazyRouteComponent(() => import("./ActorsPage"), "ActorsPage"),
});

export const actorRoutes = [actorsRoute] as const;
