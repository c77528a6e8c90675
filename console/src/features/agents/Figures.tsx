import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";

import type { Figures as FiguresAnswer, Overview, Tokens } from "../../api/types";
import { useCostWords } from "../../api/useCostWords";
import { Plot } from "../../components/plot";
import { Table } from "../../components/table";
import { RecordedText, Time } from "../../components/ui";
import { count, counted, duration, NOT_RECORDED, tokens } from "../../lib/format";
import { costWords, nanoOf, roughAmount } from "../../lib/money";
import { cacheWords, inputOf, outputOf, tokenFlow } from "../../lib/tokenSums";
import { outsideName } from "../../lib/outsideName";
import s from "./agents.module.css";

const GOOD = ["completed"] as const;
const OPEN = ["running", "waiting"] as const;

const BAR: Readonly<Record<Overview["bucket"], string>> = {
  minute: "a minute",
  quarter: "a quarter of an hour",
  hour: "an hour",
  day: "a day",
  week: "a week",
};

function sum(counts: Readonly<Record<string, number>>, wanted?: readonly string[]): number {
  return Object.entries(counts).reduce(
    (total, [key, value]) => (wanted === undefined || wanted.includes(key) ? total + value : total),
    0,
  );
}

function others(statuses: Readonly<Record<string, number>>): number {
  return sum(statuses) - sum(statuses, [...GOOD, ...OPEN, "failed"]);
}

function tokenWords(of: Tokens): string {
  return inputOf(of) === null && outputOf(of) === null ? NOT_RECORDED : tokenFlow(of);
}

/** Input that the model read anew, cached by it or not. */
function newInput(of: Tokens): number | null {
  return inputOf({ ...of, cacheRead: null });
}

function ms(value: number | null): string {
  return value === null ? "not measured" : duration(value);
}

/** The figures of a stretch of time: sums, plots with their tables, and what was used most. */
export function Figures({ of }: { of: Overview }): ReactNode {
  const times = of.buckets.map((bucket) => bucket.since);
  const over = (value: (figures: FiguresAnswer) => number | null): (number | null)[] =>
    of.buckets.map((bucket) => value(bucket.figures));
  return (
    <>
      <p className={s.span}>
        <Time at={of.since} digits={0} /> to <Time at={of.until} digits={0} />, each bar {BAR[of.bucket]} (
        {of.timeZone})
      </p>
      <Tiles of={of.total} agentId={of.agentId} />
      <div className={s.plots}>
        <Plot
          title="Turns by status"
          kind="bars"
          times={times}
          format={count}
          series={[
            { name: "completed", mark: "one", values: over((one) => sum(one.statuses, GOOD)) },
            { name: "open", mark: "two", values: over((one) => sum(one.statuses, OPEN)) },
            { name: "ended otherwise", mark: "four", values: over((one) => others(one.statuses)) },
            { name: "failed", mark: "bad", values: over((one) => sum(one.statuses, ["failed"])) },
          ]}
        />
        <Plot
          title="Tokens"
          kind="bars"
          times={times}
          format={tokens}
          series={[
            { name: "in, new", mark: "one", values: over((one) => newInput(one.tokens)) },
            { name: "in, cached", mark: "two", values: over((one) => one.tokens.cacheRead) },
            { name: "out", mark: "three", values: over((one) => one.tokens.out) },
            { name: "reasoning", mark: "four", values: over((one) => one.tokens.reasoning) },
          ]}
        />
        {of.total.cost.amounts.map(({ currency }) => (
          <Plot
            key={currency}
            title={`Cost in ${currency}`}
            kind="bars"
            times={times}
            format={roughAmount}
            series={[{ name: "model calls", mark: "one", values: over((one) => nanoOf(one.cost, currency)) }]}
          />
        ))}
        <Plot
          title="Time of a turn"
          kind="lines"
          times={times}
          format={duration}
          series={[
            { name: "median", mark: "one", values: over((one) => one.turnMs.p50) },
            { name: "95th percentile", mark: "two", values: over((one) => one.turnMs.p95) },
          ]}
        />
        <Plot
          title="What went wrong"
          kind="bars"
          times={times}
          format={count}
          series={[
            { name: "model errors", mark: "three", values: over((one) => one.modelErrors) },
            { name: "tool errors", mark: "two", values: over((one) => one.toolErrors) },
            { name: "shed triggers", mark: "four", values: over((one) => sum(one.shed)) },
            { name: "failed deliveries", mark: "bad", values: over((one) => one.failedDeliveries) },
          ]}
        />
      </div>
      <Tops of={of} />
    </>
  );
}

