import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";

import type { TurnReport } from "../../api/types";
import { useCostWords } from "../../api/useCostWords";
import { RecordedText, StatusBadge, Time } from "../../components/ui";
import { counted, duration, NOT_RECORDED, short, tokens as shortCount } from "../../lib/format";
import type { CostWords } from "../../lib/money";
import { type Buckets, cacheWords, inputOf, outputOf } from "../../lib/tokenSums";
import s from "./turn.module.css";

/** What the turn is, and what it took. */
export function Totals({ report, actions }: { report: TurnReport; actions: ReactNode }): ReactNode {
  const { turn, totals } = report;
  const { tokens } = totals;
  return (
    <section className={s.totals} aria-label="The turn">
      <div className={s.who}>
        <StatusBadge status={turn.status} />
        <strong>
          Turn {turn.ordinal + 1} of <RecordedText text={turn.agentName} />
        </strong>
        <Time at={turn.openedAt} hasZone />
        {turn.errorClass !== null && (
          <code>
            <RecordedText text={turn.errorClass} />
          </code>
        )}
        <Link
          to="/agents/$agentId/conversations/$conversationId"
          params={{ agentId: turn.agentId, conversationId: turn.conversationId }}
        >
          Its conversation
        </Link>
        {turn.parentTurnId !== null && (
          <Link to="/agents/turns" search={{ turnId: turn.parentTurnId }} title={turn.parentTurnId}>
            started by turn {short(turn.parentTurnId, 12)}…
          </Link>
        )}
        <span className={s.actions}>{actions}</span>
      </div>
      <dl className={s.figures}>
        <Figure word="wall time" value={time(totals.wallMs)} />
        <Figure word="model calls" value={withTime(totals.modelCalls, totals.modelMs)} />
        <Figure word="tool calls" value={withTime(totals.toolCalls, totals.toolMs)} />
        <Figure word="tokens in" value={tokenWords(inputOf(tokens))} more={cacheWords(tokens)} />
        <Figure word="tokens out" value={tokenWords(outputOf(tokens))} more={reasoningWords(tokens)} />
        <Figure word="cost" {...cost(report, useCostWords(turn.cost, turn.modelCalls))} />
      </dl>
      {report.children.length > 0 && (
        <ul className={s.children}>
          {report.children.map((child) => (
            <li key={child.turnId}>
              <StatusBadge status={child.status} />{" "}
              <Link to="/agents/turns" search={{ agentId: child.agentId, turnId: child.turnId }}>
                turn of <RecordedText text={child.agentName} />
              </Link>
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}

function Figure({ word, value, more = "" }: { word: string; value: string; more?: string }): ReactNode {
  return (
    <div data-missing={value === NOT_RECORDED || undefined}>
      <dt>{word}</dt>
      <dd>
        {value}
        {more !== "" && <small> {more}</small>}
      </dd>
    </div>
  );
}

/** Of our own records, else what another writer of the journal noted. */
function cost({ turn, totals }: TurnReport, words: CostWords): CostWords {
  if (words.value !== NOT_RECORDED) return words;
  if (totals.costMinor !== null) return { value: `${String(totals.costMinor)} minor units`, more: "" };
  return turn.modelCalls === 0 ? { value: "No model call", more: "" } : words;
}

function tokenWords(count: number | null): string {
  return count === null ? NOT_RECORDED : shortCount(count);
}

function reasoningWords({ reasoning }: Buckets): string {
  return reasoning === null || reasoning === 0 ? "" : `${shortCount(reasoning)} of it reasoning`;
}

function time(ms: number | null): string {
  return ms === null ? NOT_RECORDED : duration(ms);
}

function withTime(calls: number, ms: number | null): string {
  if (calls === 0) return "0";
  return `${counted(calls, "call")} · ${ms === null ? "time not recorded" : duration(ms)}`;
}
