import { QueryCache, QueryClient } from "@tanstack/react-query";

import { ApiError } from "./problem";

declare module "@tanstack/react-query" {
  interface Register {
    defaultError: ApiError;
  }
}

/** The cache of answers; where one failed because the session ended or the server is gone, the page says so. */
export function createQueryClient(): QueryClient {
  const client = new QueryClient({
    queryCache: new QueryCache({
      onError: (error, query) => {
        const isDoubtful = error instanceof ApiError && error.isDoubtful;
        if (isDoubtful && query.queryKey[0] !== "session") {
          void client.invalidateQueries({ queryKey: ["session"] });
        }
      },
    }),
    defaultOptions: {
      queries: {
        staleTime: 10_000,
        refetchOnWindowFocus: false,
        retry: (count, error) => error instanceof ApiError && error.passing && count < 2,
        retryDelay: (count) => 500 * 2 ** count,
        // A server on this machine answers without a network.
        networkMode: "always",
      },
      mutations: { networkMode: "always" },
    },
  });
  return client;
}
