import { expect, it } from "vitest";

import { prefixOf } from "./base";

it("finds the prefix of a reverse proxy from the script's own address", () => {
  expect(prefixOf("http://localhost:8321/assets/index-1.js")).toBe("/");
  expect(prefixOf("https://example.com/tools/turnledger/assets/index-1.js")).toBe("/tools/turnledger/");
});
