// Journals that were found not to prove, by whichever check of this tab: every page that shows one of them says so.
import { createStore, useStore } from "../lib/store";
import { api, ask } from "./client";
import type { Finding } from "./types";

export interface Unsound {
  /** Id of the turn or conversation whose journal it is. */
  readonly target: string;
  readonly kind: string;
  readonly agentId: string | null;
  /** Where it is shown; null until that is known. */
  readonly conversationId: string | null;
  readonly verdict: string;
  /** Where the journal breaks; -1: at no single event. */
  readonly seq: number;
  readonly explanation: string;
}

type Known = ReadonlyMap<string, Unsound>;

const KEY = "turnledger.unsound";
const BAD: ReadonlySet<string> = new Set(["broken", "malformed"]);
/** Of so many at a time it is asked which conversation they belong to. */
const MOST_ASKED = 50;

function remembered(): Known {
  try {
    // Only this module writes there.
    return new Map(JSON.parse(sessionStorage.getItem(KEY) ?? "[]") as [string, Unsound][]);
  } catch {
    return new Map();
  }
}

const known = createStore<Known>(remembered());

function keep(next: Known): void {
  known.set(next);
  try {
    sessionStorage.setItem(KEY, JSON.stringify([...next]));
  } catch {
    // A tab that keeps nothing still knows until it is loaded anew.
  }
}

/** Take over what a check found; `whole`: it looked at the whole ledger, so what it does not name is sound; `within`: the conversation it was about. */
export function noteFindings(
  findings: readonly Finding[],
  whole = false,
  within: string | null = null,
): void {
  const next = new Map(whole ? [] : known.get());
  for (const one of findings) {
    const { target, kind, agentId, verdict, brokenAtSeq: seq, explanation } = one;
    if (BAD.has(verdict)) {
      const before = known.get().get(target)?.conversationId ?? within;
      const conversationId = kind === "conversation" ? target : before;
      next.set(target, { target, kind, agentId, conversationId, verdict, seq, explanation });
    } else next.delete(target);
  }
  const now = known.get();
  if (next.size === 0 && now.size === 0) return;
  keep(next);
  const homeless = [...next.values()].filter((one) => one.conversationId === null && one.kind === "turn");
  for (const one of homeless.slice(0, MOST_ASKED)) void place(one);
}

/** What the inspector found about the turn that it shows. */
export function noteTurn(turn: Omit<Unsound, "kind" | "verdict">, isBroken: boolean): void {
  const before = known.get().get(turn.target);
  if (isBroken) {
    const is = { ...turn, kind: "turn", verdict: "broken" };
    if (JSON.stringify(before) !== JSON.stringify(is)) keep(new Map(known.get()).set(turn.target, is));
  } else if (before !== undefined) {
    const next = new Map(known.get());
    next.delete(turn.target);
    keep(next);
  }
}

/** Nobody's findings are shown to whoever logs in next, or of another ledger at this address. */
export function forgetFindings(): void {
  if (known.get().size > 0) keep(new Map());
}

async function place({ target, agentId }: Unsound): Promise<void> {
  if (agentId === null) return;
  try {
    const { turn } = await ask(
      api.GET("/api/agents/{agentId}/turns/{turnId}", {
        params: { path: { agentId, turnId: target }, query: { limit: 1 } },
      }),
    );
    const one = known.get().get(target);
    if (one !== undefined)
      keep(new Map(known.get()).set(target, { ...one, conversationId: turn.conversationId }));
  } catch {
    // A turn that cannot be read stays marked in the navigation and on the page of findings.
  }
}

export function useUnsound(): Known {
  return useStore(known);
}
