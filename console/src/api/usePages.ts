import { type QueryKey, useInfiniteQuery } from "@tanstack/react-query";

import type { ApiError } from "./problem";

interface PageOf<T> {
  readonly items: readonly T[];
  readonly next: string | null;
}

export interface Pages<T, P> {
  readonly items: readonly T[];
  /** The newest page that was asked for, for what stands beside its items. */
  readonly last: P | undefined;
  readonly isLoading: boolean;
  readonly isLoadingMore: boolean;
  readonly error: ApiError | null;
  readonly hasMore: boolean;
  readonly more: () => void;
  readonly again: () => void;
}

const FIRST: string | null = null;

/** A list of the API that comes in pages, shown as one that grows. */
export function usePages<T, P extends PageOf<T>>(
  key: QueryKey,
  page: (after: { after?: string }, signal: AbortSignal) => Promise<P>,
  isWanted: boolean,
): Pages<T, P> {
  const query = useInfiniteQuery({
    queryKey: key,
    queryFn: ({ pageParam, signal }) => page(pageParam === null ? {} : { after: pageParam }, signal),
    initialPageParam: FIRST,
    getNextPageParam: (one) => one.next,
    enabled: isWanted,
  });
  return {
    items: query.data?.pages.flatMap((one) => one.items) ?? [],
    last: query.data?.pages.at(-1),
    isLoading: query.isLoading,
    isLoadingMore: query.isFetchingNextPage,
    error: query.error,
    hasMore: query.hasNextPage,
    more: () => void query.fetchNextPage(),
    again: () => void query.refetch(),
  };
}
