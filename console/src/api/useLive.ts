import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useEffectEvent } from "react";

import { setLive } from "../lib/liveState";
import { stillLoggedIn } from "./session";
import { LiveStream, type Topic } from "./stream";
import type { StreamEvent } from "./types";

export interface LiveOptions {
  /** What to listen to; null: nothing. */
  topic: Topic | null;
  /** Cursor of the answer that is shown (`liveCursor`, `after`); null until it is there: then nothing is heard. */
  after: string | null;
  onEvents: (events: readonly StreamEvent[]) => void;
  /** What was shown may lack something: ask for it again. */
  onResync: () => void;
}

/**
 * Listens while the page is shown, and tells the header how it goes.  The subscription lasts while topic
 * and the presence of a cursor stay: a later cursor of the same list does not open another one.
 */
export function useLive({ topic, after, onEvents, onResync }: LiveOptions): void {
  const heard = useEffectEvent(onEvents);
  const resync = useEffectEvent(onResync);
  const cursor = useEffectEvent(() => after);
  const wanted = topic === null || after === null ? null : JSON.stringify(topic);
  const listening = useEffectEvent(() => topic);
  const client = useQueryClient();
  useEffect(() => {
    const about = listening();
    if (wanted === null || about === null) return;
    const stream = new LiveStream(about, cursor(), {
      onEvents: (events) => {
        heard(events);
      },
      onResync: () => {
        resync();
      },
      onState: setLive,
      stillLoggedIn: () => stillLoggedIn(client),
    });
    return () => {
      stream.close();
      setLive(null);
    };
  }, [wanted, client]);
}
