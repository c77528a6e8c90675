import { createRoute, lazyRouteComponent } from "@tanstack/react-router";

import { choiceParam, flagParam, numberParam, textParam } from "../../lib/search";
import { rootRoute } from "../../routes/root";

export const VIEWS = ["cards", "waterfall", "prompt", "raw"] as const;
export type View = (typeof VIEWS)[number];

export interface TurnSearch {
  readonly agentId?: string;
  readonly turnId?: string;
  readonly view?: View;
  /** Place of the selected event. */
  readonly seq?: number;
  /** Whether the bodies of the selected event are open. */
  readonly open?: true;
}

/** Leaves out what is undefined, so that the address stays short. */
function turnSearch(search: Record<string, unknown>): TurnSearch {
  const agentId = textParam(search, "agentId");
  const turnId = textParam(search, "turnId");
  const view = choiceParam(search, "view", VIEWS);
  const seq = numberParam(search, "seq");
  const open = flagParam(search, "open");
  return {
    ...(agentId !== undefined && { agentId }),
    ...(turnId !== undefined && { turnId }),
    ...(view !== undefined && { view }),
    ...(seq !== undefined && { seq }),
    ...(open !== undefined && { open }),
  };
}

export const inspectorRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/agents/turns",
  validateSearch: turnSearch,
  component: lazyRouteComponent(() => import("./InspectorPage"), "InspectorPage"),
});

export const turnRoutes = [inspectorRoute] as const;
