import { createRoute, lazyRouteComponent } from "@tanstack/react-router";

import { flagParam, textParam } from "../../lib/search";
import { rootRoute } from "../../routes/root";

export interface TextSearch {
  readonly q?: string;
  readonly agent?: string;
  /** Whether the requests to models are searched too. */
  readonly requests?: true;
}

export const searchRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/search",
  validateSearch: (search: Record<string, unknown>): TextSearch => {
    const q = textParam(search, "q");
    const agent = textParam(search, "agent");
    const requests = flagParam(search, "requests");
    return {
      ...(q !== undefined && { q }),
      ...(agent !== undefined && { agent }),
      ...(requests !== undefined && { requests }),
    };
  },
  component: lazyRouteComponent(() => import("./SearchPage"), "SearchPage"),
});

export const searchRoutes = [searchRoute] as const;
