import { createRootRoute } from "@tanstack/react-router";

import { App } from "../App";
import { NotFound } from "./NotFound";
import { RouteFault } from "./RouteFault";

/** Every page is a child of this one. */
export const rootRoute = createRootRoute({
  component: App,
  notFoundComponent: NotFound,
  errorComponent: RouteFault,
});
