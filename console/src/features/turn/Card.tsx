import type { ReactNode } from "react";

import { Flags } from "../../components/steps";
import { AssuranceBadge, Badge, Chips, Hash, Icon, RecordedText, Time } from "../../components/ui";
import { cx } from "../../lib/cx";
import { duration } from "../../lib/format";
import { callCostWords } from "../../lib/money";
import { CardBodies } from "./CardBodies";
import { iconOf, nameOf } from "./cardWords";
import { type CardEvent, problemOf } from "./events";
import type { Entry } from "../../api/types";
import s from "./turn.module.css";

export interface CardProps {
  card: CardEvent;
  /** The model call before this one, null where it is the first; undefined until it has come. */
  before: Entry | null | undefined;
  /** Where the journal breaks, seen from this event. */
  fault: "none" | "here" | "behind";
  isSelected: boolean;
  isOpen: boolean;
  opened: ReadonlySet<string>;
  onToggle: (key: string) => void;
  onSelect: (seq: number) => void;
  fileBodies: Readonly<Record<string, string>>;
}

const HIDDEN_TOKENS = new Set(["assurance", "detail"]);
const ASSURANCE: Readonly<Record<string, string>> = {
  w: "write_ahead",
  s: "spooled",
  o: "observed",
  i: "imported",
};
const LONG_GAP_MS = 60_000;

/** One event: what it is, when, how it fits into the chain, and its bodies on demand. */
export function Card(props: CardProps): ReactNode {
  const { card, fault, isSelected, onSelect } = props;
  const { event, tokens, gapMs } = card;
  const problem = problemOf(card);
  const name = nameOf(card);
  const ms = tokens.get("ms");
  const chips = [...tokens].filter(([key]) => !HIDDEN_TOKENS.has(key));
  const isPlain = chips.length === 0 && event.summary !== "";
  return (
    <div className={s.slot}>
      {gapMs !== null && gapMs >= LONG_GAP_MS && <p className={s.idle}>{duration(gapMs)} idle</p>}
      <article
        className={cx(s.card, isSelected && s.selected, fault === "here" && s.brokenHere)}
        aria-label={`Event ${event.seq}, ${event.type}`}
        aria-current={isSelected || undefined}
        data-seq={event.seq}
        data-fault={fault === "none" ? undefined : fault}
        onClick={() => {
          if (!isSelected) onSelect(event.seq);
        }}
      >
        <header className={s.cardHead}>
          <span className={s.seq}>#{event.seq}</span>
          <span className={cx(s.type, s[familyOf(event.type)])}>
            <Icon name={iconOf(event.type)} /> <RecordedText text={event.type} />
          </span>
          <span className={s.name}>
            <RecordedText text={name === problem ? "" : name} />
          </span>
          {fault === "here" && (
            <Badge tone="bad" icon="cross">
              the chain breaks here
            </Badge>
          )}
          {fault === "behind" && (
            <Badge tone="warn" icon="warning" title="It stands behind the break: its hash proves nothing.">
              not proven
            </Badge>
          )}
          {problem !== null && (
            <Badge tone={problem === "asked, not run" ? "warn" : "bad"} icon="warning">
              {problem}
            </Badge>
          )}
          {card.entry !== undefined && <Flags detail={card.entry.detail} said={problem} />}
          <span className={s.times}>
            <Time at={event.createdAt} form="clock" hasZone />
            {gapMs !== null && <span title="Time since the event before">+{duration(gapMs)}</span>}
            {ms !== undefined && /^\d+$/.test(ms) && (
              <span title="How long it took">took {duration(Number(ms))}</span>
            )}
          </span>
          <AssuranceBadge assurance={ASSURANCE[tokens.get("assurance") ?? ""] ?? null} />
        </header>
        {chips.length > 0 && (
          <Chips pairs={chips.map(([key, value]) => [key, <RecordedText key={key} text={value} />])} />
        )}
        {isPlain && (
          <p className={s.plain}>
            <RecordedText text={event.summary} />
          </p>
        )}
        {card.step?.outcomeSeq === event.seq && card.step.cost !== null && (
          <p className={s.note}>
            Cost: <RecordedText text={callCostWords(card.step.cost)} />
          </p>
        )}
        {card.unrun.length > 0 && (
          <p className={s.note}>
            Asked for and not run: <RecordedText text={card.unrun.join(", ")} />
          </p>
        )}
        <CardBodies {...props} />
        <footer className={s.hashes}>
          <Hash label="payload" value={event.payloadHash} />
          <Hash label="prev" value={event.prevHash} />
          <Hash label="hash" value={event.hash} />
        </footer>
      </article>
    </div>
  );
}

function familyOf(type: string): "model" | "tool" | "other" {
  if (type.startsWith("MODEL") || type === "PROMPT") return "model";
  return type.startsWith("TOOL") ? "tool" : "other";
}
