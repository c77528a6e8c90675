import { readFileSync } from "node:fs";

import { describe, expect, it } from "vitest";

import { checkFile, checkJournal } from "./check";
import { type FileJournal, readJournals } from "./journalFile";
import { isObject, type JsonObject, parseStrict } from "./strictJson";

const encoder = new TextEncoder();

/** The first turn of the shared vectors, as lines of a journal file. */
function linesOf(): string[] {
  const whole = parseStrict(readFileSync(`${import.meta.dirname}/../../../vectors/chain.json`));
  const cases = isObject(whole) && Array.isArray(whole.cases) ? whole.cases.filter(isObject) : [];
  const fixture: JsonObject = isObject(cases[0]?.fixture) ? cases[0].fixture : {};
  const source = isObject(fixture.source) ? fixture.source : {};
  const events = Array.isArray(fixture.events) ? fixture.events : [];
  const header = {
    schema: "turnledger.journal/1",
    journal: { kind: "turn", id: source.turnId },
    agentId: source.agentId,
    conversationId: null,
    exportedAt: "2026-10-15T12:00:00.000Z",
    events: events.length,
  };
  return [header, ...events].map((one) => `${JSON.stringify(one)}\n`);
}

function only(lines: readonly string[]): FileJournal {
  const [journal, more] = readJournals(encoder.encode(lines.join("")));
  if (journal === undefined || more !== undefined) throw new Error("not one journal");
  return journal;
}

const found = ({ report }: FileJournal): readonly [string, string, number] => [
  report.verdict,
  report.reason,
  report.brokenAtSeq,
];

describe("journal files", () => {
  const lines = linesOf();
  it("are intact as they were written", () => {
    expect(found(only(lines))).toEqual(["intact", "ok", -1]);
    expect(only(lines).report.warnings).toEqual([]);
    expect(only(lines).bodyCount).toEqual({ checked: 0, notChecked: lines.length - 1 });
  });
  it("are broken where one was altered", () => {
    const altered = lines.map((line, at) => (at === 3 ? line.replace('"summary":"', '"summary":"x') : line));
    expect(found(only(altered))).toEqual(["broken", "hash", 2]);
  });
  it("are broken where they were cut", () => {
    expect(found(only(lines.slice(0, -2)))).toEqual(["broken", "truncated", lines.length - 3]);
  });
  it("tell a torn record from one that was taken out", () => {
    const torn = [...lines.slice(0, 3), `${(lines[3] ?? "").slice(0, 40)}\n`, ...lines.slice(4)];
    expect(found(only(torn))).toEqual(["broken", "torn-record", 2]);
    const joined = [...lines.slice(0, 3), (lines[3] ?? "").slice(0, 40), ...lines.slice(3)];
    expect(found(only(joined))).toEqual(["intact", "ok", -1]);
    expect(only(joined).report.warnings).toEqual(["torn-record"]);
    const removed = [...lines.slice(0, 3), ...lines.slice(4)];
    expect(found(only(removed))).toEqual(["broken", "seq", 2]);
  });
  it("are broken where a body or an assurance is not the one that the chain covers", () => {
    const beside = (fields: string): string[] =>
      lines.map((line, at) => (at === 1 ? line.replace("}\n", `,${fields}}\n`) : line));
    const body = '"bodies":{"payload":{"bytes":5,"mediaType":"text/plain","text":"';
    expect(found(only(beside(`${body}hello"}}`)))).toEqual(["intact", "ok", -1]);
    expect(only(beside(`${body}hello"}}`)).bodyCount).toEqual({ checked: 1, notChecked: lines.length - 2 });
    expect(found(only(beside(`${body}hellO"}}`)))).toEqual(["broken", "payload", 0]);
    expect(found(only(beside(`${body}7"},"x":1}`)))).toEqual(["broken", "payload", 0]);
    expect(found(only(beside('"bodies":{"payload":{"bytes":"5"}}')))).toEqual([
      "malformed",
      "bodies-grammar",
      0,
    ]);
    expect(found(only(beside('"assurance":"write_ahead"')))).toEqual(["broken", "assurance", 0]);
  });
  it("miss the conversation that a turn was written together with", () => {
    const [header = "", ...events] = lines;
    const beside = (word: string): string =>
      header.replace(
        '"conversationId":null',
        `"conversationId":"0198c0de-0000-7000-8000-000000000000","with":["${word}"]`,
      );
    const [written, alone] = [beside("conversation"), beside("something else")];
    expect(found(only([written, ...events]))).toEqual(["broken", "missing-conversation", -1]);
    expect(found(only([alone, ...events]))).toEqual(["intact", "ok", -1]);
  });
  it("hold several journals", () => {
    const all = checkFile(encoder.encode([...lines, ...lines].join("")));
    expect(all.map((one) => [one.form, one.report.verdict])).toEqual([
      ["file", "intact"],
      ["file", "intact"],
    ]);
  });
  it.each(["", "{}", "[]", '{"schema":"other"}', "\u0000", "null", '{"seq":0}\n'])(
    "are nothing else: %j",
    (text) => {
      expect(() => checkFile(encoder.encode(text))).toThrow();
    },
  );
});

it("the server's answer is checked, and what it claims is kept apart", () => {
  const [header, ...events] = linesOf().map((line) => parseStrict(encoder.encode(line)));
  const owner = isObject(header) && isObject(header.journal) ? header : {};
  const answer = {
    agentId: owner.agentId,
    turnId: isObject(owner.journal) ? owner.journal.id : null,
    chainIntact: false,
    brokenAtSeq: 1,
    verification: "hash",
    events,
  };
  const checked = checkJournal(encoder.encode(JSON.stringify(answer)));
  expect(checked.report.verdict).toBe("intact");
  expect(checked.claim).toEqual({ intact: false, brokenAtSeq: 1, verification: "hash" });
});
