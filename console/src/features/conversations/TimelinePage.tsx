import { useQuery } from "@tanstack/react-query";
import { useNavigate, useRouter } from "@tanstack/react-router";
import { type ReactNode, useCallback, useEffect, useEffectEvent, useMemo, useRef, useState } from "react";

import { api, ask } from "../../api/client";
import { useUnsound } from "../../api/findings";
import type { Entry } from "../../api/types";
import { Page } from "../../components/layout/Page";
import { type ListHandle, VirtualList } from "../../components/list";
import { Badge, Button, Failure, Icon, Loading } from "../../components/ui";
import { count } from "../../lib/format";
import { useKeys } from "../../lib/keyboard";
import { outsideName } from "../../lib/outsideName";
import { useShownRequest } from "../../lib/shownRequest";
import { copyText, say } from "../../lib/toasts";
import { isBreak } from "./breaks";
import { Flow, type Start } from "./flow";
import { timelineRoute } from "./routes";
import { type FlowRow, holds, isProblem, isTurnStart, type Row, rowsOf } from "./rows";
import s from "./timeline.module.css";
import { TimelineFacts } from "./TimelineFacts";
import { TimelineRow } from "./TimelineRow";
import { useFlow, useLifeless } from "./useFlow";

/** A conversation's flow begins anew where another conversation, or another end of it, is asked for. */
export function TimelinePage(): ReactNode {
  const { agentId, conversationId } = timelineRoute.useParams();
  const { at, position, seq } = timelineRoute.useSearch();
  const id = `${agentId}/${conversationId}`;
  // A place is looked up once: then `at` stands in the address.
  const place = position === undefined ? (seq === undefined ? null : { seq }) : { position };
  const wanted = place === null ? null : JSON.stringify(place);
  const [begun, setBegun] = useState<Begun | null>(null);
  const begin = (start: Start): void => {
    setBegun({ id, wanted, start, flow: new Flow(agentId, conversationId, start) });
  };
  const isBegun = begun?.id === id && (wanted === null || begun.wanted === wanted);
  if (!isBegun) begin(place ?? (at === undefined ? { anchor: "end" } : { around: at }));
  // Set while this renders: the next rendering has it.
  if (!isBegun) return null;
  return (
    <FlowPage key={`${id} ${begun.wanted ?? ""}`} flow={begun.flow} start={begun.start} onBegin={begin} />
  );
}

interface Begun {
  readonly id: string;
  readonly wanted: string | null;
  readonly flow: Flow;
  readonly start: Start;
}

const LOOK_PAGES = 20;

