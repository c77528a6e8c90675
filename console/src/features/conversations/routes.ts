import { createRoute, lazyRouteComponent } from "@tanstack/react-router";

import { choiceParam, flagParam, numberParam, textParam } from "../../lib/search";
import { type SpanSearch, spanSearch } from "../../lib/span";
import { rootRoute } from "../../routes/root";

export const SHAPES = ["dm", "channel", "thread", "session"] as const;
export const STATUSES = ["open", "waiting", "failed", "owes"] as const;

export interface ListSearch extends SpanSearch {
  readonly agent?: string;
  readonly actor?: string;
  readonly connector?: string;
  readonly place?: string;
  readonly shape?: (typeof SHAPES)[number];
  readonly status?: (typeof STATUSES)[number];
  readonly q?: string;
  /** The selected conversation. */
  sel?: string;
}

const TEXTS = ["agent", "actor", "connector", "place", "q", "sel"] as const;

function listSearch(search: Record<string, unknown>): ListSearch {
  const shape = choiceParam(search, "shape", SHAPES);
  const status = choiceParam(search, "status", STATUSES);
  const texts: Partial<Record<(typeof TEXTS)[number], string>> = {};
  for (const key of TEXTS) {
    const value = textParam(search, key);
    if (value !== undefined) texts[key] = value;
  }
  return {
    ...texts,
    ...(shape !== undefined && { shape }),
    ...(status !== undefined && { status }),
    ...spanSearch(search),
  };
}

export interface TimelineSearch {
  /** The selected event. */
  readonly at?: string;
  /** Instead: its place in the timeline, or in the conversation's own journal; `at` takes their place. */
  readonly position?: number;
  readonly seq?: number;
  /** Whether the bodies of the selected event are open. */
  readonly open?: true;
}

function timelineSearch(search: Record<string, unknown>): TimelineSearch {
  const at = textParam(search, "at");
  const open = flagParam(search, "open");
  const position = numberParam(search, "position");
  const seq = numberParam(search, "seq");
  return {
    ...(at !== undefined && { at }),
    ...(open !== undefined && { open }),
    ...(position !== undefined && { position }),
    ...(seq !== undefined && { seq }),
  };
}

export const listRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/",
  validateSearch: listSearch,
  component: lazyRouteComponent(() => import("./ConversationsPage"), "ConversationsPage"),
});

export const timelineRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/agents/$agentId/conversations/$conversationId",
  validateSearch: timelineSearch,
  component: lazyRouteComponent(() => import("./TimelinePage"), "TimelinePage"),
});

export const conversationRoutes = [listRoute, timelineRoute] as const;
