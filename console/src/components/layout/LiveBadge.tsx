import type { ReactNode } from "react";

import { liveState } from "../../lib/liveState";
import { useStore } from "../../lib/store";
import { Ago, Badge } from "../ui";

/** Whether the page moves by itself, and how old the last event is. */
export function LiveBadge(): ReactNode {
  const live = useStore(liveState);
  if (live === null) return null;
  const age =
    live.lastEventAt === null ? null : (
      <>
        {" "}
        · <Ago at={live.lastEventAt} />
      </>
    );
  switch (live.state) {
    case "live":
      return (
        <Badge tone="good" icon="dot" title="What is recorded appears here by itself.">
          live{age}
        </Badge>
      );
    case "connecting":
      return (
        <Badge tone="idle" icon="clock">
          connecting
        </Badge>
      );
    case "reconnecting":
      return (
        <Badge tone="warn" icon="warning" title="The stream was cut; it goes on where it stopped.">
          reconnecting{age}
        </Badge>
      );
    case "stopped":
      return (
        <Badge tone="idle" icon="pause" title="Nothing is followed now.">
          stopped{age}
        </Badge>
      );
  }
}
