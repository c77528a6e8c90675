import { queryOptions } from "@tanstack/react-query";

import { api, ask, rememberCsrf } from "./client";
import type { Session } from "./types";

export const sessionQuery = queryOptions({
  queryKey: ["session"],
  queryFn: async ({ signal }): Promise<Session> => {
    const session = await ask(api.GET("/api/session", { signal }));
    rememberCsrf(session.csrfToken);
    return session;
  },
  staleTime: 5 * 60_000,
  retry: false,
});

/** Open a session with the code of a login link.  Throws ApiError. */
export async function logIn(code: string): Promise<Session> {
  const session = await ask(api.POST("/api/session", { body: { code } }));
  rememberCsrf(session.csrfToken);
  return session;
}

export async function logOut(): Promise<void> {
  await ask(api.DELETE("/api/session"));
  rememberCsrf(null);
}

/** Whether the session may read what was said, not only that it was. */
export function seesBodies(session: Session | undefined): boolean {
  return session?.scopes.includes("view_bodies") ?? false;
}
