import { createRoute, lazyRouteComponent } from "@tanstack/react-router";

import { rootRoute } from "../../routes/root";

const balanceRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/balance",
  component: lazyRouteComponent(() => import("./BalancePage"), "BalancePage"),
});

export const balanceRoutes = [balanceRoute] as const;
