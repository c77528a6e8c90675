import { describe, expect, it, vi } from "vitest";

import { fateWord } from "./fates";
import { bytes, clock, counted, day, duration, tokens, zoneMark } from "./format";
import {
  choiceParam,
  flagParam,
  leftOutOf,
  listParam,
  numberParam,
  parseSearch,
  stringifySearch,
  textParam,
} from "./search";
import { parseSummary, unquote } from "./summary";

describe("search parameters", () => {
  it("come back as they were, whatever they look like", () => {
    const search = { q: "7", status: ["failed", "running"], seq: 12, open: true, none: undefined, empty: "" };
    const text = stringifySearch(search);
    expect(text).toBe("?q=7&status=failed&status=running&seq=12&open=1");
    const back = parseSearch(text);
    expect(textParam(back, "q")).toBe("7");
    expect(listParam(back, "status")).toEqual(["failed", "running"]);
    expect(numberParam(back, "seq")).toBe(12);
    expect(flagParam(back, "open")).toBe(true);
    expect(textParam(back, "none")).toBeUndefined();
  });
  it("of another kind are left out", () => {
    const search = parseSearch("?seq=-1&view=<script>&a=");
    expect(numberParam(search, "seq")).toBeUndefined();
    expect(choiceParam(search, "view", ["cards", "raw"])).toBeUndefined();
    expect(textParam(search, "a")).toBeUndefined();
  });
});

describe("figures", () => {
  it("have units", () => {
    expect([0, 999, 1000, 20_000_000].map(bytes)).toEqual(["0 B", "999 B", "1.0 kB", "20 MB"]);
    expect([0, 999, 3210, 125_000, 11_640_000, 187_200_000, -14].map(duration)).toEqual([
      "0 ms",
      "999 ms",
      "3.21 s",
      "2 min 5 s",
      "3 h 14 min",
      "2 d 4 h",
      "−14 ms",
    ]);
    expect([9999, 12_400, 3_100_000].map(tokens)).toEqual(["9,999", "12.4 k", "3.10 M"]);
    expect(counted(1, "event")).toBe("1 event");
    expect(counted(1204, "event")).toBe("1,204 events");
  });
  it("times name their zone's day", () => {
    expect(day("2026-11-30T23:59:59.999Z", "utc")).toBe("2026-11-30");
    expect(clock("2026-11-30T23:59:59.999Z", "utc")).toBe("23:59:59.999");
    expect(clock("2026-11-30T00:00:00.000Z", "utc", 0)).toBe("00:00:00");
    const local = new Date("2026-11-30T23:59:59.999Z");
    expect(day(local.toISOString(), "local").endsWith(String(local.getDate()).padStart(2, "0"))).toBe(true);
    expect(clock(local.toISOString(), "local", 0)).toBe(local.toTimeString().slice(0, 8));
  });
  it("what is no time is shown as it is", () => {
    expect(clock("yesterday", "local")).toBe("yesterday");
    expect(day("", "utc")).toBe("");
  });
});

describe("summaries", () => {
  it("are read as the server reads them", () => {
    expect([...parseSummary("tool=a%20b from=3 tool=x =y Z=1 free text k=")]).toEqual([
      ["tool", "a b"],
      ["from", "3"],
      ["k", ""],
    ]);
  });
  it("never fail on an escape that is none", () => {
    expect(unquote("%")).toBe("%");
    expect(unquote("%zz%41%FF")).toBe("%zzA\ufffd");
  });
});

describe("what an address asks for in vain", () => {
  it("is named, and what a page took is not", () => {
    const query = "?status=bogus&text=hana&shape=dm&q=&open=0";
    const search = parseSearch(query);
    const shape = choiceParam(search, "shape", ["dm"]);
    choiceParam(search, "status", ["open"]);
    flagParam(search, "open");
    expect(leftOutOf(query, { shape })).toEqual([
      "“bogus” is no status; it was left out.",
      "This page has no “text” to choose by; “hana” was left out.",
    ]);
    expect(leftOutOf(`?status=${"x".repeat(500)}`, {})[0]?.length).toBeLessThan(100);
  });
});

describe("words", () => {
  it("name a zone by how far it is from UTC", () => {
    const at = "2026-11-30T12:00:00.000Z";
    expect(zoneMark(at, "utc")).toBe("UTC");
    const minutes = vi.spyOn(Date.prototype, "getTimezoneOffset");
    for (const [offset, words] of [
      [-60, "UTC+1"],
      [210, "UTC−3:30"],
      [-330, "UTC+5:30"],
      [0, "UTC"],
    ] as const) {
      minutes.mockReturnValue(offset);
      expect(zoneMark(at, "local")).toBe(words);
    }
  });
  it("say what became of a message as the balance does", () => {
    expect(["ignore", "observe", "defer", "shed"].map(fateWord)).toEqual([
      "ignored",
      "observed",
      "deferred",
      "shed",
    ]);
  });
});
