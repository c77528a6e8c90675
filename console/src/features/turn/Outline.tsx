import { type ReactNode, useEffect, useMemo, useRef } from "react";

import { type ListHandle, VirtualList } from "../../components/list";
import { Icon, RecordedText } from "../../components/ui";
import { cx } from "../../lib/cx";
import { duration } from "../../lib/format";
import { iconOf, nameOf } from "./cardWords";
import { type CardTable, problemOf } from "./events";
import s from "./turn.module.css";

const ROW = 28;
const OUTCOMES: ReadonlySet<string> = new Set(["MODEL_RESULT", "TOOL_RESULT"]);

/** The steps of a turn in short, beside its cards: where one is, where there is trouble, and a way there. */
export function Outline({
  cards,
  breakAt,
  selected,
  onSelect,
}: {
  cards: CardTable;
  /** Place of the event where the journal breaks; -1: it does not. */
  breakAt: number;
  selected: number | undefined;
  onSelect: (seq: number) => void;
}): ReactNode {
  const places = useMemo(() => stepsOf(cards), [cards]);
  const list = useRef<ListHandle>(null);
  const chosen = selected === undefined ? -1 : cards.placeOf(selected);
  const current = chosen < 0 ? -1 : (places.findLast((place) => place <= chosen) ?? -1);
  const broken = breakAt < 0 ? -1 : (places.findLast((place) => beginning(cards, breakAt) >= place) ?? -1);
  useEffect(() => {
    if (current >= 0) list.current?.scrollToKey(String(current));
  }, [current]);
  return (
    <nav className={s.outline} aria-label="Outline of the turn">
      <VirtualList
        ref={list}
        items={places}
        keyOf={String}
        estimate={ROW}
        label="Steps"
        row={(place) => (
          <Step
            cards={cards}
            place={place}
            isBroken={place === broken}
            isCurrent={place === current}
            onSelect={onSelect}
          />
        )}
      />
    </nav>
  );
}

function Step({
  cards,
  place,
  isBroken,
  isCurrent,
  onSelect,
}: {
  cards: CardTable;
  place: number;
  /** Whether this step's record is the first that does not prove. */
  isBroken: boolean;
  isCurrent: boolean;
  onSelect: (seq: number) => void;
}): ReactNode {
  const card = cards.at(place);
  if (card === undefined) return null;
  const { event, step } = card;
  const status = step?.status ?? "ok";
  const ms = step?.ms ?? null;
  const outcome = cards.at(cards.placeOf(step?.outcomeSeq ?? -1));
  const own = problemOf(card) ?? (outcome === undefined ? null : problemOf(outcome));
  const problem = own ?? (status === "ok" ? null : status);
  return (
    <button
      type="button"
      className={cx(s.outlineStep, isBroken && s.outlineBroken)}
      aria-current={isCurrent ? "step" : undefined}
      onClick={() => {
        onSelect(event.seq);
      }}
    >
      <span className={s.seq}>{event.seq}</span>
      <Icon name={iconOf(event.type)} size={12} />
      <span className={s.outlineName}>
        <RecordedText text={nameOf(card) || event.type.toLowerCase().replaceAll("_", " ")} />
      </span>
      {isBroken && (
        <span className={s.outlineBreak} title="The chain breaks here">
          <Icon name="cross" size={11} /> altered
        </span>
      )}
      {problem !== null && !isBroken && (
        <span className={s.outlineProblem} role="img" aria-label={problem} title={problem}>
          <Icon name="warning" size={12} />
        </span>
      )}
      {ms !== null && <small>{duration(ms)}</small>}
    </button>
  );
}

/** Where the step begins that an event is part of: an outcome's call, else the event itself. */
function beginning(cards: CardTable, place: number): number {
  const step = OUTCOMES.has(cards.type(place)) ? cards.at(place)?.step : undefined;
  const intent = step === undefined ? -1 : cards.placeOf(step.intentSeq);
  return intent < 0 ? place : intent;
}

/** Places of the events that begin something; outcomes stand with what they are the outcome of. */
function stepsOf(cards: CardTable): number[] {
  const found: number[] = [];
  for (let place = 0; place < cards.length; place += 1) {
    if (!OUTCOMES.has(cards.type(place))) found.push(place);
  }
  return found;
}
