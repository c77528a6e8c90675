import { api, ask } from "../../api/client";
import { ApiError } from "../../api/problem";
import type { Entry, Timeline, Turn } from "../../api/types";

const FIRST = 200;
const PAGE = 300;

/** Where a flow begins: at the newest event, at the oldest, or around one. */
export type Start = { readonly anchor: "end" | "start" } | { readonly around: string };

export interface FlowState {
  /** What is loaded: a stretch without a hole, oldest first. */
  readonly entries: readonly Entry[];
  readonly turns: ReadonlyMap<string, Turn>;
  readonly names: ReadonlyMap<string, string>;
  /** Events of the conversation. */
  readonly total: number;
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
    this.change({ error: null });
    try {
      const found = await this.ask({ ...this.start, limit: FIRST });
      this.change({ flow: opened(found, this.start) });
    } catch (error) {
      if (error instanceof ApiError) this.change({ error });
      else throw error;
    }
  };

  /** Load one more stretch of older events. */
  readonly older = (): Promise<void> => {
    this.olderRun ??= this.loadOlder().finally(() => {
      this.olderRun = null;
    });
    return this.olderRun;
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

  private async loadOlder(): Promise<void> {
    const { flow } = this.snapshot;
    if (flow === null || flow.before === null) return;
    this.change({ isLoadingOlder: true });
    await this.adding(async () => {
      const found = await this.ask({ before: flow.before ?? "", limit: PAGE });
      this.add((now) => ({
        ...merged(now, found),
        entries: [...found.entries, ...now.entries],
        before: found.before,
      }));
    });
    this.change({ isLoadingOlder: false });
  }

  private async loadNewer(): Promise<void> {
    await this.adding(async () => {
      for (;;) {
        const { flow } = this.snapshot;
        if (flow === null) return;
        const isFollowing = flow.isAtEnd;
        this.isBehind = false;
        const found = await this.ask({ after: flow.after, limit: PAGE });
        this.add((now) => ({
          ...merged(now, found),
          entries: [...now.entries, ...found.entries],
          after: found.after,
          isAtEnd: !found.hasMore || isFollowing,
        }));
        if (!found.hasMore) this.change({ waiting: 0 });
        const isMore = found.hasMore && isFollowing;
        // eslint-disable-next-line @typescript-eslint/no-unnecessary-condition -- set while it was waited for
        if (!isMore && !this.isBehind) return;
      }
    });
  }

  private async adding(work: () => Promise<void>): Promise<void> {
    try {
      await work();
      if (this.snapshot.error !== null) this.change({ error: null });
    } catch (error) {
      if (error instanceof ApiError) this.change({ error });
      else throw error;
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

  private add(next: (now: FlowState) => FlowState): void {
    const { flow } = this.snapshot;
    if (flow !== null) this.change({ flow: next(flow) });
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
  };
}
