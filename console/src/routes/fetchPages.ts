import type { RegisteredRouter } from "@tanstack/react-router";

/** Fetch the code of all pages, so that each opens at once, also while the server is gone. */
export async function fetchPages(router: RegisteredRouter): Promise<void> {
  for (const route of Object.values(router.routesById)) {
    await route.options.component?.preload?.();
  }
}
