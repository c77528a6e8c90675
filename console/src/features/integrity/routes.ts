import { createRoute, lazyRouteComponent } from "@tanstack/react-router";

import { rootRoute } from "../../routes/root";

const integrityRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/integrity",
  component: lazyRouteComponent(() => import("./IntegrityPage"), "IntegrityPage"),
});

export const integrityRoutes = [integrityRoute] as const;
