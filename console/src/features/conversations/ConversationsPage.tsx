import { useQuery } from "@tanstack/react-query";
import { useNavigate, useRouter } from "@tanstack/react-router";
import { type ReactNode, useEffect, useEffectEvent, useMemo, useRef } from "react";

import { agentsQuery } from "../../api/agents";
import { useUnsound } from "../../api/findings";
import type { Conversation } from "../../api/types";
import { Page } from "../../components/layout/Page";
import { type ListHandle, VirtualList } from "../../components/list";
import { Button, Empty, Failure, Icon, Loading } from "../../components/ui";
import { count, counted } from "../../lib/format";
import { useKeys } from "../../lib/keyboard";
import { useSettings } from "../../lib/settings";
import { say } from "../../lib/toasts";
import { useShownRequest } from "../../lib/shownRequest";
import { ConversationFilters } from "./ConversationFilters";
import { ConversationHead, ConversationRow } from "./ConversationRow";
import s from "./list.module.css";
import { isFiltered, listPath } from "./listQuery";
import { type ListSearch, listRoute } from "./routes";
import { useConversationList } from "./useConversationList";

const keyOf = (item: Conversation): string => item.id;

const FIRST = `import turnledger

ledger = turnledger.open()                       # the same default as this server's
agent = ledger.agent("support")
convo = agent.conversation("slack:C042/17", connector="slack", shape="thread")
msg = convo.inbound("Where is my order?", actor="slack:U7")
msg.verdict("engage", reason="direct mention")
with convo.turn(trigger=msg) as turn:            # turnledger.record(client) records model calls
    turn.commit("It arrives tomorrow.")`;

export function ConversationsPage(): ReactNode {
  const search = listRoute.useSearch();
  const navigate = useNavigate({ from: "/" });
  const { history } = useRouter();
  const { zone } = useSettings();
  const list = useConversationList(search);
  const agents = useQuery(agentsQuery).data;
  const unsound = useUnsound();
  const broken = useMemo(() => new Set([...unsound.values()].map((one) => one.conversationId)), [unsound]);
  const rows = useRef<ListHandle>(null);
  useShownRequest(listPath({ ...search, ...(search.last && { last: search.last }) }, zone));

  const change = (changes: { [K in keyof ListSearch]?: ListSearch[K] | undefined }): void => {
    void navigate({ search: (before) => withChanges(before, changes), replace: true });
  };
  const focusRow = (id: string): void => {
    requestAnimationFrame(() => {
      document
        .querySelector<HTMLElement>(`[data-conversation="${CSS.escape(id)}"]`)
        ?.focus({ preventScroll: true });
    });
  };
  const select = (id: string): void => {
    change({ sel: id });
    if (rows.current?.scrollToKey(id) === true) focusRow(id);
  };
  const step = (by: 1 | -1, wanted: (place: number) => boolean = () => true, what = ""): void => {
    const { items } = list;
    const now = items.findIndex((item) => item.id === search.sel);
    for (let place = now < 0 && by < 0 ? items.length - 1 : now + by; ; place += by) {
      const item = items[place];
      if (item === undefined) {
        if (what !== "") say(`No ${what} ${by > 0 ? "below" : "above"} this, in the rows that are loaded.`);
        return;
      }
      if (wanted(place)) {
        select(item.id);
        return;
      }
    }
  };
  const isProblem = (place: number): boolean => {
    const item = list.items[place];
    return (
      item !== undefined &&
      (item.failedTurns + item.waitingTurns > 0 || item.owesReply || broken.has(item.id))
    );
  };
  useKeys({
    j: () => {
      step(1);
    },
    k: () => {
      step(-1);
    },
    n: () => {
      step(1, isProblem, "problem");
    },
    N: () => {
      step(-1, isProblem, "problem");
    },
    f: list.renew,
  });
  // Back from a timeline: the row that was opened is where it was.
  const isThere = list.items.length > 0;
  const restore = useEffectEvent(() => {
    if (search.sel !== undefined && rows.current?.scrollToKey(search.sel, "center") === true)
      focusRow(search.sel);
  });
  useEffect(() => {
    if (isThere) restore();
  }, [isThere]);

  return (
    <Page title="Conversations" fill aside={<News list={list} />}>
      <ConversationFilters search={search} onChange={change} />
      <p className="visually-hidden" role="status" aria-live="polite">
        {list.waiting > 0 && `${counted(list.waiting, "new conversation")} to show`}
      </p>
      <Body search={search} list={list} onClear={() => void navigate({ search: {} })}>
        <ConversationHead />
        <VirtualList
          ref={rows}
          items={list.items}
          keyOf={keyOf}
          estimate={62}
          label="Conversations"
          total={list.hasMore ? null : list.items.length}
          onEnd={list.more}
          row={(item) => (
            <ConversationRow
              of={item}
              isBroken={broken.has(item.id)}
              isSelected={item.id === search.sel}
              onOpen={() => {
                change({ sel: item.id });
                // Written before the link adds an entry; put off, it would be lost to that.
                history.flush();
              }}
            />
          )}
        />
        <div className={s.bar}>
          <span role="status">
            {count(list.items.length)}
            {list.hasMore
              ? ofMore(
                  search,
                  agents?.map((agent) => agent.conversations),
                )
              : " in all"}
          </span>
          {list.hasMore && (
            <Button small onClick={list.more} disabled={list.isLoadingMore}>
              {list.isLoadingMore ? "Loading …" : "Show more"}
            </Button>
          )}
          <span className={s.keys}>
            <kbd>j</kbd> <kbd>k</kbd> move · <kbd>Enter</kbd> open · <kbd>n</kbd> next problem
          </span>
        </div>
      </Body>
    </Page>
  );
}

