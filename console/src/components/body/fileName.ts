// What a downloaded body is called: which event of which journal it is of, and what it is.
import type { BodySlot, Entry } from "../../api/types";

const ENDINGS: Readonly<Record<string, string>> = {
  "application/json": "json",
  "text/plain": "txt",
  "text/event-stream": "sse.txt",
  "text/html": "html.txt",
};

/** Such as `turn-0198c0de-1c2d-7a4b-event-4-model-result.json`; other bodies than the payload are named behind it. */
export function bodyFileName(
  entry: Pick<Entry, "journal" | "journalId" | "seq" | "type">,
  body: Pick<BodySlot, "slot" | "mediaType">,
): string {
  const [media = ""] = body.mediaType.split(";");
  const type = entry.type.toLowerCase().replaceAll("_", "-");
  const slot = body.slot === "payload" ? "" : `-${body.slot}`;
  const journal = `${entry.journal}-${entry.journalId.slice(0, 18)}`;
  return `${journal}-event-${entry.seq}-${type}${slot}.${ENDINGS[media.trim()] ?? "bin"}`;
}
