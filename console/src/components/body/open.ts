// The page's side of the worker that holds bodies.
import { address } from "../../api/paths";
import { type ApiError, errorOf, unreachable } from "../../api/problem";
import type { Row } from "./lines";
import type { Asked, BodySource, Opened, Told } from "./protocol";

export interface BodyListener {
  onProgress: (received: number, size: number) => void;
  onOpened: (opened: Opened) => void;
  onFailed: (error: ApiError) => void;
}

let worker: Worker | null = null;
let lastId = 0;
let lastCall = 0;
const listeners = new Map<number, BodyListener>();
const calls = new Map<number, (told: Told) => void>();

function theWorker(): Worker {
  if (worker === null) {
    worker = new Worker(new URL("./worker.ts", import.meta.url), { type: "module", name: "bodies" });
    worker.onmessage = (event: MessageEvent<Told>) => {
      hear(event.data);
    };
    // Its script did not come, or it ran out of memory: the next body gets another one.
    worker.onerror = () => {
      worker?.terminate();
      worker = null;
      calls.clear();
      for (const listener of listeners.values()) listener.onFailed(unreachable());
    };
  }
  return worker;
}

function hear(told: Told): void {
  if ("call" in told) {
    const call = calls.get(told.call);
    calls.delete(told.call);
    call?.(told);
    return;
  }
  const listener = listeners.get(told.id);
  if (told.op === "progress") listener?.onProgress(told.received, told.size);
  else if (told.op === "opened") listener?.onOpened(told.opened);
  else listener?.onFailed(told.status === 0 ? unreachable() : errorOf(told.status, told.problem));
}

function post(asked: Asked): void {
  theWorker().postMessage(asked);
}

function call(make: (call: number) => Asked): Promise<Told> {
  lastCall += 1;
  const number = lastCall;
  return new Promise((resolve) => {
    calls.set(number, resolve);
    post(make(number));
  });
}

/** A body that the worker holds, until it is closed. */
export class OpenBody {
  private readonly id: number;

  constructor(source: BodySource, asText: boolean, listener: BodyListener) {
    lastId += 1;
    this.id = lastId;
    listeners.set(this.id, listener);
    if ("path" in source) {
      post({ op: "open", id: this.id, url: address(source.path), size: source.size, asText });
    } else {
      post({ op: "show", id: this.id, text: source.text, asText });
    }
  }

  close(): void {
    listeners.delete(this.id);
    post({ op: "close", id: this.id });
  }

  async rows(lines: readonly number[]): Promise<readonly Row[]> {
    const told = await call((number) => ({ op: "rows", id: this.id, call: number, lines }));
    return told.op === "rows" ? told.rows : [];
  }

  /** The first line from `from` on that holds the text, and the last line of what it opens; -1: none. */
  async find(text: string, from: number): Promise<number> {
    const told = await call((number) => ({ op: "find", id: this.id, call: number, text, from }));
    return told.op === "found" ? told.line : -1;
  }

  /** The text of all that is held, as it is. */
  async text(): Promise<string> {
    const told = await call((number) => ({ op: "copy", id: this.id, call: number }));
    return told.op === "copied" ? told.text : "";
  }
}