/** Stands beside the heading, where it moves no row when it comes. */
function News({ list }: { list: ReturnType<typeof useConversationList> }): ReactNode {
  if (list.waiting === 0 && !list.isOutOfOrder) return null;
  return (
    <Button look="primary" small onClick={list.renew}>
      {list.waiting > 0 ? `${count(list.waiting)} new` : "Latest first again"} <Icon name="down" size={12} />
    </Button>
  );
}

/** Nobody counts what a filter lets through; without one, the agents know how many they have. */
function ofMore(search: ListSearch, counts: readonly number[] | undefined): string {
  if (isFiltered(search) || counts === undefined) return " of more";
  return ` of ${count(counts.reduce((sum, one) => sum + one, 0))}`;
}

function withChanges(
  before: ListSearch,
  changes: { [K in keyof ListSearch]?: ListSearch[K] | undefined },
): ListSearch {
  const next: Record<string, unknown> = { ...before, ...changes };
  return Object.fromEntries(Object.entries(next).filter(([, value]) => value !== undefined));
}

function Body({
  search,
  list,
  onClear,
  children,
}: {
  search: ListSearch;
  list: ReturnType<typeof useConversationList>;
  onClear: () => void;
  children: ReactNode;
}): ReactNode {
  if (list.isLoading) return <Loading what="conversations" />;
  if (list.items.length > 0) return children;
  if (list.error !== null)
    return <Failure error={list.error} what="the list of conversations" onRetry={list.again} />;
  if (list.hasMore)
    return (
      <Empty
        title="Nothing so far"
        icon="search"
        actions={<Button onClick={list.more}>Look further back</Button>}
      >
        <p>None of the conversations looked at so far matches; there are more behind them.</p>
      </Empty>
    );
  if (isFiltered(search))
    return (
      <Empty
        title="No conversation matches"
        icon="search"
        actions={<Button onClick={onClear}>Clear filters</Button>}
      >
        <p>
          Actors and places are matched by their whole outside name, such as <code>slack:U7</code>; text is
          looked for in the names of conversations and places. What was said is found by Search.
        </p>
      </Empty>
    );
  return (
    <Empty title="Nothing is recorded here yet">
      <p>
        An agent records by opening the same ledger as this server. Its conversations appear here at once:
      </p>
      <div className={s.teach}>
        <pre tabIndex={0}>{FIRST}</pre>
      </div>
      <p>
        Set <code>TURNLEDGER_URL</code> for the agent to this ledger's file or database, or to this server's
        address with a token of scope <code>capture</code>. <code>turnledger demo</code> records examples.
      </p>
    </Empty>
  );
}
