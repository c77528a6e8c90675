import { useVirtualizer } from "@tanstack/react-virtual";
import {
  type ReactNode,
  type Ref,
  useCallback,
  useEffect,
  useEffectEvent,
  useImperativeHandle,
  useLayoutEffect,
  useRef,
  useState,
} from "react";

import { counted } from "../../lib/format";
import { MAIN } from "../layout/Shell";
import { Button, Icon } from "../ui";
import s from "./list.module.css";

export interface ListHandle {
  /** Bring the row with this key into view; false where there is none. */
  scrollToKey: (key: string, align?: "auto" | "start" | "center") => boolean;
  scrollToEnd: () => void;
}

export interface VirtualListProps<T> {
  /** In the order in which they stand; a row never moves while it is shown, new ones come at an end. */
  items: readonly T[];
  /** A key that stays for the life of the item; one and the same function from rendering to rendering. */
  keyOf: (item: T) => string;
  row: (item: T, place: number) => ReactNode;
  /** Expected height of a row in pixels; real heights are measured. */
  estimate: number;
  /** Name of the list for screen readers. */
  label: string;
  /** How many there are in all, where not all are loaded; null where nobody knows. */
  total?: number | null;
  /** `page`: the page scrolls, and what stands above the list with it. */
  scroll?: "self" | "page";
  /** Whether rows come at the end while it is shown: it follows only while it stands at the end. */
  live?: boolean;
  /** Rows may come before the first one: what is in view stays there.  `live` includes it. */
  keepsPlace?: boolean;
  /** The first (last) loaded row came into view: load what is before (behind) it. */
  onStart?: (() => void) | undefined;
  onEnd?: (() => void) | undefined;
  /** Told which places are in the page, whenever others are. */
  onShown?: ((first: number, last: number) => void) | undefined;
  /** Told whenever the list reaches or leaves its end. */
  onFollow?: (follows: boolean) => void;
  ref?: Ref<ListHandle>;
}

/** A list of which only the rows in view are in the page: 50,000 cost as much as 50. */
export function VirtualList<T>(props: VirtualListProps<T>): ReactNode {
  const {
    items,
    keyOf,
    row,
    estimate,
    label,
    total = items.length,
    scroll = "self",
    live = false,
    keepsPlace = live,
  } = props;
  const scroller = useRef<HTMLDivElement>(null);
  const inner = useRef<HTMLDivElement>(null);
  const [margin, setMargin] = useState(0);
  const isPage = scroll === "page";

  useLayoutEffect(() => {
    if (!isPage) return;
    const main = document.getElementById(MAIN);
    const measure = (): void => {
      const own = inner.current?.getBoundingClientRect().top ?? 0;
      setMargin(Math.round(own - (main?.getBoundingClientRect().top ?? 0) + (main?.scrollTop ?? 0)));
    };
    measure();
    const observer = new ResizeObserver(measure);
    if (main?.firstElementChild) observer.observe(main.firstElementChild);
    return () => {
      observer.disconnect();
    };
  }, [isPage]);

  // Every row is measured anew where this is another function.
  const keyAt = useCallback(
    (place: number) => {
      const item = items[place];
      return item === undefined ? place : keyOf(item);
    },
    [items, keyOf],
  );
  const virtual = useVirtualizer<HTMLElement, HTMLDivElement>({
    count: items.length,
    getScrollElement: () => (isPage ? document.getElementById(MAIN) : scroller.current),
    estimateSize: () => estimate,
    getItemKey: keyAt,
    overscan: 8,
    scrollMargin: isPage ? margin : 0,
    scrollPaddingStart: 8,
    ...(keepsPlace && { anchorTo: "end", followOnAppend: live, scrollEndThreshold: 40 }),
  });

  useImperativeHandle(props.ref, () => ({
    scrollToKey: (key, align = "auto") => {
      const place = items.findIndex((item) => keyOf(item) === key);
      if (place < 0) return false;
      virtual.scrollToIndex(place, { align });
      return true;
    },
    scrollToEnd: () => {
      virtual.scrollToEnd();
    },
  }));

  const rows = virtual.getVirtualItems();
  const firstShown = rows[0]?.index ?? 0;
  const lastShown = rows.at(-1)?.index ?? -1;
  const reachedStart = useEffectEvent(() => props.onStart?.());
  const reachedEnd = useEffectEvent(() => props.onEnd?.());
  const shown = useEffectEvent(() => props.onShown?.(firstShown, lastShown));
  const atStart = items.length > 0 && firstShown === 0;
  const atEnd = items.length > 0 && lastShown === items.length - 1;
  useEffect(() => {
    if (lastShown >= 0) shown();
  }, [firstShown, lastShown, items]);
  useEffect(() => {
    if (atStart) reachedStart();
  }, [atStart, items.length]);
  useEffect(() => {
    if (atEnd) reachedEnd();
  }, [atEnd, items.length]);

  const { follows, unseen } = useUnseen(items, keyOf, live, virtual.isAtEnd(40), atEnd, props.onFollow);

  const list = (
    <div
      ref={inner}
      className={s.inner}
      style={{ height: virtual.getTotalSize() }}
      role="list"
      aria-label={label}
    >
      {rows.map((shown) => {
        const item = items[shown.index];
        return (
          item !== undefined && (
            <div
              key={shown.key}
              ref={virtual.measureElement}
              data-index={shown.index}
              className={s.row}
              style={{ transform: `translateY(${shown.start - (isPage ? margin : 0)}px)` }}
              role="listitem"
              aria-setsize={total ?? -1}
              aria-posinset={shown.index + 1}
            >
              {row(item, shown.index)}
            </div>
          )
        );
      })}
    </div>
  );
  if (isPage) return list;
  return (
    <div className={s.outer}>
      <div
        ref={scroller}
        className={s.scroller}
        tabIndex={0}
        role="group"
        aria-label={`${label}, scrollable`}
      >
        {list}
      </div>
      {live && !follows && (
        <Button
          className={s.pill}
          look="primary"
          onClick={() => {
            virtual.scrollToEnd();
          }}
        >
          {unseen > 0 ? `${counted(unseen, "new", "new")} ` : "To the end "}
          <Icon name="down" />
        </Button>
      )}
    </div>
  );
}

/** Whether the list stands at its end, and how many rows came since it last did. */
function useUnseen<T>(
  items: readonly T[],
  keyOf: (item: T) => string,
  live: boolean,
  isNearEnd: boolean,
  isEndShown: boolean,
  onFollow: ((follows: boolean) => void) | undefined,
): { follows: boolean; unseen: number } {
  const follows = !live || items.length === 0 || (isNearEnd && isEndShown);
  const last = items.at(-1);
  const lastKey = last === undefined ? null : keyOf(last);
  const [seenKey, setSeenKey] = useState<string | null>(lastKey);
  if (follows && seenKey !== lastKey) setSeenKey(lastKey);
  const told = useEffectEvent((is: boolean) => onFollow?.(is));
  useEffect(() => {
    told(follows);
  }, [follows]);
  if (follows) return { follows, unseen: 0 };
  let unseen = 0;
  for (let place = items.length - 1; place >= 0; place -= 1) {
    const item = items[place];
    if (item === undefined || keyOf(item) === seenKey) break;
    unseen += 1;
  }
  return { follows, unseen };
}
