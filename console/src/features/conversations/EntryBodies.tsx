import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";

import { bodyPath } from "../../api/paths";
import { seesBodies, sessionQuery } from "../../api/session";
import type { BodySlot, Entry } from "../../api/types";
import { bodyFileName, BodyView } from "../../components/body";
import { Flags } from "../../components/steps";
import { AssuranceBadge, Chips, Hash, RecordedText, Time } from "../../components/ui";
import { bytes } from "../../lib/format";
import { ArgumentsView } from "./ArgumentsView";
import s from "./timeline.module.css";

const WORDS: Readonly<Record<string, string>> = {
  MODEL_CALL: "request",
  MODEL_RESULT: "response",
  TOOL_CALL: "validated arguments",
  TOOL_RESULT: "observation",
  PROMPT: "prompt snapshot",
  MESSAGE: "message",
  INTAKE: "trigger",
  VERDICT: "reason of the verdict",
  MEMORY_WRITE: "memory content",
  COMMIT: "answer",
};

/** What people call this body of an event. */
function slotName(entry: Entry, slot: string): string {
  if (slot !== "payload") return slot === "supplied" ? "supplied, as the model wrote it" : slot;
  if (entry.type === "TOOL_CALL" && entry.tokens["validated"] === "0") return "supplied, not validated";
  return WORDS[entry.type] ?? "payload";
}

/** An event in full: its facts as they are hashed, and its bodies. */
export function EntryBodies({ entry }: { entry: Entry }): ReactNode {
  const mayRead = seesBodies(useQuery(sessionQuery).data);
  return (
    <section className={s.entry} aria-label={`Event ${entry.seq}, ${entry.type}`}>
      <div className={s.entryHead}>
        <code>
          {entry.type} · {entry.journal} seq {entry.seq}
        </code>
        <Time at={entry.createdAt} form="clock" hasZone />
        <AssuranceBadge assurance={entry.assurance} />
        <Flags detail={entry.detail} />
        <Hash label="hash" value={entry.hash} />
        <Hash label="payload" value={entry.payloadHash} />
        {entry.type === "MEMORY_WRITE" && entry.tokens["entry"] !== undefined && (
          <Link to="/memory" search={{ agent: entry.agentId, entry: entry.tokens["entry"] }}>
            all revisions
          </Link>
        )}
      </div>
      <Chips pairs={chips(entry)} />
      {entry.type === "TOOL_CALL" && mayRead && <ArgumentsView call={entry} />}
      <div className={s.bodies}>
        {inReadingOrder(entry.bodies).map((body) => (
          <Body key={body.slot} entry={entry} body={body} mayRead={mayRead} />
        ))}
      </div>
    </section>
  );
}

/** What the model wrote stands before what validation made of it. */
function inReadingOrder(bodies: readonly BodySlot[]): BodySlot[] {
  return [...bodies].sort(
    (one, other) => Number(other.slot === "supplied") - Number(one.slot === "supplied"),
  );
}

function chips(entry: Entry): [string, ReactNode][] {
  return Object.entries(entry.tokens)
    .filter(([key]) => key !== "detail" && key !== "assurance")
    .map(([key, value]) => [key, <RecordedText key={key} text={value} />]);
}

function Body({ entry, body, mayRead }: { entry: Entry; body: BodySlot; mayRead: boolean }): ReactNode {
  const name = slotName(entry, body.slot);
  return (
    <div className={s.slot}>
      <h2>
        {name}{" "}
        <small>
          {bytes(body.size)} · <RecordedText text={body.mediaType} />
        </small>
      </h2>
      {body.state === "pruned" ? (
        <p className={s.note}>Pruned: the hash stays, the content is gone.</p>
      ) : mayRead ? (
        <BodyView
          source={{ path: bodyPath(entry.agentId, entry.eventId, body.slot), size: body.size }}
          label={`the ${name} of event ${entry.seq}`}
          fileName={bodyFileName(entry, body)}
        />
      ) : (
        <p className={s.note}>
          You may see that it is there, not what it says: that needs the scope view_bodies.
        </p>
      )}
    </div>
  );
}
