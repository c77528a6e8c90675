import { type ReactNode, useEffect, useRef, useState } from "react";

import { type ListHandle, VirtualList } from "../../components/list";
import { Empty } from "../../components/ui";
import { Card } from "./Card";
import { callBefore, type CardEvent } from "./events";
import { brokenAt, type Judgement } from "./judgement";

export interface CardsProps {
  cards: readonly CardEvent[];
  judgement: Judgement | null;
  selected: number | undefined;
  /** Whether the bodies of the selected event are open. */
  isOpen: boolean;
  onSelect: (seq: number, open?: true) => void;
  /** Bodies that came with a file, by `<seq>/<slot>`. */
  fileBodies?: Readonly<Record<string, string>>;
}

const keyOf = (card: CardEvent): string => String(card.event.seq);

/** One card per event. */
export function Cards({
  cards,
  judgement,
  selected,
  isOpen,
  onSelect,
  fileBodies = {},
}: CardsProps): ReactNode {
  const list = useRef<ListHandle>(null);
  const [opened, setOpened] = useState<ReadonlySet<string>>(new Set());
  useEffect(() => {
    if (selected !== undefined) list.current?.scrollToKey(String(selected), isOpen ? "start" : "auto");
  }, [selected, isOpen]);
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
      items={cards}
      keyOf={keyOf}
      estimate={118}
      scroll="page"
      label="Events of the turn"
      row={(card, place) => (
        <Card
          card={card}
          before={card.event.type === "MODEL_CALL" ? callBefore(cards, card) : null}
          fault={breakAt < 0 || place < breakAt ? "none" : place === breakAt ? "here" : "behind"}
          isSelected={card.event.seq === selected}
          isOpen={isOpen && card.event.seq === selected}
          opened={opened}
          onToggle={toggle}
          onSelect={onSelect}
          fileBodies={fileBodies}
        />
      )}
    />
  );
}
