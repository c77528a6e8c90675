import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";

import { bodyPath, eventPath } from "../../api/paths";
import { seesBodies, sessionQuery } from "../../api/session";
import type { Entry } from "../../api/types";
import { bodyFileName, BodyView } from "../../components/body";
import { ArgumentDifference, RequestView } from "../../components/steps";
import { Badge, Button, Icon, Loading, RecordedText } from "../../components/ui";
import { bytes } from "../../lib/format";
import { type CardEvent, slotWord } from "./events";
import s from "./turn.module.css";

export interface CardBodiesProps {
  card: CardEvent;
  before: Entry | null | undefined;
  /** Whether all of them are open. */
  isOpen: boolean;
  opened: ReadonlySet<string>;
  onToggle: (key: string) => void;
  fileBodies: Readonly<Record<string, string>>;
}

interface Part {
  readonly key: string;
  readonly word: string;
  readonly size: number | null;
  readonly show: () => ReactNode;
}

/** The bodies of an event, each asked for when it is opened. */
export function CardBodies({
  card,
  before,
  isOpen,
  opened,
  onToggle,
  fileBodies,
}: CardBodiesProps): ReactNode {
  const session = useQuery(sessionQuery);
  const { entry, event } = card;
  const mayRead = seesBodies(session.data);
  const parts =
    entry === undefined ? partsOfFile(event.seq, event.type, fileBodies) : partsOf(entry, before, mayRead);
  const shown = parts.filter(
    (part) => opened.has(`${event.seq}/${part.key}`) !== (isOpen && opensAtOnce(part, parts)),
  );
  const preview = entry?.preview;
  return (
    <>
      {preview?.state === "text" && preview.text !== "" && (
        <p className={s.preview}>
          <RecordedText text={preview.text} />
          {preview.more && " …"}
        </p>
      )}
      {parts.length > 0 && (
        <div className={s.parts}>
          {parts.map((part) => (
            <Button
              key={part.key}
              small
              aria-expanded={shown.includes(part)}
              onClick={(click) => {
                click.stopPropagation();
                onToggle(`${event.seq}/${part.key}`);
              }}
            >
              <Icon name="chevron" size={11} /> {part.word}
              {part.size !== null && <small>{bytes(part.size)}</small>}
            </Button>
          ))}
          {entry?.bodies.some((body) => body.state === "pruned") === true && (
            <Badge
              tone="idle"
              icon="empty"
              title="Its size and commitment stay, and the chain still verifies."
            >
              body pruned
            </Badge>
          )}
          {entry !== undefined && !mayRead && entry.bodies.length > 0 && (
            <Badge tone="idle" icon="key" title="Reading what was said needs the scope view_bodies.">
              bodies withheld
            </Badge>
          )}
        </div>
      )}
      {shown.map((part) => (
        <div
          key={part.key}
          className={s.open}
          onClick={(click) => {
            click.stopPropagation();
          }}
        >
          {part.show()}
        </div>
      ))}
    </>
  );
}

function partsOf(entry: Entry, before: Entry | null | undefined, mayRead: boolean): Part[] {
  const present = mayRead ? entry.bodies.filter((body) => body.state === "present") : [];
  const parts: Part[] = present.map((body) => ({
    key: body.slot,
    word: slotWord(entry.type, body.slot),
    size: body.size,
    show: () =>
      entry.type === "MODEL_CALL" && body.slot === "payload" ? (
        before === undefined ? (
          <Loading what="the call before this one" />
        ) : (
          <RequestView entry={entry} before={before} />
        )
      ) : (
        <BodyView
          source={{ path: bodyPath(entry.agentId, entry.eventId, body.slot), size: body.size }}
          label={`the ${slotWord(entry.type, body.slot)} of event ${entry.seq}`}
          fileName={bodyFileName(entry, body)}
        />
      ),
  }));
  if (entry.type === "TOOL_CALL" && present.length > 1) {
    parts.unshift({
      key: "difference",
      word: "supplied / validated",
      size: null,
      show: () => <ArgumentDifference entry={entry} />,
    });
  }
  parts.push({
    key: "record",
    word: "whole record",
    size: null,
    show: () => (
      <BodyView
        source={{ path: eventPath(entry.agentId, entry.eventId), size: 0 }}
        label={`the record of event ${entry.seq}`}
      />
    ),
  });
  return parts;
}

/** Whether a part opens with the event: all bodies do, and a comparison stands for those that it shows. */
function opensAtOnce(part: Part, parts: readonly Part[]): boolean {
  if (part.key === "record") return false;
  const isCompared = parts.some((one) => one.key === "difference");
  return !isCompared || (part.key !== "payload" && part.key !== "supplied");
}

function partsOfFile(seq: number, type: string, bodies: Readonly<Record<string, string>>): Part[] {
  return Object.entries(bodies)
    .filter(([key]) => key.startsWith(`${seq}/`))
    .map(([key, text]) => {
      const slot = key.slice(key.indexOf("/") + 1);
      return {
        key: slot,
        word: slotWord(type, slot),
        size: text.length,
        show: () => <BodyView source={{ text }} label={`the ${slotWord(type, slot)} of event ${seq}`} />,
      };
    });
}
