import { createRoute, redirect } from "@tanstack/react-router";

import { rootRoute } from "../../routes/root";

// A login link that is opened by somebody who is logged in already.
const loginRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/login",
  beforeLoad: () => {
    if (window.location.hash === "") throw redirect({ to: "/" });
  },
  component: () => null,
});

export const sessionRoutes = [loginRoute] as const;
