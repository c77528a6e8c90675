import { readFileSync } from "node:fs";

import { describe, expect, it } from "vitest";

import { preimage, verifyChain } from "./chain";
import { bodyMatches, GrammarError, payloadHash } from "./commitment";
import { countBodies, fixtureOf, verifyFixture } from "./fixture";
import { isHash, isSummary, isType, isUuid, parseInstant } from "./grammar";
import { readJournals } from "./journalFile";
import { sha256Text, toHex } from "./sha256";
import { isObject, type JsonObject, type JsonValue, parseStrict } from "./strictJson";

// Golden values that every implementation must reproduce; the server's tests read the same files.
function vectors(name: string): JsonObject {
  const whole = parseStrict(readFileSync(`${import.meta.dirname}/../../../vectors/${name}.json`));
  if (!isObject(whole)) throw new Error(`${name} is no object`);
  return whole;
}

function rows(value: JsonValue | undefined): JsonObject[] {
  if (!Array.isArray(value)) throw new Error("no list");
  return value.filter(isObject);
}

const text = (value: JsonValue | undefined): string =>
  typeof value === "string" || typeof value === "number" ? String(value) : "";
const fromHex = (hex: string): Uint8Array =>
  Uint8Array.from(hex.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16));

describe("chain.json", () => {
  const cases = rows(vectors("chain")["cases"]);
  it("has cases", () => {
    expect(cases.length).toBeGreaterThanOrEqual(36);
  });
  it.each(cases.map((one): [string, JsonObject] => [text(one["id"]), one]))(
    "strict verdict of %s",
    (_, one) => {
      const report = verifyFixture(fixtureOf(one["fixture"] ?? null));
      const { verdict, brokenAtSeq, reason, warnings } = report;
      expect({ verdict, brokenAtSeq, reason, warnings }).toEqual(one["strict"]);
    },
  );
});

describe("files.json", () => {
  const whole = vectors("files");
  const lines = Array.isArray(whole["lines"]) ? whole["lines"].map(text) : [];
  it.each(rows(whole["journalFiles"]).map((one): [string, JsonObject] => [text(one["id"]), one]))(
    "verdicts of %s",
    (_, one) => {
      const replaced = isObject(one["replace"]) ? one["replace"] : {};
      const take = Array.isArray(one["take"]) ? one["take"].map(Number) : [];
      const file = take.map((place) => `${text(replaced[place]) || (lines[place] ?? "")}\n`).join("");
      const found = readJournals(new TextEncoder().encode(file)).map(({ journalId, report }) => [
        journalId,
        report.verdict,
        report.reason,
        report.brokenAtSeq,
      ]);
      expect(found).toEqual(one["found"]);
    },
  );
  it.each(rows(whole["fixtures"]).map((one): [string, JsonObject] => [text(one["id"]), one]))(
    "bodies of %s",
    (_, one) => {
      const fixture = fixtureOf(one["fixture"] ?? null);
      const { verdict, warnings } = verifyFixture(fixture);
      expect({ verdict, warnings }).toEqual({ verdict: "intact", warnings: one["warnings"] });
      expect(countBodies(fixture)).toEqual({ checked: one["checked"], notChecked: one["notChecked"] });
    },
  );
});

describe("preimage.json", () => {
  const whole = vectors("preimage");
  it.each(rows(whole["preimages"]).map((one): [string, JsonObject] => [text(one["name"]), one]))(
    "%s",
    (_, one) => {
      const fields = isObject(one["fields"]) ? one["fields"] : {};
      const made = preimage(
        text(fields["prevHash"]),
        text(fields["turnId"]),
        text(fields["agentId"]),
        Number(fields["seq"]),
        text(fields["type"]),
        text(fields["payloadHash"]),
        text(fields["summary"]),
        Number(fields["createdAtEpochMillis"]),
      );
      expect(toHex(new TextEncoder().encode(made))).toBe(one["preimageUtf8Hex"]);
      expect(sha256Text(made)).toBe(one["sha256"]);
    },
  );
  it.each(rows(whole["instants"]).map((one): [string, JsonObject] => [text(one["createdAt"]), one]))(
    "instant %s",
    (createdAt, one) => {
      expect(parseInstant(createdAt)?.ms).toBe(one["epochMillis"]);
    },
  );
  const refused = whole["refusedInstants"];
  it.each(Array.isArray(refused) ? refused : [])("refused instant %s", (createdAt) => {
    expect(parseInstant(createdAt)).toBeNull();
  });
  it("E01: one preimage has one reading inside the grammar", () => {
    const one = isObject(whole["readingsOfOnePreimage"]) ? whole["readingsOfOnePreimage"] : {};
    for (const reading of rows(one["readings"])) {
      const fields = Array.isArray(reading["fields"]) ? reading["fields"].map(String) : [];
      const [prev, turn, agent, seq = "", type, payload, summary, millis = ""] = fields;
      const inside =
        isHash(prev) &&
        isUuid(turn) &&
        isUuid(agent) &&
        /^[0-9]+$/.test(seq) &&
        isType(type) &&
        isHash(payload) &&
        isSummary(summary) &&
        /^[0-9]+$/.test(millis);
      expect(inside).toBe(reading["grammarAccepts"]);
    }
  });
});

describe("commitment.json", () => {
  const whole = vectors("commitment");
  it.each(
    rows(whole["rows"]).map((one): [string, JsonObject] => [text(one["payloadHash"]).slice(0, 8), one]),
  )("%s", (_, one) => {
    const data = fromHex(text(one["payloadHex"]));
    const salt = fromHex(text(one["saltHex"]));
    expect(payloadHash(data, salt)).toBe(one["payloadHash"]);
    expect(bodyMatches(text(one["plainSha256"]), data, null)).toBe(true);
  });
  it("refuses a salt of another length", () => {
    expect(() => payloadHash(new Uint8Array(), new Uint8Array(31))).toThrow(GrammarError);
  });
});

describe("what no vector holds", () => {
  it("E01: seq 3.0 is not 3, and a key given twice is refused", () => {
    const of = (json: string): JsonValue => parseStrict(new TextEncoder().encode(json));
    expect(
      verifyChain("8cbd8a9f-33c5-4d09-8c12-d9640b09339d", "dc63c5c4-ce67-4d7d-aaca-66283a3e46f1", [
        of('{"seq":0.0}'),
      ]).reason,
    ).toBe("seq-grammar");
    expect(() => of('{"a":1,"a":2}')).toThrow("twice");
    expect(() => of("[".repeat(20_000) + "]".repeat(20_000))).toThrow("nested");
    expect(() => of("[NaN]")).toThrow("not JSON");
    expect(() => of("[1e999]")).toThrow("range");
    expect(() => of('["a\nb"]')).toThrow("not JSON");
    expect(() => of("[1] 2")).toThrow("behind its end");
  });
  it("E07: composed and decomposed text hash apart", () => {
    expect(sha256Text("caf\u00e9")).not.toBe(sha256Text("cafe\u0301"));
  });
});
