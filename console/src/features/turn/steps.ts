// The steps of a turn as its journal tells them: which outcome ends which call.
import { parseSummary } from "../../lib/summary";
import type { Step } from "../../api/types";
import type { EventTable } from "../../verify/eventTable";

const INTENTS: ReadonlySet<string> = new Set(["MODEL_CALL", "TOOL_CALL"]);
const OUTCOMES: ReadonlySet<string> = new Set(["MODEL_RESULT", "TOOL_RESULT"]);

/** The steps of a journal, made as they are asked for; what a journal does not tell is null. */
export class StepTable {
  /** Where the call stands that an outcome ends, and where the outcome of a call stands. */
  private readonly others = new Map<number, number>();
  private readonly intents: number[] = [];

  constructor(private readonly events: EventTable) {
    for (let place = 0; place < events.length; place += 1) {
      const type = events.type(place);
      if (INTENTS.has(type)) this.intents.push(place);
      if (!OUTCOMES.has(type)) continue;
      const call = callOf(events.summary(place));
      const intent = call === null ? -1 : events.placeOf(call);
      if (intent < 0 || !INTENTS.has(events.type(intent))) continue;
      this.others.set(intent, place);
      this.others.set(place, intent);
    }
  }

  /** The step that the event at a place begins or ends. */
  at(place: number): Step | undefined {
    const type = this.events.type(place);
    const other = this.others.get(place);
    if (INTENTS.has(type)) return this.step(place, other);
    return other !== undefined && OUTCOMES.has(type) ? this.step(other, place) : undefined;
  }

  all(): Step[] {
    return this.intents.map((place) => this.step(place, this.others.get(place)));
  }

  private step(intent: number, outcome: number | undefined): Step {
    const { events } = this;
    const asked = parseSummary(events.summary(intent));
    const told = outcome === undefined ? null : parseSummary(events.summary(outcome));
    const isModel = events.type(intent) === "MODEL_CALL";
    return {
      kind: isModel ? "model" : "tool",
      intentSeq: events.seq(intent),
      outcomeSeq: outcome === undefined ? null : events.seq(outcome),
      name: told?.get("model") ?? asked.get(isModel ? "model" : "tool") ?? null,
      role: asked.get("role") ?? null,
      status: told?.get("status") ?? null,
      ms: numberOf(told?.get("ms") ?? ""),
      cost: null,
      doubt: null,
    };
  }
}

function callOf(summary: string): number | null {
  return numberOf(/(?:^| )call=(\d+)(?: |$)/.exec(summary)?.[1] ?? "");
}

function numberOf(text: string): number | null {
  return /^\d+$/.test(text) ? Number(text) : null;
}
