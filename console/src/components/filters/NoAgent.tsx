import type { ReactNode } from "react";

import { Empty, Failure, Loading } from "../ui";
import type { ChosenAgent } from "./useAgent";

/** Instead of a page about one agent, while there is none. */
export function NoAgent({ chosen }: { chosen: ChosenAgent }): ReactNode {
  if (chosen.error !== null) return <Failure error={chosen.error} what="the agents" />;
  if (chosen.agents === undefined) return <Loading what="agents" />;
  return (
    <Empty title="No agent has recorded anything yet">
      <p>
        An agent appears here with its first event. <code>turnledger demo</code> records examples; the page
        Conversations shows the lines that make an agent record.
      </p>
    </Empty>
  );
}
