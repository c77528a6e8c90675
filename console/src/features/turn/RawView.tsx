import { type ReactNode, useState } from "react";

import { journalPath, turnPath } from "../../api/paths";
import { BodyView } from "../../components/body";
import { Button } from "../../components/ui";
import s from "./turn.module.css";

/** The answers of the API as they came. */
export function RawView({ agentId, turnId }: { agentId: string; turnId: string }): ReactNode {
  const [whole, setWhole] = useState(false);
  return (
    <div className={s.prompts}>
      <div className={s.parts}>
        <Button
          small
          aria-pressed={!whole}
          onClick={() => {
            setWhole(false);
          }}
        >
          the journal, as it is hashed
        </Button>
        <Button
          small
          aria-pressed={whole}
          onClick={() => {
            setWhole(true);
          }}
        >
          the turn and its first 500 events
        </Button>
      </div>
      <BodyView
        key={String(whole)}
        source={{ path: whole ? turnPath(agentId, turnId) : journalPath(agentId, turnId), size: 0 }}
        label={whole ? "the turn as JSON" : "the journal as JSON"}
        fileName={`turn-${turnId}.${whole ? "report" : "journal"}.json`}
      />
    </div>
  );
}