function FlowPage({
  flow,
  start,
  onBegin,
}: {
  flow: Flow;
  start: Start;
  onBegin: (start: Start) => void;
}): ReactNode {
  const { agentId, conversationId } = timelineRoute.useParams();
  const search = timelineRoute.useSearch();
  const navigate = useNavigate({ from: timelineRoute.fullPath });
  const router = useRouter();
  const state = useFlow(flow, conversationId);
  const unsound = useUnsound();
  const lifeless = useLifeless(state.flow);
  const rows = useMemo(
    () => (state.flow === null ? [] : rowsOf(state.flow, lifeless)),
    [state.flow, lifeless],
  );
  const list = useRef<ListHandle>(null);
  const [open, setOpen] = useState<ReadonlySet<string>>(
    () => new Set(search.open && search.at !== undefined ? [search.at] : []),
  );
  const path = `/api/agents/${agentId}/conversations/${conversationId}`;
  const asked = Object.entries({ ...start, limit: 200 }).map(([key, value]) => `${key}=${value}`);
  useShownRequest(`${path}/timeline?${asked.join("&")}`);
  const about = useQuery({
    queryKey: ["conversation", conversationId],
    queryFn: ({ signal }) =>
      ask(
        api.GET("/api/agents/{agentId}/conversations/{conversationId}", {
          params: { path: { agentId, conversationId } },
          signal,
        }),
      ),
  });
  const page = router.buildLocation({
    to: timelineRoute.fullPath,
    params: { agentId, conversationId },
  }).href;

  const selected = rows.find((row) => search.at !== undefined && holds(row, search.at));
  const isOpen = (row: FlowRow): boolean => row.entries.some((entry) => open.has(entry.eventId));
  const point = useCallback(
    (row: FlowRow, shown: boolean) => {
      void navigate({ search: { at: row.key, ...(shown && { open: true }) }, replace: true });
    },
    [navigate],
  );
  const select = useCallback(
    (row: FlowRow, shown: boolean) => {
      point(row, shown);
      list.current?.scrollToKey(row.key);
    },
    [point],
  );
  const toggle = useCallback(
    (row: FlowRow, shown: boolean) => {
      setOpen((before) => {
        const next = new Set(before);
        for (const entry of row.entries) next.delete(entry.eventId);
        if (!shown) next.add(row.key);
        return next;
      });
      point(row, !shown);
    },
    [point],
  );
  const seek = async (by: 1 | -1, wanted: (row: Row) => boolean, what: string): Promise<void> => {
    const from = selected?.key;
    for (let page = 0; page < LOOK_PAGES; page += 1) {
      const { flow: now } = flow.get();
      if (now === null) return;
      const found = nextRow(rowsOf(now, lifeless), from, by, wanted);
      if (found !== null) {
        point(found, isOpen(found));
        requestAnimationFrame(() => list.current?.scrollToKey(found.key, "center"));
        return;
      }
      if (by > 0 ? now.isAtEnd : now.before === null) break;
      await (by > 0 ? flow.newer() : flow.older());
    }
    say(`No ${what} ${by > 0 ? "behind" : "before"} this.`);
  };
  const isFlow = (row: Row): boolean => row.kind === "flow";
  const isWrong = (row: Row): boolean => isProblem(row) || isBreak(row, unsound);
  const follow = (): void => {
    flow.pause(false);
    if (state.flow?.isAtEnd === true) list.current?.scrollToEnd();
    else onBegin({ anchor: "end" });
  };
  useKeys({
    j: () => void seek(1, isFlow, "event"),
    k: () => void seek(-1, isFlow, "event"),
    J: () => void seek(1, isTurnStart, "turn"),
    K: () => void seek(-1, isTurnStart, "turn"),
    n: () => void seek(1, isWrong, "problem"),
    N: () => void seek(-1, isWrong, "problem"),
    f: follow,
    " ": () => {
      flow.pause(!state.isPaused);
    },
    e: () => {
      if (selected?.kind === "flow") toggle(selected, isOpen(selected));
    },
    c: () => {
      if (selected?.kind === "flow")
        void copyText(
          new URL(`${page}?at=${selected.key}`, window.location.href).href,
          "the link to this event",
        );
    },
    y: () => {
      if (selected?.kind === "flow") void copyText(selected.entries[0].hash, "the hash of this event");
    },
    Enter: () => {
      if (document.activeElement === document.body && selected?.kind === "flow")
        toggle(selected, isOpen(selected));
    },
  });
  useFirstPlace(rows, start, list, (row) => {
    if ("seq" in start || "position" in start) point(row, false);
  });

  const title = about.data === undefined ? "Conversation" : outsideName(about.data.key);
  if (state.flow === null) {
    return (
      <Page title={title} fill>
        {state.error === null ? (
          <Loading what="the conversation" />
        ) : (
          <Failure error={state.error} what="this conversation" onRetry={() => void flow.open()} />
        )}
      </Page>
    );
  }
  const { total, isAtEnd, before, leftOut } = state.flow;
  return (
    <Page
      title={title}
      fill
      leftOut={leftOut}
      aside={
        <TimelineFacts about={about.data} agentId={agentId} conversationId={conversationId} total={total} />
      }
    >
      <div className={s.controls}>
        <Button
          small
          disabled={before === null}
          onClick={() => {
            onBegin({ anchor: "start" });
          }}
        >
          First event
        </Button>
        <Button small onClick={follow}>
          Newest <Icon name="down" size={12} />
        </Button>
        <Button
          small
          aria-pressed={state.isPaused}
          onClick={() => {
            flow.pause(!state.isPaused);
          }}
        >
          <Icon name={state.isPaused ? "play" : "pause"} size={12} /> {state.isPaused ? "Go on" : "Pause"}
        </Button>
        <span role="status" className={s.waiting}>
          {state.isPaused && `paused, ${count(state.waiting)} waiting`}
          {!state.isPaused && !isAtEnd && "not at the end: newer events are loaded as you go on"}
          {state.isLoadingOlder && " loading older events …"}
        </span>
        {state.error !== null && (
          <Badge tone="warn" icon="warning" title={state.error.problem.detail}>
            {state.error.problem.title}
          </Badge>
        )}
        <span className={s.keys}>
          <kbd>j</kbd> <kbd>k</kbd> event · <kbd>J</kbd> <kbd>K</kbd> turn · <kbd>n</kbd> problem ·{" "}
          <kbd>e</kbd> open
        </span>
      </div>
      <VirtualList
        ref={list}
        items={rows}
        keyOf={keyOf}
        estimate={46}
        label="Timeline"
        total={before === null && isAtEnd ? rows.length : null}
        live={isAtEnd}
        keepsPlace
        onStart={() => void flow.older()}
        onEnd={() => {
          if (!isAtEnd) void flow.newer();
        }}
        row={(row) => (
          <TimelineRow
            row={row}
            names={state.flow?.names ?? NO_NAMES}
            unsound={unsound}
            isSelected={row === selected}
            isOpen={row.kind === "flow" && isOpen(row)}
            page={page}
            onSelect={select}
            onToggle={toggle}
          />
        )}
      />
    </Page>
  );
}

