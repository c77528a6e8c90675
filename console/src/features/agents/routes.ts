import { createRoute, lazyRouteComponent } from "@tanstack/react-router";

import { rootRoute } from "../../routes/root";

const agentRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/agents",
  component: lazyRouteComponent(() => import("./AgentsPage"), "AgentsPage"),
});

export const agentRoutes = [agentRoute] as const;
