import type { ReactNode } from "react";

import type { TurnReport } from "../../api/types";
import { Button, Icon, RecordedText } from "../../components/ui";
import { counted } from "../../lib/format";
import type { Cause } from "./cause";
import s from "./turn.module.css";

const SHOWN = 6;

/** What an operator has to know before anything else: steps in doubt, tools that nobody ran, a silent writer. */
export function Notices({
  report,
  cause,
  said,
  onSelect,
}: {
  report: TurnReport;
  cause: Cause | null;
  /** The first words of what the event of the cause says, where they may be read. */
  said: string;
  onSelect: (seq: number) => void;
}): ReactNode {
  const doubts = report.unfinishedSteps.filter((step) => step.doubt !== null && step.doubt !== "running");
  const more = report.turn.openSteps - report.unfinishedSteps.length + doubts.length;
  const { unrunTools, unrunCount } = report;
  if (cause === null && doubts.length === 0 && unrunTools.length === 0 && !report.noSignOfLife) return null;
  return (
    <ul className={s.notices} aria-label="To look at">
      {cause !== null && (
        <li>
          <Icon name="cross" /> <strong>why it {endedWords(report.turn.status)}:</strong>{" "}
          <RecordedText text={cause.words} />
          {said !== "" && (
            <>
              {" "}
              <code>
                <RecordedText text={said} />
              </code>
            </>
          )}{" "}
          <Button
            small
            look="quiet"
            onClick={() => {
              onSelect(cause.seq);
            }}
          >
            event {cause.seq}
          </Button>
        </li>
      )}
      {report.noSignOfLife && (
        <li>
          <Icon name="warning" /> <strong>No sign of life:</strong> this turn has not ended, and its writer
          has stopped renewing its claim.
        </li>
      )}
      {doubts.slice(0, SHOWN).map((step) => (
        <li key={step.intentSeq}>
          <Icon name="warning" /> <strong>{step.doubt}:</strong> {step.kind} call{" "}
          <RecordedText text={step.name ?? ""} /> was recorded before it ran, and no outcome was.{" "}
          <Button
            small
            look="quiet"
            onClick={() => {
              onSelect(step.intentSeq);
            }}
          >
            event {step.intentSeq}
          </Button>
        </li>
      ))}
      {more > SHOWN && (
        <li>and {counted(more - SHOWN, "more step", "more steps")} in doubt; press n for the next.</li>
      )}
      {unrunTools.slice(0, SHOWN).map((tool) => (
        <li key={`${tool.resultSeq}/${tool.ordinal}`}>
          <Icon name="empty" /> <strong>asked, not run:</strong> the model asked for{" "}
          <code>
            <RecordedText text={tool.tool} />
          </code>
          , and nobody ran it.{" "}
          <Button
            small
            look="quiet"
            onClick={() => {
              onSelect(tool.resultSeq);
            }}
          >
            event {tool.resultSeq}
          </Button>
        </li>
      ))}
      {unrunCount > SHOWN && (
        <li>and {counted(unrunCount - SHOWN, "more tool call")} asked for and not run.</li>
      )}
    </ul>
  );
}

function endedWords(status: string): string {
  return status === "failed" ? status : `was ${status}`;
}
