import { createRoute, lazyRouteComponent } from "@tanstack/react-router";

import { rootRoute } from "../../routes/root";

const settingsRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/settings",
  component: lazyRouteComponent(() => import("./SettingsPage"), "SettingsPage"),
});

export const settingsRoutes = [settingsRoute] as const;