const keyOf = (row: Row): string => row.key;
const NO_NAMES: ReadonlyMap<string, string> = new Map();

/** The nearest row in a direction that is wanted; from an end of the list where none is selected. */
function nextRow(
  rows: readonly Row[],
  from: string | undefined,
  by: 1 | -1,
  wanted: (row: Row) => boolean,
): FlowRow | null {
  const now = rows.findIndex((row) => row.key === from);
  for (let place = now < 0 ? (by > 0 ? 0 : rows.length - 1) : now + by; ; place += by) {
    const row = rows[place];
    if (row === undefined) return null;
    if (!wanted(row)) continue;
    // A call that nobody ran is no event: its turn's end, which comes next, is.
    const event = row.kind === "flow" ? row : rows.slice(place).find((one) => one.kind === "flow");
    if (event?.kind === "flow" && event.key !== from) return event;
  }
}

/** Once the first rows are there: the end, the beginning, or the event that the address names. */
function useFirstPlace(
  rows: readonly Row[],
  start: Start,
  list: { current: ListHandle | null },
  onFound: (row: FlowRow) => void,
): void {
  const [placed, setPlaced] = useState<Start | null>(null);
  const place = useEffectEvent(() => {
    if ("anchor" in start) {
      if (start.anchor === "end") list.current?.scrollToEnd();
      else list.current?.scrollToKey(rows[0]?.key ?? "", "start");
      return;
    }
    const row = rows.find((one) => one.kind === "flow" && one.entries.some((entry) => isAt(entry, start)));
    if (row?.kind !== "flow") return;
    list.current?.scrollToKey(row.key, "center");
    onFound(row);
  });
  const isReady = rows.length > 0 && placed !== start;
  useEffect(() => {
    if (!isReady) return;
    place();
    const again = requestAnimationFrame(() => {
      place();
      setPlaced(start);
    });
    return () => {
      cancelAnimationFrame(again);
    };
  }, [isReady, start]);
}

function isAt(entry: Entry, start: Exclude<Start, { readonly anchor: string }>): boolean {
  if ("around" in start) return entry.eventId === start.around;
  if ("position" in start) return entry.position === start.position;
  return entry.journal === "conversation" && entry.seq === start.seq;
}
