import { createRoute, lazyRouteComponent } from "@tanstack/react-router";

import { rootRoute } from "../../routes/root";

const actorRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/actors",
  component: lazyRouteComponent(() => import("./ActorsPage"), "ActorsPage"),
});

export const actorRoutes = [actorRoute] as const;
