import type { Entry } from "../../api/types";

/** Words of these tokens that say that something went wrong: type → token → what each word means. */
const WORDS: Readonly<Record<string, Readonly<Record<string, Readonly<Record<string, string>>>>>> = {
  MODEL_RESULT: {
    status: {
      error: "model error",
      cut: "answer cut off",
      aborted: "model call aborted",
      not_started: "model call not started",
      unknown: "outcome unknown",
    },
  },
  TOOL_RESULT: {
    status: {
      error: "tool error",
      invalid: "arguments refused",
      denied: "tool call denied",
      cancelled: "tool call cancelled",
      timeout: "tool timed out",
      not_started: "tool not started",
      unknown: "in doubt: may have happened",
    },
  },
  GUARD: { decision: { deny: "guard denied" } },
  APPROVAL: { decision: { denied: "approval denied", expired: "approval expired" } },
  VERIFY: { verdict: { fail: "check failed" } },
  BUDGET: { outcome: { exhausted: "budget exhausted" } },
  DELIVERY: { status: { failed: "delivery failed" } },
};

const ALWAYS: Readonly<Record<string, string>> = {
  ERROR: "error",
  ABORT: "turn aborted",
  SHED: "trigger shed",
  LATE: "came after the turn's end",
  GAP: "gap in the record",
  CAPTURE_ERROR: "could not be recorded",
};

const SUPERSEDED = "superseded";

/** What is wrong about an event, in a few words; null: nothing. */
export function problemOf(entry: Entry): string | null {
  if (entry.type === "ABORT" && entry.tokens["status"] === SUPERSEDED) return null;
  const always = ALWAYS[entry.type];
  if (always !== undefined) return always;
  for (const [token, words] of Object.entries(WORDS[entry.type] ?? {})) {
    const found = words[entry.tokens[token] ?? ""];
    if (found !== undefined) return found;
  }
  return entry.type === "COMMIT" && entry.tokens["status"] === "exhausted" ? "budget exhausted" : null;
}
