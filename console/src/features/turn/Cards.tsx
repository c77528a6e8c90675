import { type ReactNode, useEffect, useMemo, useRef, useState } from "react";

import { type ListHandle, VirtualList } from "../../components/list";
import { Empty } from "../../components/ui";
import { Card } from "./Card";
import type { CardTable } from "./events";
import { brokenAt, type Judgement } from "./judgement";

export interface CardsProps {
  cards: CardTable;
  judgement: Judgement | null;
  selected: number | undefined;
  /** Whether the bodies of the selected event are open. */
  isOpen: boolean;
  onSelect: (seq: number, open?: true) => void;
  /** Told which places are in view, and which are looked back at from there. */
  onShown?: (first: number, last: number) => void;
  /** Bodies that came with a file, by `<seq>/<slot>`. */
  fileBodies?: Readonly<Record<string, string>>;
}

/** One card per event. */
export function Cards({
  cards,
  judgement,
  selected,
  isOpen,
  onSelect,
  onShown,
  fileBodies = {},
}: CardsProps): ReactNode {
  const list = useRef<ListHandle>(null);
  const places = useMemo(() => Array.from({ length: cards.length }, (_, place) => place), [cards.length]);
  const chosen = selected === undefined ? -1 : cards.placeOf(selected);
  const [opened, setOpened] = useState<ReadonlySet<string>>(new Set());
  useEffect(() => {
    if (chosen >= 0) list.current?.scrollToKey(String(chosen), isOpen ? "start" : "auto");
  }, [chosen, isOpen]);
  const toggle = (key: string): void => {
    const next = new Set(opened);
    if (!next.delete(key)) next.add(key);
    setOpened(next);
  };
  if (cards.length === 0) {
    return (
      <Empty title="This journal holds no event">
        <p>
          Nothing was recorded in it yet. An empty journal proves nothing, so it is neither intact nor broken.
        </p>
      </Empty>
    );
  }
  const breakAt = brokenAt(judgement);
  return (
    <VirtualList
      ref={list}
      items={places}
      keyOf={String}
      estimate={118}
      scroll="page"
      label="Events of the turn"
      onShown={(first, last) => {
        // One beyond: where only what came is shown, there is more to come.
        onShown?.(first, last + 1);
        for (let place = first; place <= last; place += 1) {
          const before = cards.type(place) === "MODEL_CALL" ? cards.callBefore(place) : -1;
          if (before >= 0) onShown?.(before, before);
        }
      }}
      row={(place) => {
        const card = cards.at(place);
        if (card === undefined) return null;
        const before = card.event.type === "MODEL_CALL" ? cards.callBefore(place) : -1;
        return (
          <Card
            card={card}
            before={before < 0 ? null : cards.at(before)?.entry}
            fault={breakAt < 0 || place < breakAt ? "none" : place === breakAt ? "here" : "behind"}
            isSelected={card.event.seq === selected}
            isOpen={isOpen && card.event.seq === selected}
            opened={opened}
            onToggle={toggle}
            onSelect={onSelect}
            fileBodies={fileBodies}
          />
        );
      }}
    />
  );
}
