import { queryOptions, useQuery } from "@tanstack/react-query";
import { useEffect } from "react";

import { api, ask } from "./client";
import { noteFindings } from "./findings";
import type { Integrity } from "./types";

const LOOK_MS = 700;

const isRunning = (of: Integrity | undefined): boolean => of?.verification?.state === "running";

export const integrityQuery = queryOptions({
  queryKey: ["integrity"],
  queryFn: ({ signal }) => ask(api.GET("/api/integrity", { signal })),
  refetchInterval: (query) => (isRunning(query.state.data) ? LOOK_MS : false),
});

/** Hear of what a verification of everything finds, also where its page was left meanwhile. */
export function useFindings(): void {
  const { data } = useQuery({ ...integrityQuery, enabled: (query) => isRunning(query.state.data) });
  const job = data?.verification ?? null;
  useEffect(() => {
    if (job !== null && job.state !== "running") noteFindings(job.unsound, job.state === "finished");
  }, [job]);
}
