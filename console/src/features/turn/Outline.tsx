import { type ReactNode, useEffect, useMemo, useRef } from "react";

import { type ListHandle, VirtualList } from "../../components/list";
import { Icon, RecordedText } from "../../components/ui";
import { duration } from "../../lib/format";
import { iconOf, nameOf } from "./cardWords";
import { type CardTable, problemOf } from "./events";
import s from "./turn.module.css";

const ROW = 28;
const OUTCOMES: ReadonlySet<string> = new Set(["MODEL_RESULT", "TOOL_RESULT"]);

/** The steps of a turn in short, beside its cards: where one is, where there is trouble, and a way there. */
export function Outline({
  cards,
  selected,
  onSelect,
}: {
  cards: CardTable;
  selected: number | undefined;
  onSelect: (seq: number) => void;
}): ReactNode {
  const places = useMemo(() => stepsOf(cards), [cards]);
  const list = useRef<ListHandle>(null);
  const chosen = selected === undefined ? -1 : cards.placeOf(selected);
  const current = chosen < 0 ? -1 : (places.findLast((place) => place <= chosen) ?? -1);
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
          <Step cards={cards} place={place} isCurrent={place === current} onSelect={onSelect} />
        )}
      />
    </nav>
  );
}

function Step({
  cards,
  place,
  isCurrent,
  onSelect,
}: {
  cards: CardTable;
  place: number;
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
      className={s.outlineStep}
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
      {problem !== null && (
        <span className={s.outlineProblem} role="img" aria-label={problem} title={problem}>
          <Icon name="warning" size={12} />
        </span>
      )}
      {ms !== null && <small>{duration(ms)}</small>}
    </button>
  );
}

/** Places of the events that begin something; outcomes stand with what they are the outcome of. */
function stepsOf(cards: CardTable): number[] {
  const found: number[] = [];
  for (let place = 0; place < cards.length; place += 1) {
    if (!OUTCOMES.has(cards.type(place))) found.push(place);
  }
  return found;
}
