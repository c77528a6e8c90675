import { type QueryClient, queryOptions, useQuery } from "@tanstack/react-query";
import { useEffect, useEffectEvent, useRef } from "react";

import { api, ask, rememberCsrf } from "./client";
import { ApiError } from "./problem";
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

/** Look at the session again, so that the page says what became of it; true where that cannot be known. */
export async function stillLoggedIn(client: QueryClient): Promise<boolean> {
  try {
    await client.query({ ...sessionQuery, staleTime: 0 });
    return true;
  } catch (error) {
    return !(error instanceof ApiError && error.status === 401);
  }
}

/** Calls when the server answers again after it did not. */
export function useServerBack(onBack: () => void): void {
  const isGone = useQuery(sessionQuery).error?.passing === true;
  const wasGone = useRef(isGone);
  const back = useEffectEvent(onBack);
  useEffect(() => {
    if (wasGone.current && !isGone) back();
    wasGone.current = isGone;
  }, [isGone]);
}

/** Whether the session may read what was said, not only that it was. */
export function seesBodies(session: Session | undefined): boolean {
  return session?.scopes.includes("view_bodies") ?? false;
}
