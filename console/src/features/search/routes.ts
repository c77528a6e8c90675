import { createRoute, lazyRouteComponent } from "@tanstack/react-router";

import { rootRoute } from "../../routes/root";

const searchRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/search",
  component: lazyRouteComponent(() => import("./SearchPage"), "SearchPage"),
});

export const searchRoutes = [searchRoute] as const;
