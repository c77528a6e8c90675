import { type QueryKey, useQueryClient } from "@tanstack/react-query";
import { useEffect, useRef } from "react";

import type { Topic } from "./stream";
import { useLive } from "./useLive";

const SETTLE_MS = 1500;

/** Figures change with time alone, too: what waits becomes late, what is old drops out of the last day. */
export const AGEING_MS = 60_000;

/** Asks again for these answers once something was recorded, and no more often than figures can be read. */
export function useRenewal(topic: Topic | null, after: string | null, keys: readonly QueryKey[]): void {
  const client = useQueryClient();
  const settling = useRef<ReturnType<typeof setTimeout>>(undefined);
  const soon = (): void => {
    settling.current ??= setTimeout(() => {
      settling.current = undefined;
      for (const queryKey of keys) void client.invalidateQueries({ queryKey });
    }, SETTLE_MS);
  };
  useEffect(
    () => () => {
      clearTimeout(settling.current);
      settling.current = undefined;
    },
    [],
  );
  useLive({ topic, after, onEvents: soon, onResync: soon });
}