function Tiles({ of, agentId }: { of: FiguresAnswer; agentId: string }): ReactNode {
  const cost = useCostWords(of.cost, of.modelCalls);
  const tiles: [string, ReactNode, string][] = [
    ["Turns", count(of.turns), statusWords(of.statuses)],
    ["Tokens in → out", tokenWords(of.tokens), cacheWords(of.tokens)],
    ["Time of a turn", ms(of.turnMs.p50), `95 % within ${ms(of.turnMs.p95)}`],
    ["Model calls", count(of.modelCalls), counted(of.modelErrors, "error")],
    ["Tool calls", count(of.toolCalls), counted(of.toolErrors, "error")],
    ["Shed triggers", count(sum(of.shed)), statusWords(of.shed)],
    ["Failed deliveries", count(of.failedDeliveries), ""],
    ["Cost", cost.value, cost.more],
  ];
  return (
    <>
      <dl className={s.tiles}>
        {tiles.map(([name, value, more]) => (
          <div key={name} className={s.tile}>
            <dt>{name}</dt>
            <dd>
              {value}
              {more !== "" && <small>{more}</small>}
            </dd>
          </div>
        ))}
      </dl>
      <p className={s.links}>
        <Link to="/" search={{ agent: agentId }}>
          its conversations
        </Link>
        <Link to="/balance" search={{ agent: agentId }}>
          its balance
        </Link>
        <Link to="/actors" search={{ agent: agentId }}>
          its actors
        </Link>
      </p>
    </>
  );
}

function statusWords(counts: Readonly<Record<string, number>>): string {
  return Object.entries(counts)
    .filter(([, value]) => value > 0)
    .map(([key, value]) => `${count(value)} ${key.replaceAll("_", " ")}`)
    .join(", ");
}

function Tops({ of }: { of: Overview }): ReactNode {
  return (
    <div className={s.tops}>
      <Table
        caption="Conversations by tokens"
        isCaptionShown
        rows={of.topConversations}
        keyOf={(row) => row.conversationId}
        columns={[
          {
            head: "Conversation",
            cell: (row) => (
              <Link
                to="/agents/$agentId/conversations/$conversationId"
                params={{ agentId: of.agentId, conversationId: row.conversationId }}
              >
                <RecordedText text={outsideName(row.key)} />
              </Link>
            ),
          },
          { head: "Model calls", isNumber: true, cell: (row) => count(row.modelCalls) },
          { head: "Tokens in → out", isNumber: true, cell: (row) => tokenWords(row.tokens) },
          { head: "Cost", isNumber: true, cell: (row) => costWords(row.cost).value },
        ]}
      />
      <Table
        caption="Models"
        isCaptionShown
        rows={of.topModels}
        keyOf={(row) => row.name}
        columns={[
          { head: "Model", cell: (row) => <RecordedText text={row.name} /> },
          { head: "Calls", isNumber: true, cell: (row) => count(row.calls) },
          { head: "Errors", isNumber: true, cell: (row) => count(row.errors) },
          { head: "Tokens in → out", isNumber: true, cell: (row) => tokenWords(row.tokens) },
          { head: "Cost", isNumber: true, cell: (row) => costWords(row.cost).value },
          { head: "Longest", isNumber: true, cell: (row) => ms(row.maxMs) },
        ]}
      />
      <Table
        caption="Tools"
        isCaptionShown
        rows={of.topTools}
        keyOf={(row) => row.name}
        columns={[
          { head: "Tool", cell: (row) => <RecordedText text={row.name} /> },
          { head: "Calls", isNumber: true, cell: (row) => count(row.calls) },
          { head: "Errors", isNumber: true, cell: (row) => count(row.errors) },
          { head: "Time in all", isNumber: true, cell: (row) => duration(row.totalMs) },
          { head: "Longest", isNumber: true, cell: (row) => ms(row.maxMs) },
        ]}
      />
    </div>
  );
}
