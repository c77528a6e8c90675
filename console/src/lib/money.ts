import type { Cost, CallCost } from "../api/types";
import { counted, NOT_RECORDED } from "./format";

/** What a cost is in words: the exact amounts, and what is not in them. */
export interface CostWords {
  readonly value: string;
  readonly more: string;
}

/** Why nobody bills a call; all other reasons are why its price is not known. */
const UNBILLED: ReadonlySet<string> = new Set(["not-started", "error-answer", "fetched", "seen-before"]);

/** Amounts are shown digit by digit as they came; what is not known is never 0. */
export function costWords(cost: Cost): CostWords {
  const reasons = Object.keys(cost.reasons);
  const why = reasons.filter((reason) => !UNBILLED.has(reason)).join(", ");
  if (cost.amounts.length > 0) {
    const value = cost.amounts.map(({ amount, currency }) => `${amount} ${currency}`).join(" + ");
    return { value, more: cost.unpriced > 0 ? `${counted(cost.unpriced, "call")} unpriced: ${why}` : "" };
  }
  if (cost.unpriced > 0) return { value: "Unpriced", more: `${counted(cost.unpriced, "call")}: ${why}` };
  if (cost.unbilled > 0) return { value: "Not billed", more: reasons.join(", ") };
  return { value: NOT_RECORDED, more: "" };
}

const NO_LIST = "no-price-library";

/** What to do about a cost that is missing because the server has no prices; empty where it is not that. */
export function pricesWords(cost: Cost, prices: string | null | undefined): string {
  const isUnknown = cost.priced + cost.unpriced + cost.unbilled === 0;
  if (!(NO_LIST in cost.reasons) && !(isUnknown && prices === null)) return "";
  return "the server has no list prices: install turnledger[prices] beside it and start it anew";
}

/** A cost as a phrase among others: `cost 0.0012 USD (1 call unpriced: no-price)`. */
export function costPhrase(cost: Cost): string {
  const { value, more } = costWords(cost);
  const words = cost.amounts.length > 0 ? value : value.toLowerCase();
  return `cost ${words}${more === "" ? "" : ` (${more})`}`;
}

/** One call's cost in a sentence. */
export function callCostWords(cost: CallCost): string {
  if (cost.amount === null)
    return `${cost.state === "unbilled" ? "not billed" : "unpriced"}: ${cost.reason ?? "no reason given"}`;
  const name = [cost.provider, cost.model].filter((part) => part !== null).join("/");
  const earlier = cost.earlier.at(-1);
  const before = earlier === undefined ? "" : `; before it was ${earlier.amount ?? "unpriced"}`;
  return `${cost.amount} ${cost.currency ?? ""}, priced as ${name} by ${cost.prices}${before}`;
}

const NANO_DIGITS = 9;

/** Billionths of the amounts of one currency, to be drawn; a drawing needs no last digit. */
export function nanoOf(cost: Cost, currency: string): number | null {
  const found = cost.amounts.find((money) => money.currency === currency);
  return found === undefined ? null : Number(found.amount) * 10 ** NANO_DIGITS;
}

/** Billionths as a short amount, for the ticks of a plot: three digits that count. */
export function roughAmount(nano: number): string {
  if (nano === 0) return "0";
  const value = nano / 10 ** NANO_DIGITS;
  const digits = Math.max(2, 2 - Math.floor(Math.log10(Math.abs(value))));
  return value.toFixed(Math.min(digits, NANO_DIGITS));
}
