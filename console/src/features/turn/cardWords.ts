// What an event is called, and its sign: the same on its card and in the outline.
import type { IconName } from "../../components/ui";
import type { CardEvent } from "./events";

const ICONS: Readonly<Record<string, IconName>> = {
  INTAKE: "message",
  PROMPT: "prompt",
  GUARD: "shield",
  MODEL_CALL: "model",
  MODEL_RESULT: "model",
  TOOL_CALL: "tool",
  TOOL_RESULT: "tool",
  APPROVAL: "key",
  MEMORY_WRITE: "pen",
  PROGRESS: "message",
  VERIFY: "check",
  SUPERSEDED: "empty",
  BUDGET: "clock",
  ERROR: "warning",
  COMMIT: "flag",
  ABORT: "cross",
};

export function iconOf(type: string): IconName {
  return ICONS[type] ?? "dot";
}

/** What it is about: the tool, the model, the check; empty where its type says it all. */
export function nameOf(card: CardEvent): string {
  const { tokens } = card;
  const role = tokens.get("role");
  const name =
    tokens.get("tool") ??
    tokens.get("model") ??
    tokens.get("guard") ??
    tokens.get("check") ??
    tokens.get("status") ??
    "";
  return role === undefined ? name : `${role} ${name}`;
}
