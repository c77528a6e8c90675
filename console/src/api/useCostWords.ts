import { useQuery } from "@tanstack/react-query";

import { type CostWords, costWords, pricesWords } from "../lib/money";
import { sessionQuery } from "./session";
import type { Cost } from "./types";

/** A cost in words, of what has model calls, and what to do where it is missing for want of prices. */
export function useCostWords(cost: Cost, modelCalls: number): CostWords {
  const prices = useQuery(sessionQuery).data?.prices;
  const { value, more } = costWords(cost);
  const hint = modelCalls === 0 ? "" : pricesWords(cost, prices);
  return { value, more: [more, hint].filter((words) => words !== "").join("; ") };
}
