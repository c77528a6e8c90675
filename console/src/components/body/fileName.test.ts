import { expect, it } from "vitest";

import type { BodySlot, Entry } from "../../api/types";
import { bodyFileName } from "./fileName";

const entry: Pick<Entry, "journal" | "journalId" | "seq" | "type"> = {
  journal: "turn",
  journalId: "0198c0de-1c2d-7a4b-8000-000000000000",
  seq: 4,
  type: "TOOL_CALL",
};

it.each([
  ["payload", "application/json", "tool-call.json"],
  ["supplied", "text/plain; charset=utf-8", "tool-call-supplied.txt"],
  ["attachment-0", "image/png", "tool-call-attachment-0.bin"],
  ["payload", "text/html", "tool-call.html.txt"],
])("a file is named by where it comes from and what it is: %s, %s", (slot, mediaType, end) => {
  const body: BodySlot = { slot, mediaType, size: 1, state: "present" };
  expect(bodyFileName(entry, body)).toBe(`turn-0198c0de-1c2d-7a4b-event-4-${end}`);
});
