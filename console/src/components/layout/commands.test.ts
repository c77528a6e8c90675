import { expect, it } from "vitest";

import { commandsOf, matching } from "./commands";

const visited: [string, Record<string, string>][] = [];
const commands = commandsOf((to, search = {}) => {
  visited.push([to, search]);
});

it.each([
  ["", "Conversations"],
  ["integ", "Integrity"],
  ["verify", "Verify everything"],
  ["proof", "Integrity"],
  ["why not answered", "Conversations that owe a reply"],
  ["theme night", "Dark colours"],
  ["failed", "Conversations that failed"],
  ["api key", "Make a token"],
])("what is typed finds what is meant: %s", (typed, word) => {
  expect(matching(commands, typed)[0]?.word).toBe(word);
});

it("finds nothing for words that nothing is called by", () => {
  expect(matching(commands, "zebra crossing")).toEqual([]);
});

it("leads to a list that answers the question", () => {
  matching(commands, "owe a reply")[0]?.run();
  expect(visited).toEqual([["/", { status: "owes" }]]);
});

it("names no command twice", () => {
  const keys = commands.map((command) => command.key);
  expect(new Set(keys).size).toBe(keys.length);
});
