import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";

import type { Conversation } from "../../api/types";
import { Ago, Badge, RecordedText } from "../../components/ui";
import { cx } from "../../lib/cx";
import { count, counted, NOT_RECORDED, tokens } from "../../lib/format";
import { fateWord } from "../../lib/fates";
import { costWords } from "../../lib/money";
import { outsideName } from "../../lib/outsideName";
import s from "./list.module.css";

/** What the newest message and the turns say about a conversation, in one word. */
function StateBadge({ of }: { of: Conversation }): ReactNode {
  const last = of.lastMessage;
  if (of.waitingTurns > 0)
    return (
      <Badge
        tone="warn"
        icon="pause"
        title={counted(of.waitingTurns, "turn waits for an approval", "turns wait for an approval")}
      >
        waits<span className={s.wide}> for approval</span>
      </Badge>
    );
  if (of.openTurns > 0)
    return (
      <Badge tone="active" icon="play" title={counted(of.openTurns, "turn runs", "turns run")}>
        running
      </Badge>
    );
  if (last?.direction === "outbound" && last.fate === "failed")
    return (
      <Badge tone="bad" icon="cross" title="The newest message was not delivered.">
        undelivered
      </Badge>
    );
  if (last?.direction === "outbound" && of.owesReply) return <OwesBadge />;
  if (last?.direction === "outbound")
    return (
      <Badge tone="good" icon="check" title="The newest message is the agent's.">
        answered
      </Badge>
    );
  const fate = last?.fate ?? null;
  if (fate === "shed")
    return (
      <Badge tone="bad" icon="empty" title="The newest message was dropped: a reply is owed.">
        shed
      </Badge>
    );
  if (fate === "turn")
    return (
      <Badge
        tone="warn"
        icon="warning"
        title="A turn dealt with the newest message and ended without a reply."
      >
        no reply
      </Badge>
    );
  if (fate !== null)
    return (
      <Badge tone="idle" icon="dot" title="What became of the newest message.">
        {fateWord(fate)}
      </Badge>
    );
  if (last === null)
    return (
      <Badge tone="idle" icon="dot" title="No message is on record.">
        no message
      </Badge>
    );
  return (
    <Badge tone="warn" icon="clock" title="Nothing came of the newest message yet.">
      undecided
    </Badge>
  );
}

function OwesBadge(): ReactNode {
  return (
    <Badge
      tone="warn"
      icon="warning"
      title="A message was shed, undecided or let down by its turn, and nothing answered it."
    >
      owes a reply
    </Badge>
  );
}

function preview(of: Conversation): string | null {
  const shown = of.lastMessage?.preview;
  return shown?.state === "text" && shown.text !== "" ? shown.text : null;
}

/** One conversation; the whole row is a link to its timeline. */
export function ConversationRow({
  of,
  isBroken,
  isSelected,
  onOpen,
}: {
  of: Conversation;
  /** Whether a check of this tab found that a journal of it does not prove. */
  isBroken: boolean;
  isSelected: boolean;
  onOpen: () => void;
}): ReactNode {
  const said = preview(of);
  return (
    <Link
      to="/agents/$agentId/conversations/$conversationId"
      params={{ agentId: of.agentId, conversationId: of.id }}
      className={cx(s.row, isSelected && s.selected)}
      data-conversation={of.id}
      onClick={onOpen}
    >
      <span className={s.state}>
        <StateBadge of={of} />
      </span>
      <span className={s.what}>
        <span className={s.name}>
          <RecordedText text={outsideName(of.key)} />
        </span>
        <small className={s.sub}>
          {of.connector ?? "no connector"} · {of.shape}
          {of.place !== null && (
            <>
              {" · "}
              <RecordedText text={of.place} />
            </>
          )}
          {said !== null && (
            <>
              {" · "}
              {of.lastMessage?.direction === "outbound" ? "→ " : "← "}
              <RecordedText text={said} />
            </>
          )}
        </small>
      </span>
      <span className={s.agent}>
        <RecordedText text={of.agentName} />
      </span>
      <span className={s.number} data-column="turns" data-unit={of.turns === 1 ? "turn" : "turns"}>
        {count(of.turns)}
      </span>
      <span
        className={s.number}
        data-column="tokens"
        data-unit="tokens"
        title={`${reported(of.tokensIn)} in, cached ones too; ${reported(of.tokensOut)} out, reasoning too`}
      >
        {of.tokensIn === null && of.tokensOut === null
          ? "–"
          : tokens((of.tokensIn ?? 0) + (of.tokensOut ?? 0))}
      </span>
      <CostCell of={of} />
      <span className={s.when}>
        <Ago at={of.lastAt} />
      </span>
      <span className={s.problems}>
        {isBroken && (
          <Badge tone="bad" icon="cross" title="A journal of it did not prove when last looked at.">
            record broken
          </Badge>
        )}
        {of.failedTurns > 0 && (
          <Badge tone="bad" icon="warning" title="Failed, refused, exhausted or interrupted.">
            {counted(of.failedTurns, "turn")} went wrong
          </Badge>
        )}
        {of.owesReply && <OwesBadge />}
        {!isBroken && of.failedTurns === 0 && !of.owesReply && <small className={s.none}>none</small>}
      </span>
    </Link>
  );
}

export function ConversationHead(): ReactNode {
  return (
    <div className={cx(s.row, s.headRow)} aria-hidden="true">
      <span>State</span>
      <span>Conversation</span>
      <span>Agent</span>
      <span className={s.number}>Turns</span>
      <span className={s.number}>Tokens</span>
      <span className={s.number}>Cost</span>
      <span>Last event</span>
      <span>Problems</span>
    </div>
  );
}

/** What its model calls cost, exactly; a dash where nothing is on record. */
function CostCell({ of }: { of: Conversation }): ReactNode {
  const { value, more } = costWords(of.cost);
  return (
    <span
      className={cx(s.number, s.cost)}
      title={more === "" ? value : `${value}, ${more}`}
      data-missing={value === NOT_RECORDED || undefined}
    >
      <span className={s.amount}>{value === NOT_RECORDED ? "–" : value}</span>
      {of.cost.amounts.length > 0 && of.cost.unpriced > 0 && <span className={s.mark}> +?</span>}
    </span>
  );
}

/** A count of tokens; what no provider reported is not 0. */
function reported(tokenCount: number | null): string {
  return tokenCount === null ? "not recorded" : count(tokenCount);
}
