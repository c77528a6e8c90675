// The live stream: a notification that something was recorded.  The rows are the truth, and are asked for.
import { SERVER } from "./client";
import type { components } from "./schema";

type StreamEvent = components["schemas"]["StreamEvent"];

export type Topic = { conversation: string } | { agent: string } | { scope: "install" };

export interface StreamState {
  /** `stopped`: nobody listens, or the session ended. */
  readonly state: "connecting" | "live" | "reconnecting" | "stopped";
  /** When the last event arrived, in epoch milliseconds of this browser; null before the first one. */
  readonly lastEventAt: number | null;
}

export interface StreamHandlers {
  onEvents: (events: readonly StreamEvent[]) => void;
  /** Something was passed over, or may not have been asked for before a cut: ask again for what is shown. */
  onResync: () => void;
  onState: (state: StreamState) => void;
  /** The stream was cut: whether the session is still open, as far as can be known. */
  stillLoggedIn: () => Promise<boolean>;
}

const GATHER_MS = 80;
const HIDDEN_MS = 60_000;
const MAX_WAIT_MS = 4000;
/** The server says every 15 seconds that it is there; a cut line says nothing. */
const SILENCE_MS = 40_000;

/**
 * One subscription.  It goes on from its last cursor after a cut, so nothing is missed and nothing comes
 * twice; a tab that nobody looks at for a minute gives its connection back and resumes when it is looked at.
 */
export class LiveStream {
  private source: EventSource | null = null;
  private cursor: string | null;
  private waiting: StreamEvent[] = [];
  private gather: ReturnType<typeof setTimeout> | undefined;
  private again: ReturnType<typeof setTimeout> | undefined;
  private hidden: ReturnType<typeof setTimeout> | undefined;
  private silence: ReturnType<typeof setTimeout> | undefined;
  private attempts = 0;
  private ended = false;
  private current: StreamState = { state: "connecting", lastEventAt: null };

  constructor(
    private readonly topic: Topic,
    cursor: string | null,
    private readonly handlers: StreamHandlers,
  ) {
    this.cursor = cursor;
    document.addEventListener("visibilitychange", this.onVisibility);
    window.addEventListener("offline", this.onOffline);
    this.connect();
  }

  close(): void {
    this.ended = true;
    document.removeEventListener("visibilitychange", this.onVisibility);
    window.removeEventListener("offline", this.onOffline);
    clearTimeout(this.silence);
    clearTimeout(this.gather);
    clearTimeout(this.again);
    clearTimeout(this.hidden);
    this.source?.close();
    this.say("stopped");
  }

  private readonly onVisibility = (): void => {
    clearTimeout(this.hidden);
    if (document.visibilityState === "hidden") {
      this.hidden = setTimeout(() => {
        this.source?.close();
        this.source = null;
        this.say("stopped");
      }, HIDDEN_MS);
    } else if (this.source === null && !this.ended) {
      this.connect();
    }
  };

  private readonly onOffline = (): void => {
    if (this.source !== null) this.failed(this.source);
  };

  private connect(): void {
    clearTimeout(this.again);
    const query = new URLSearchParams(this.topic);
    if (this.cursor !== null) query.set("after", this.cursor);
    const source = new EventSource(`${SERVER}/api/stream?${query.toString()}`);
    this.source = source;
    this.say(this.attempts === 0 ? "connecting" : "reconnecting");
    source.addEventListener("open", () => {
      if (this.attempts > 0) this.handlers.onResync();
      this.attempts = 0;
      this.say("live");
      this.hearLife(source);
    });
    source.addEventListener("alive", () => {
      this.hearLife(source);
    });
    source.addEventListener("append", (event: MessageEvent<string>) => {
      this.hearLife(source);
      this.take(event);
    });
    source.addEventListener("resync", (event: MessageEvent<string>) => {
      this.cursor = event.lastEventId || this.cursor;
      this.handlers.onResync();
    });
    source.addEventListener("error", () => {
      this.failed(source);
    });
  }

  private hearLife(source: EventSource): void {
    clearTimeout(this.silence);
    this.silence = setTimeout(() => {
      this.failed(source);
    }, SILENCE_MS);
  }

  private failed(source: EventSource): void {
    // The browser's own retry is not used: it gives up for good on an answer such as 503.
    if (this.source !== source) return;
    source.close();
    this.source = null;
    this.attempts += 1;
    this.say("reconnecting");
    const wait = Math.min(500 * 2 ** (this.attempts - 1), MAX_WAIT_MS);
    void this.handlers.stillLoggedIn().then((is) => {
      // Somebody who came back to the tab may have connected meanwhile.
      if (this.ended || this.source !== null) return;
      if (!is) this.say("stopped");
      else if (document.visibilityState === "visible")
        this.again = setTimeout(() => {
          this.connect();
        }, wait);
      else this.say("stopped");
    });
  }

  private take(event: MessageEvent<string>): void {
    const data: unknown = JSON.parse(event.data);
    if (!isStreamEvent(data)) return;
    this.cursor = event.lastEventId || this.cursor;
    this.waiting.push(data);
    this.current = { ...this.current, lastEventAt: Date.now() };
    this.gather ??= setTimeout(() => {
      this.gather = undefined;
      const events = this.waiting;
      this.waiting = [];
      this.handlers.onEvents(events);
      this.handlers.onState(this.current);
    }, GATHER_MS);
  }

  private say(state: StreamState["state"]): void {
    this.current = { ...this.current, state };
    this.handlers.onState(this.current);
  }
}

function isStreamEvent(value: unknown): value is StreamEvent {
  return (
    typeof value === "object" &&
    value !== null &&
    "eventId" in value &&
    typeof value.eventId === "string" &&
    "journalId" in value &&
    "seq" in value &&
    typeof value.seq === "number"
  );
}
