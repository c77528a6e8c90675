import { QueryCache, QueryClient } from "@tanstack/react-query";

import { ApiError } from "./problem";

declare module "@tanstack/react-query" {
  interface Register {
    defaultError: ApiError;
  }
}

/** The cache of answers; a session that ended anywhere is looked at again at once. */
export function createQueryClient(): QueryClient {
  const client = new QueryClient({
    queryCache: new QueryCache({
      onError: (error, query) => {
        const ended = error instanceof ApiError && error.status === 401;
        if (ended && query.queryKey[0] !== "session") {
          void client.invalidateQueries({ queryKey: ["session"] });
        }
      },
    }),
    defaultOptions: {
      queries: {
        staleTime: 10_000,
        refetchOnWindowFocus: false,
        retry: (count, error) => error instanceof ApiError && error.passing && count < 5,
        retryDelay: (count) => Math.min(500 * 2 ** count, 5_000),
      },
    },
  });
  return client;
}
