import { createRoute, lazyRouteComponent } from "@tanstack/react-router";

import { rootRoute } from "../../routes/root";

const conversationRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/",
  component: lazyRouteComponent(() => import("./ConversationsPage"), "ConversationsPage"),
});

export const conversationRoutes = [conversationRoute] as const;
