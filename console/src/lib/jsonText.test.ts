import { expect, it } from "vitest";

import { jsonDifferences } from "./jsonDifference";
import { partsOf } from "./jsonParts";
import { requestNews } from "./requestNews";

it("takes JSON apart without reading its values", () => {
  expect(partsOf(' {"a": [1, {"b": "}"}], "c\\"": 1.0 } ')?.members).toEqual([
    { key: "a", raw: '[1, {"b": "}"}]' },
    { key: 'c"', raw: "1.0" },
  ]);
  expect(partsOf("[]")).toEqual({ isList: true, members: [] });
  for (const text of ["", "7", "{", '{"a"}', '{"a":}', "[1", "[,]"]) expect(partsOf(text), text).toBeNull();
  expect(partsOf(`[${"[".repeat(20_000)}${"]".repeat(20_000)}]`)?.members.length).toBe(1);
});

it("says what is new since the request before", () => {
  const before = '{"model":"m","messages":[{"role":"user","content":"a"}],"top_p":1}';
  const now = '{"model":"m","messages":[{"role":"user","content":"a"},{"role":"tool"}],"temperature":0}';
  expect(requestNews(now, before)).toEqual({
    list: "messages",
    kept: 1,
    dropped: 0,
    added: ['{"role":"tool"}'],
    changed: [{ key: "temperature", raw: "0" }],
    removed: ["top_p"],
  });
  expect(requestNews(now, null)?.added.length).toBe(2);
  expect(requestNews("not json", before)).toBeNull();
});

it("D05: a number that was rounded on validation is a difference", () => {
  const supplied = '{"id": 912345678901234567, "n": 7.0, "same": [1, 2], "gone": null}';
  const validated = '{"n":7,"id":912345678901234600,"same":[1,2],"more":{"a":1}}';
  expect(jsonDifferences(supplied, validated)).toEqual([
    { path: "$.id", left: "912345678901234567", right: "912345678901234600" },
    { path: "$.n", left: "7.0", right: "7" },
    { path: "$.gone", left: "null", right: null },
    { path: "$.more", left: null, right: '{"a":1}' },
  ]);
  expect(jsonDifferences('{"a":1,"b":2}', '{ "b": 2, "a": 1 }')).toEqual([]);
  expect(jsonDifferences("{", "{}")).toBeNull();
});
