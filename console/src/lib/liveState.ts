import { createStore } from "./store";

export interface LiveState {
  readonly state: "connecting" | "live" | "reconnecting" | "stopped";
  readonly lastEventAt: number | null;
}

/** How the page's live stream goes; null where a page has none. */
export const liveState = createStore<LiveState | null>(null);

export function setLive(state: LiveState | null): void {
  liveState.set(state);
}
