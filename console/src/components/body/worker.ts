// Holds the bytes of bodies that are shown, finds their lines, and hands out those in view.
import { isProblem } from "../../api/problem";
import { findLine, layout, type Lines, rowOf } from "./lines";
import type { Asked, Told } from "./protocol";

/** Most bytes of one body that are held; the rest is there for download. */
const LIMIT = 64_000_000;

interface Held {
  readonly bytes: Uint8Array;
  readonly lines: Lines;
}

const held = new Map<number, Held>();
const loading = new Map<number, AbortController>();

function tell(told: Told): void {
  postMessage(told);
}

onmessage = (event: MessageEvent<Asked>): void => {
  const asked = event.data;
  switch (asked.op) {
    case "open":
      void load(asked.id, asked.url, asked.size, asked.asText);
      return;
    case "show":
      take(asked.id, new TextEncoder().encode(asked.text), asked.text.length, asked.asText);
      return;
    case "close":
      loading.get(asked.id)?.abort();
      loading.delete(asked.id);
      held.delete(asked.id);
      return;
    case "rows":
    case "find":
    case "copy":
      answer(asked);
  }
};

function answer(asked: Extract<Asked, { call: number }>): void {
  const body = held.get(asked.id);
  if (body === undefined) return;
  const { bytes, lines } = body;
  const { id, call } = asked;
  if (asked.op === "rows") {
    tell({ op: "rows", id, call, rows: asked.lines.map((line) => rowOf(bytes, lines, line)) });
  } else if (asked.op === "find") {
    const line = findLine(bytes, lines, new TextEncoder().encode(asked.text), asked.from);
    tell({ op: "found", id, call, line, match: lines.match[line] ?? line });
  } else {
    tell({ op: "copied", id, call, text: new TextDecoder().decode(bytes) });
  }
}

async function load(id: number, url: string, size: number, asText: boolean): Promise<void> {
  const stop = new AbortController();
  loading.set(id, stop);
  const isWhole = size <= LIMIT;
  const headers: Record<string, string> = isWhole ? {} : { Range: `bytes=0-${LIMIT - 1}` };
  try {
    const response = await fetch(url, { credentials: "same-origin", headers, signal: stop.signal });
    if (!response.ok) {
      const body: unknown = await response.json().catch(() => null);
      tell({ op: "failed", id, problem: isProblem(body) ? body : null, status: response.status });
      return;
    }
    take(id, await gather(id, response, Math.min(size, LIMIT)), size, asText);
  } catch {
    if (!stop.signal.aborted) tell({ op: "failed", id, problem: null, status: 0 });
  } finally {
    loading.delete(id);
  }
}

async function gather(id: number, response: Response, size: number): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let received = 0;
  let told = 0;
  const reader = response.body?.getReader();
  for (;;) {
    const next = await reader?.read();
    if (next?.value === undefined) break;
    chunks.push(next.value);
    received += next.value.length;
    if (received - told > 2_000_000) {
      told = received;
      tell({ op: "progress", id, received, size });
    }
  }
  const whole = new Uint8Array(received);
  let at = 0;
  for (const chunk of chunks) {
    whole.set(chunk, at);
    at += chunk.length;
  }
  return whole;
}

function take(id: number, bytes: Uint8Array, size: number, asText: boolean): void {
  const lines = layout(bytes, asText);
  held.set(id, { bytes, lines });
  const folded = lines.folded.map((line): [number, number] => [line, lines.match[line] ?? line]);
  tell({
    op: "opened",
    id,
    opened: {
      form: lines.form,
      lines: lines.count,
      held: bytes.length,
      size: Math.max(size, bytes.length),
      folded,
    },
  });
}
