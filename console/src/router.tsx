import { createRouter } from "@tanstack/react-router";

import { BASE } from "./base";
import { actorRoutes } from "./features/actors/routes";
import { agentRoutes } from "./features/agents/routes";
import { balanceRoutes } from "./features/balance/routes";
import { conversationRoutes } from "./features/conversations/routes";
import { integrityRoutes } from "./features/integrity/routes";
import { memoryRoutes } from "./features/memory/routes";
import { searchRoutes } from "./features/search/routes";
import { sessionRoutes } from "./features/session/routes";
import { settingsRoutes } from "./features/settings/routes";
import { turnRoutes } from "./features/turn/routes";
import { parseSearch, stringifySearch } from "./lib/search";
import { rootRoute } from "./routes/root";

export const router = createRouter({
  routeTree: rootRoute.addChildren([
    ...conversationRoutes,
    ...agentRoutes,
    ...turnRoutes,
    ...actorRoutes,
    ...balanceRoutes,
    ...searchRoutes,
    ...memoryRoutes,
    ...integrityRoutes,
    ...settingsRoutes,
    ...sessionRoutes,
  ]),
  basepath: BASE,
  // What no page knows is taken out of the address, so that it is not asked for either.
  search: { strict: true },
  parseSearch,
  stringifySearch,
  // The page scrolls inside <main>, and lists find their place from the address.
  scrollRestoration: false,
});

declare module "@tanstack/react-router" {
  interface Register {
    router: typeof router;
  }
}
