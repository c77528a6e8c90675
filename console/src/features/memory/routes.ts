import { createRoute, lazyRouteComponent } from "@tanstack/react-router";

import { textParam } from "../../lib/search";
import { rootRoute } from "../../routes/root";

export interface MemorySearch {
  readonly agent?: string;
  readonly conversation?: string;
  /** One entry, with all its revisions. */
  readonly entry?: string;
}

function memorySearch(search: Record<string, unknown>): MemorySearch {
  const agent = textParam(search, "agent");
  const conversation = textParam(search, "conversation");
  const entry = textParam(search, "entry");
  return {
    ...(agent !== undefined && { agent }),
    ...(conversation !== undefined && { conversation }),
    ...(entry !== undefined && { entry }),
  };
}

export const memoryRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/memory",
  validateSearch: memorySearch,
  component: lazyRouteComponent(() => import("./MemoryPage"), "MemoryPage"),
});

export const memoryRoutes = [memoryRoute] as const;
