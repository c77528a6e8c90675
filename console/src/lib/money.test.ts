import { describe, expect, it } from "vitest";

import type { CallCost, Cost } from "../api/types";
import { callCostWords, costPhrase, costWords, nanoOf, pricesWords, roughAmount } from "./money";

const nothing: Cost = { amounts: [], priced: 0, unpriced: 0, unbilled: 0, reasons: {} };

describe("costs", () => {
  it("are shown exactly, however small (T07)", () => {
    const cost = { ...nothing, amounts: [{ currency: "USD", amount: "0.000057" }], priced: 1 };
    expect(costWords(cost)).toEqual({ value: "0.000057 USD", more: "" });
    expect(costWords({ ...cost, unpriced: 2, reasons: { "no-usage": 2, fetched: 1 } }).more).toBe(
      "2 calls unpriced: no-usage",
    );
  });
  it("stand in a line among other facts", () => {
    const cost = { ...nothing, amounts: [{ currency: "USD", amount: "0.01" }], priced: 1 };
    expect(costPhrase(cost)).toBe("cost 0.01 USD");
    expect(costPhrase({ ...cost, unpriced: 1, reasons: { "no-price": 1 } })).toBe(
      "cost 0.01 USD (1 call unpriced: no-price)",
    );
    expect(costPhrase(nothing)).toBe("cost not recorded");
  });
  it("of several currencies are not added up", () => {
    const amounts = [
      { currency: "EUR", amount: "1.00" },
      { currency: "USD", amount: "2.50" },
    ];
    expect(costWords({ ...nothing, amounts, priced: 2 }).value).toBe("1.00 EUR + 2.50 USD");
  });
  it("that are not known are never 0 (T05)", () => {
    expect(costWords(nothing).value).toBe("Not recorded");
    expect(costWords({ ...nothing, unpriced: 1, reasons: { "unknown-model": 1 } })).toEqual({
      value: "Unpriced",
      more: "1 call: unknown-model",
    });
    expect(costWords({ ...nothing, unbilled: 1, reasons: { fetched: 1 } })).toEqual({
      value: "Not billed",
      more: "fetched",
    });
  });
  it("of a call say what it was priced as, and what was on record before (T06)", () => {
    const cost: CallCost = {
      state: "priced",
      amount: "0.0015",
      currency: "USD",
      reason: null,
      provider: "openai",
      model: "gpt-4o",
      prices: "genai-prices 0.2.3",
      pricedAt: "2026-11-30T12:00:00.000Z",
      earlier: [],
    };
    expect(callCostWords(cost)).toBe("0.0015 USD, priced as openai/gpt-4o by genai-prices 0.2.3");
    const { provider: _provider, model: _model, ...rest } = cost;
    const earlier = [{ ...rest, amount: "0.003" }];
    expect(callCostWords({ ...cost, earlier })).toMatch(/; before it was 0\.003$/);
    expect(callCostWords({ ...cost, state: "unpriced", amount: null, reason: "no-model" })).toBe(
      "unpriced: no-model",
    );
  });
  it("say what to install where the server has no prices for them", () => {
    expect(pricesWords(nothing, null)).toContain("install turnledger[prices]");
    expect(pricesWords(nothing, "genai-prices 0.2.3")).toBe("");
    expect(pricesWords(nothing, undefined)).toBe("");
    const lacking = { ...nothing, unpriced: 1, reasons: { "no-price-library": 1 } };
    expect(pricesWords(lacking, "table 0123")).toContain("install turnledger[prices]");
    expect(pricesWords({ ...nothing, unpriced: 1, reasons: { "no-usage": 1 } }, null)).toBe("");
  });
  it("are drawn by their billionths", () => {
    const cost = { ...nothing, amounts: [{ currency: "USD", amount: "0.000057" }] };
    expect(Math.round(nanoOf(cost, "USD") ?? 0)).toBe(57_000);
    expect(nanoOf(cost, "EUR")).toBeNull();
    expect([0, 57_000, 1_234_567, 5_700_000_000].map(roughAmount)).toEqual([
      "0",
      "0.0000570",
      "0.00123",
      "5.70",
    ]);
  });
});
