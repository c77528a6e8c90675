import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";

import type { Balance } from "../../api/types";
import { Table } from "../../components/table";
import { Icon, Time } from "../../components/ui";
import { cx } from "../../lib/cx";
import { count, counted, duration } from "../../lib/format";
import s from "./balance.module.css";

const MEANING: Readonly<Record<string, string>> = {
  answered: "a turn ended and its reply is on record",
  observed: "the agent decided to say nothing",
  ignored: "the agent decided that it is no concern of it",
  deferred: "the agent decided to come back to it",
  collapsed: "dealt with as a part of another message",
  shed: "dropped without a turn: a reply is owed",
  superseded: "its turn gave way to another one",
  failed: "its turn ended without a result",
  waiting: "undecided, or its turn runs or waits for an approval",
  unaccounted: "nobody can say what became of it",
};

const REASON: Readonly<Record<string, string>> = {
  undecided: "no verdict was recorded",
  engaged_without_turn: "the agent engaged, and no turn followed",
  turn_missing: "its turn is not on record",
};

const OWED = ["shed", "failed", "unaccounted"] as const;
const BAD: ReadonlySet<string> = new Set(OWED);

/** The sum: every message that came in has one fate. */
export function Fates({ of }: { of: Balance }): ReactNode {
  const fates = Object.entries(of.fates);
  const owed = OWED.reduce((total, fate) => total + (of.fates[fate] ?? 0), 0);
  const sum = fates.reduce((total, [, number]) => total + number, 0);
  return (
    <>
      <section
        className={cx(s.verdict, of.balanced ? s.even : s.alarm)}
        role={of.balanced ? "status" : "alert"}
      >
        <Icon name={of.balanced ? "check" : "warning"} size={20} />
        <div>
          <h2>{of.balanced ? "Balanced" : "Not balanced"}</h2>
          <p>
            {counted(of.received, "message")} came in ={" "}
            {fates.map(([fate, number]) => `${count(number)} ${fate}`).join(" + ")} = {count(sum)}
          </p>
          {!of.balanced && (
            <p>
              {sum !== of.received
                ? `${count(Math.abs(of.received - sum))} do not add up: the record is not whole.`
                : `${counted(of.fates["unaccounted"] ?? 0, "message")} older than ${duration(of.graceMs)} without a fate.`}{" "}
              See whether the agent stopped, or decides without recording it.
            </p>
          )}
          {owed > 0 && (
            <p>
              That they add up does not mean that all were answered:{" "}
              {OWED.filter((fate) => (of.fates[fate] ?? 0) > 0)
                .map((fate) => `${count(of.fates[fate] ?? 0)} ${fate}`)
                .join(", ")}
              .{" "}
              <Link to="/" search={{ agent: of.agentId, status: "owes" }}>
                Conversations that still owe a reply
              </Link>
            </p>
          )}
          <p className={s.span}>
            <Time at={of.since} digits={0} /> to <Time at={of.until} digits={0} />
          </p>
        </div>
      </section>
      <div className={s.block}>
        <Table
          caption="What became of the messages"
          rows={fates}
          keyOf={([fate]) => fate}
          columns={[
            { head: "Fate", cell: ([fate]) => <b>{fate}</b> },
            { head: "Messages", isNumber: true, cell: ([, number]) => count(number) },
            {
              head: "Share",
              cell: ([fate, number]) => (
                <span className={s.share}>
                  <span
                    className={cx(s.bar, BAD.has(fate) && s.barBad)}
                    style={{ width: `${of.received === 0 ? 0 : (number / of.received) * 100}%` }}
                  />
                </span>
              ),
            },
            { head: "Meaning", cell: ([fate]) => MEANING[fate] ?? "" },
          ]}
        />
      </div>
      {of.unaccounted.length > 0 && (
        <div className={s.block}>
          <Table
            caption="Unaccounted for, newest first"
            isCaptionShown
            rows={of.unaccounted}
            keyOf={(row) => row.eventId}
            columns={[
              {
                head: "Message",
                cell: (row) => (
                  <Link
                    to="/agents/$agentId/conversations/$conversationId"
                    params={{ agentId: of.agentId, conversationId: row.conversationId }}
                    search={{ at: row.eventId }}
                  >
                    <Time at={row.createdAt} digits={0} />
                  </Link>
                ),
              },
              { head: "Why", cell: (row) => REASON[row.reason] ?? row.reason },
            ]}
          />
        </div>
      )}
    </>
  );
}
