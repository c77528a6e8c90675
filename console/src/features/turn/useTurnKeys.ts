import { useNavigate } from "@tanstack/react-router";

import { api, ask } from "../../api/client";
import type { Turn } from "../../api/types";
import { useKeys } from "../../lib/keyboard";
import { copyText, say } from "../../lib/toasts";
import { type CardTable, problemOf } from "./events";
import { inspectorRoute, type TurnSearch } from "./routes";

interface Keyed {
  readonly cards: CardTable;
  /** Place of the event where the journal breaks; -1: nowhere. */
  readonly brokenAt: number;
  readonly search: TurnSearch;
  readonly agentId: string;
  readonly turnId: string;
  readonly conversationId: string | undefined;
  readonly select: (seq: number | undefined, open?: true) => void;
}

/** Keys of the inspector: events, problems, neighbours, copies. */
export function useTurnKeys(keyed: Keyed): void {
  const { cards, brokenAt, search, agentId, turnId, conversationId, select } = keyed;
  const navigate = useNavigate({ from: inspectorRoute.fullPath });
  const chosen = search.seq === undefined ? -1 : cards.placeOf(search.seq);
  const move = (step: 1 | -1): void => {
    const next = cards.at(chosen < 0 ? (step > 0 ? 0 : cards.length - 1) : chosen + step);
    if (next !== undefined) select(next.event.seq);
  };
  const problem = (step: 1 | -1): void => {
    const begin = chosen < 0 && step < 0 ? cards.length : chosen;
    for (let place = begin + step; place >= 0 && place < cards.length; place += step) {
      const card = cards.at(place);
      if (card !== undefined && (place === brokenAt || problemOf(card) !== null)) {
        select(card.event.seq);
        return;
      }
    }
    say(step > 0 ? "No further problem in this turn." : "No problem before this event.");
  };
  const neighbour = async (step: 1 | -1): Promise<void> => {
    if (conversationId === undefined) return;
    const other = neighbourOf(await turnsOf(agentId, conversationId), turnId, step);
    if (other === undefined)
      say(
        step > 0
          ? "This is the last turn of its conversation."
          : "This is the first turn of its conversation.",
      );
    else await navigate({ search: { agentId, turnId: other.id } });
  };
  useKeys({
    j: () => {
      move(1);
    },
    k: () => {
      move(-1);
    },
    J: () => void neighbour(1),
    K: () => void neighbour(-1),
    n: () => {
      problem(1);
    },
    N: () => {
      problem(-1);
    },
    Enter: () => {
      select(search.seq, search.open === true ? undefined : true);
    },
    e: () => {
      select(search.seq, search.open === true ? undefined : true);
    },
    c: () => void copyText(window.location.href, "the link"),
    y: () => {
      const event = cards.at(chosen)?.event;
      if (event !== undefined) void copyText(event.hash, `the hash of event ${event.seq}`);
    },
  });
}

const LIMIT = 200;

/** The latest turns of a conversation, in the order in which they were opened. */
async function turnsOf(agentId: string, conversation: string): Promise<readonly Turn[]> {
  const found = await ask(
    api.GET("/api/agents/{agentId}/turns", {
      params: { path: { agentId }, query: { conversation, limit: LIMIT } },
    }),
  );
  return [...found.items].sort((left, right) => left.ordinal - right.ordinal);
}

function neighbourOf(turns: readonly Turn[], turnId: string, step: 1 | -1): Turn | undefined {
  const place = turns.findIndex((turn) => turn.id === turnId);
  return place < 0 ? undefined : turns[place + step];
}
