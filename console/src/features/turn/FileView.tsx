import { type ReactNode, useMemo, useState } from "react";

import { Badge, Button, Empty, Hash, RecordedText, Select } from "../../components/ui";
import { useKeys } from "../../lib/keyboard";
import { counted, short } from "../../lib/format";
import { Cards } from "./Cards";
import { CardTable } from "./events";
import { brokenAt, judge } from "./judgement";
import type { OpenedFile } from "./openFile";
import { Outline } from "./Outline";
import s from "./turn.module.css";
import { VerdictPanel } from "./VerdictPanel";

/** A fixture or journal file from disk: checked here, sent nowhere. */
export function FileView({ file, onClose }: { file: OpenedFile; onClose: () => void }): ReactNode {
  const [place, setPlace] = useState(0);
  const [selected, setSelected] = useState<number>();
  const [open, setOpen] = useState(false);
  const journal = file.journals[place];
  const cards = useMemo(() => (journal === undefined ? null : new CardTable(journal.events)), [journal]);
  const move = (step: 1 | -1): void => {
    const at = selected === undefined ? -1 : (cards?.placeOf(selected) ?? -1);
    const next = cards?.at(at + step);
    if (next !== undefined) setSelected(next.event.seq);
  };
  useKeys({
    j: () => {
      move(1);
    },
    k: () => {
      move(-1);
    },
    e: () => {
      setOpen(!open);
    },
  });
  if (journal === undefined || cards === null) {
    return (
      <Empty
        title="This file cannot be read"
        icon="warning"
        actions={<Button onClick={onClose}>Close</Button>}
      >
        <p>
          <RecordedText text={file.fault ?? "It holds no journal."} />
        </p>
        <p>
          What can be opened: a fixture (<code>turn-….fixture.json</code>) and a journal file, one event a
          line, as <code>turnledger export</code> writes it.
        </p>
      </Empty>
    );
  }
  const judgement = judge(journal);
  return (
    <>
      <section className={s.totals} aria-label="The file">
        <div className={s.who}>
          <Badge tone="active" icon="prompt">
            {journal.form === "fixture" ? "fixture" : "journal file"}
          </Badge>
          <strong>
            <RecordedText text={file.name} />
          </strong>
          <Hash label={journal.kind} value={journal.journalId} />
          <Hash label="agent" value={journal.agentId} />
          <span>{counted(journal.events.length, "event")}</span>
          <span className={s.actions}>
            <Button small onClick={onClose}>
              Close the file
            </Button>
          </span>
        </div>
        {file.journals.length > 1 && (
          <Select
            label={`${counted(file.journals.length, "journal")} in this file`}
            value={String(place)}
            onChoose={(value) => {
              setPlace(Number(value));
              setSelected(undefined);
            }}
            choices={file.journals.map((one, at) => [
              String(at),
              `${one.kind} ${short(one.journalId)}… · ${one.report.verdict} · ${counted(one.events.length, "event")}`,
            ])}
          />
        )}
      </section>
      <VerdictPanel journal={journal} judgement={judgement} at={null} />
      <div className={s.outlined}>
        <Outline cards={cards} breakAt={brokenAt(judgement)} selected={selected} onSelect={setSelected} />
        <Cards
          cards={cards}
          judgement={judgement}
          selected={selected}
          isOpen={open}
          onSelect={setSelected}
          fileBodies={journal.bodies}
        />
      </div>
    </>
  );
}
