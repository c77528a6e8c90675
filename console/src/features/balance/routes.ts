import { createRoute, lazyRouteComponent } from "@tanstack/react-router";

import { textParam } from "../../lib/search";
import { type SpanSearch, spanSearch } from "../../lib/span";
import { rootRoute } from "../../routes/root";

export interface BalanceSearch extends SpanSearch {
  readonly agent?: string;
}

export const balanceRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/balance",
  validateSearch: (search: Record<string, unknown>): BalanceSearch => {
    const agent = textParam(search, "agent");
    return { ...(agent !== undefined && { agent }), ...spanSearch(search) };
  },
  component: lazyRouteComponent(() => import("./BalancePage"), "BalancePage"),
});

export const balanceRoutes = [balanceRoute] as const;
