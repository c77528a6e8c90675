import { api, ask } from "../../api/client";
import { ApiError } from "../../api/problem";
import type { Entry, LeftOut, Timeline, Turn } from "../../api/types";

const FIRST = 200;
const PAGE = 300;

/** Where a flow begins: at the newest event, at the oldest, or around one.  `seq` is a place in the conversation's own journal. */
export type Start =
  | { readonly anchor: "end" | "start" }
  | { readonly around: string }
  | { readonly position: number }
  | { readonly seq: number };

export interface FlowState {
  /** What is loaded: a stretch without a hole, oldest first. */
  readonly entries: readonly Entry[];
  readonly turns: ReadonlyMap<string, Turn>;
  readonly names: ReadonlyMap<string, string>;
  /** Events of the conversation. */
  readonly total: number;
  /** What was left out of the stretches loaded so far. */
  readonly leftOut: readonly LeftOut[];
  /** Cursor to older events; null: the first one is loaded. */
  readonly before: string | null;
  readonly after: string;
  /** Whether the newest event is loaded. */
  readonly isAtEnd: boolean;
}

interface Snapshot {
  readonly flow: FlowState | null;
  readonly error: ApiError | null;
  readonly isLoadingOlder: boolean;
  readonly isPaused: boolean;
  /** Events that were heard of and are not shown: while it is paused, or does not stand at the end. */
  readonly waiting: number;
}

interface Ask {
  before?: string;
  after?: string;
  around?: string;
  position?: number;
  seq?: number;
  anchor?: "end" | "start";
  limit: number;
}

/** A conversation's flow, loaded in both directions and kept up with.  Rows are only ever added at an end. */
export class Flow {
  private snapshot: Snapshot = {
    flow: null,
    error: null,
    isLoadingOlder: false,
    isPaused: false,
    waiting: 0,
  };
  private readonly listeners = new Set<() => void>();
  private newerRun: Promise<void> | null = null;
  private olderRun: Promise<void> | null = null;
  private isBehind = false;

  constructor(
    private readonly agentId: string,
    private readonly conversationId: string,
    private readonly start: Start,
  ) {}

  readonly subscribe = (listener: () => void): (() => void) => {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  };

  readonly get = (): Snapshot => this.snapshot;

  /** Load the first stretch. */
  readonly open = async (): Promise<void> => {
    const found = await this.attempt(() => this.ask({ ...this.start, limit: FIRST }));
    if (found !== null) this.change({ flow: opened(found, this.start) });
  };

  /** Load one more stretch of older events. */
  readonly older = (): Promise<void> => {
    const before = this.snapshot.flow?.before ?? null;
    if (before === null) return Promise.resolve();
    if (this.olderRun !== null) return this.olderRun;
    const run = this.loadOlder(before);
    this.olderRun = run;
    this.change({ isLoadingOlder: true });
    return run;
  };

  /** Load what is newer: one stretch, or all of it where it stood at the end before. */
  readonly newer = (): Promise<void> => {
    this.isBehind = this.newerRun !== null;
    this.newerRun ??= this.loadNewer().finally(() => {
      this.newerRun = null;
    });
    return this.newerRun;
  };

  /** Events were recorded. */
  readonly heard = (number: number): void => {
    const { flow, isPaused, waiting } = this.snapshot;
    if (flow === null) return;
    if (isPaused || !flow.isAtEnd) {
      this.change({ waiting: waiting + number, flow: { ...flow, total: flow.total + number } });
    } else void this.newer();
  };

  readonly pause = (isPaused: boolean): void => {
    this.change({ isPaused, ...(!isPaused && { waiting: 0 }) });
    if (!isPaused && this.snapshot.flow?.isAtEnd === true) void this.newer();
  };

  private async loadOlder(before: string): Promise<void> {
    const found = await this.attempt(() => this.ask({ before, limit: PAGE }));
    const { flow } = this.snapshot;
    // Whoever hears of it and still stands at the beginning may ask for the next stretch at once.
    this.olderRun = null;
    if (found === null || flow === null) this.change({ isLoadingOlder: false });
    else {
      const entries = [...found.entries, ...flow.entries];
      this.change({
        isLoadingOlder: false,
        flow: { ...merged(flow, found), entries, before: found.before },
      });
    }
  }

  private async loadNewer(): Promise<void> {
    for (;;) {
      const { flow: begun } = this.snapshot;
      if (begun === null) return;
      const isFollowing = begun.isAtEnd;
      this.isBehind = false;
      const found = await this.attempt(() => this.ask({ after: begun.after, limit: PAGE }));
      const { flow } = this.snapshot;
      if (found === null || flow === null) return;
      this.change({
        ...(!found.hasMore && { waiting: 0 }),
        flow: {
          ...merged(flow, found),
          entries: [...flow.entries, ...found.entries],
          after: found.after,
          isAtEnd: !found.hasMore || isFollowing,
        },
      });
      const isMore = found.hasMore && isFollowing;
      // eslint-disable-next-line @typescript-eslint/no-unnecessary-condition -- set while it was waited for
      if (!isMore && !this.isBehind) return;
    }
  }

  private async attempt(work: () => Promise<Timeline>): Promise<Timeline | null> {
    try {
      const found = await work();
      if (this.snapshot.error !== null) this.change({ error: null });
      return found;
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      this.change({ error });
      return null;
    }
  }

  private ask(asked: Ask): Promise<Timeline> {
    const { agentId, conversationId } = this;
    return ask(
      api.GET("/api/agents/{agentId}/conversations/{conversationId}/timeline", {
        params: { path: { agentId, conversationId }, query: asked },
      }),
    );
  }

  private change(changes: Partial<Snapshot>): void {
    this.snapshot = { ...this.snapshot, ...changes };
    for (const listener of this.listeners) listener();
  }
}

function opened(found: Timeline, start: Start): FlowState {
  return {
    entries: found.entries,
    turns: new Map(found.turns.map((turn) => [turn.id, turn])),
    names: new Map(Object.entries(found.names)),
    total: found.total,
    leftOut: found.damaged === null ? [] : [found.damaged],
    before: found.before,
    after: found.after,
    isAtEnd: "anchor" in start && start.anchor === "end" ? true : !found.hasMore,
  };
}

function merged(now: FlowState, found: Timeline): FlowState {
  return {
    ...now,
    turns: new Map([...now.turns, ...found.turns.map((turn) => [turn.id, turn] as const)]),
    names: new Map([...now.names, ...Object.entries(found.names)]),
    total: Math.max(now.total, found.total),
    leftOut: found.damaged === null ? now.leftOut : [...now.leftOut, found.damaged],
  };
}
