import { type InfiniteData, useInfiniteQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect, useMemo, useRef, useState } from "react";

import type { ApiError } from "../../api/problem";
import type { Conversation, StreamEvent } from "../../api/types";
import { useLive } from "../../api/useLive";
import { useSettings } from "../../lib/settings";
import { type ConversationList, listPage } from "./listQuery";
import type { ListSearch } from "./routes";

const LOOK_MS = 1000;
const FIRST_PAGE: string | null = null;

/** The first page as it is now: rows that are shown take their news from it, others wait to be let in. */
interface Fresh {
  readonly list: ConversationList;
  readonly of: string;
}

export interface ShownList {
  readonly items: readonly Conversation[];
  /** Conversations that are on record and not shown yet. */
  readonly waiting: number;
  /** Whether what is shown is not in the order of latest activity any more. */
  readonly isOutOfOrder: boolean;
  readonly isLoading: boolean;
  readonly isLoadingMore: boolean;
  readonly error: ApiError | null;
  readonly hasMore: boolean;
  readonly more: () => void;
  readonly again: () => void;
  /** Show what waits, in the order of latest activity. */
  readonly renew: () => void;
}

/** The conversations that the address asks for.  They stay where they are while they change. */
export function useConversationList(search: ListSearch): ShownList {
  const { zone } = useSettings();
  const client = useQueryClient();
  const filter = filterOf(search);
  const key = ["conversations", filter, zone] as const;
  const name = JSON.stringify(key);
  const query = useInfiniteQuery({
    queryKey: key,
    queryFn: ({ pageParam, signal }) => listPage(filter, zone, pageParam, signal),
    initialPageParam: FIRST_PAGE,
    getNextPageParam: (page) => page.next,
    // Live news come by themselves; rows that are shown are never sorted anew by a second look.
    staleTime: Infinity,
    gcTime: 60_000,
  });
  const [fresh, setFresh] = useState<Fresh | null>(null);
  const pages = query.data?.pages;
  const known = useMemo(
    () => shownItems(pages, fresh?.of === name ? fresh.list : null),
    [pages, fresh, name],
  );

  const show = (list: ConversationList): void => {
    const only: InfiniteData<ConversationList, string | null> = { pages: [list], pageParams: [null] };
    client.setQueryData(key, only);
    setFresh(null);
  };
  const looking = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(
    () => () => {
      clearTimeout(looking.current);
      looking.current = undefined;
    },
    [name],
  );
  const look = (): void => {
    looking.current ??= setTimeout(() => {
      looking.current = undefined;
      listPage(filter, zone, null).then(
        (list) => {
          // Where nothing was shown there is nothing that has to stay where it is.
          if (known.items.length === 0) show(list);
          else setFresh({ list, of: name });
        },
        () => {
          // The stream says so itself when the server is gone, and asks again when it is back.
        },
      );
    }, LOOK_MS);
  };
  const hear = (events: readonly StreamEvent[]): void => {
    if (events.some((event) => event.conversationId !== null)) look();
  };
  useLive({
    topic: search.agent === undefined ? { scope: "install" } : { agent: search.agent },
    after: pages?.[0]?.liveCursor ?? null,
    onEvents: hear,
    onResync: look,
  });

  return {
    ...known,
    isLoading: query.isPending,
    isLoadingMore: query.isFetchingNextPage,
    error: query.error,
    hasMore: query.hasNextPage,
    more: () => {
      if (query.hasNextPage && !query.isFetchingNextPage) void query.fetchNextPage();
    },
    again: () => void query.refetch(),
    renew: () => {
      if (fresh?.of === name) show(fresh.list);
    },
  };
}

/** The search without the selection, which changes nothing about what is listed. */
function filterOf(search: ListSearch): ListSearch {
  const filter = { ...search };
  delete filter.sel;
  return filter;
}

/** Rows in the order in which they were first shown, with the news of those that are in the fresh page. */
export function shownItems(
  pages: readonly ConversationList[] | undefined,
  fresh: ConversationList | null,
): { items: readonly Conversation[]; waiting: number; isOutOfOrder: boolean } {
  const news = new Map(fresh?.items.map((item) => [item.id, item]));
  const items: Conversation[] = [];
  const seen = new Set<string>();
  for (const page of pages ?? []) {
    for (const item of page.items) {
      // A conversation that moved up while pages were turned comes twice.
      if (seen.has(item.id)) continue;
      seen.add(item.id);
      items.push(news.get(item.id) ?? item);
    }
  }
  const waiting = [...news.keys()].filter((id) => !seen.has(id)).length;
  const isOutOfOrder = items.some((item, place) => {
    const above = items[place - 1];
    return above !== undefined && Date.parse(above.lastAt) < Date.parse(item.lastAt);
  });
  return { items, waiting, isOutOfOrder };
}
