import { type ReactNode, useEffect, useMemo } from "react";

import { bodyPath } from "../../api/paths";
import { bodyFileName, BodyView } from "../../components/body";
import { Empty, Hash } from "../../components/ui";
import type { CardTable } from "./events";
import s from "./turn.module.css";

/** The prompt snapshots of the turn: assembled instructions and tool definitions, as they were sent. */
export function PromptView({
  cards,
  onShown,
}: {
  cards: CardTable;
  onShown: (first: number, last: number) => void;
}): ReactNode {
  const places = useMemo(() => placesOf(cards), [cards]);
  useEffect(() => {
    for (const place of places) onShown(place, place);
  }, [places, onShown]);
  const prompts = places.flatMap((place) => cards.at(place) ?? []);
  if (prompts.length === 0) {
    return (
      <Empty title="No prompt snapshot in this turn">
        <p>
          A snapshot is written when a model call brings instructions or tools. This turn made no such call,
          or its recorder could not take them apart; the requests hold what was sent.
        </p>
      </Empty>
    );
  }
  return (
    <div className={s.prompts}>
      {prompts.map(({ event, entry, tokens }) => {
        const body = entry?.bodies.find((one) => one.slot === "payload");
        const digest = entry?.detail["promptDigest"];
        return (
          <section key={event.seq}>
            <h2>
              #{event.seq} {tokens.get("role") ?? "prompt"}{" "}
              {typeof digest === "string" && <Hash label="snapshot" value={digest} />}
            </h2>
            {entry === undefined || body === undefined ? (
              <p>Its content is not here.</p>
            ) : body.state === "pruned" ? (
              <p>It was pruned with the last request that used it.</p>
            ) : (
              <BodyView
                source={{ path: bodyPath(entry.agentId, entry.eventId, "payload"), size: body.size }}
                label={`the prompt snapshot of event ${event.seq}`}
                fileName={bodyFileName(entry, body)}
              />
            )}
          </section>
        );
      })}
    </div>
  );
}

const MOST = 20;

/** Where the snapshots stand: the last ones, where there are very many. */
function placesOf(cards: CardTable): number[] {
  const found: number[] = [];
  for (let place = cards.length - 1; place >= 0 && found.length < MOST; place -= 1) {
    if (cards.type(place) === "PROMPT") found.unshift(place);
  }
  return found;
}
