import { useEffect } from "react";

import { createStore } from "./store";

/** The request that rendered this page, for the footer's API link. */
export const shownRequest = createStore<string | null>(null);

/** Name the page's main request: a path of the API with its query. */
export function useShownRequest(path: string | null): void {
  useEffect(() => {
    shownRequest.set(path);
    return () => {
      shownRequest.set(null);
    };
  }, [path]);
}
