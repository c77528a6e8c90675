import { Link, useNavigate } from "@tanstack/react-router";
import { type ReactNode, useEffect, useMemo } from "react";

import { noteTurn } from "../../api/findings";
import { Badge, Button, Empty, Failure, Loading, Tabs } from "../../components/ui";
import { reasonWords } from "../../verify/words";
import { Cards } from "./Cards";
import { causeOf } from "./cause";
import { CardTable, uncheckedEvents } from "./events";
import { FixtureButton } from "./FixtureButton";
import { brokenAt, judge, type Judgement } from "./judgement";
import { Notices } from "./Notices";
import { Outline } from "./Outline";
import { PromptView } from "./PromptView";
import { RawView } from "./RawView";
import { inspectorRoute, type TurnSearch } from "./routes";
import { Totals } from "./Totals";
import { useTurn } from "./useTurn";
import { useTurnKeys } from "./useTurnKeys";
import { Checking, NotChecked, VerdictPanel } from "./VerdictPanel";
import { Waterfall } from "./Waterfall";
import s from "./turn.module.css";

const TABS = [
  ["cards", "Events"],
  ["waterfall", "Waterfall"],
  ["prompt", "Prompt"],
  ["raw", "Raw"],
] as const;

/** A turn of the ledger. */
export function TurnView({
  agentId,
  turnId,
  search,
}: {
  agentId: string;
  turnId: string;
  search: TurnSearch;
}): ReactNode {
  const data = useTurn(agentId, turnId);
  const { journal, report, entries, steps } = data;
  const navigate = useNavigate({ from: inspectorRoute.fullPath });
  const cards = useMemo(
    () => new CardTable(journal?.events ?? uncheckedEvents(entries), entries, steps, report),
    [journal, entries, steps, report],
  );
  const select = (seq: number | undefined, open?: true): void => {
    void navigate({
      search: (before) => ({
        ...without(before),
        ...(seq !== undefined && { seq }),
        ...(open && { open }),
      }),
      replace: true,
    });
  };
  const judgement = journal === undefined ? null : judge(journal);
  const status = journal === undefined ? undefined : report?.turn.status;
  const cause = useMemo(() => (status === undefined ? null : causeOf(cards, status)), [cards, status]);
  const { need } = data;
  const causeAt = cause?.place ?? -1;
  useEffect(() => {
    if (causeAt >= 0) need(causeAt, causeAt);
  }, [causeAt, need]);
  useNoted(agentId, turnId, report?.turn.conversationId, judgement);
  useTurnKeys({
    cards,
    brokenAt: brokenAt(judgement),
    search,
    agentId,
    turnId,
    conversationId: report?.turn.conversationId,
    select,
  });
  const { errors } = data;
  if (errors.journal?.status === 404 || errors.report?.status === 404) return <NothingRecorded />;
  if (errors.journal !== null && report === undefined) {
    return <Failure error={errors.journal} what="this turn" onRetry={data.retry} />;
  }
  const isChecking = journal === undefined && errors.journal === null && data.notChecked === null;
  if (isChecking && errors.report === null && report === undefined && cards.length === 0) {
    return <Loading what="the turn" />;
  }
  return (
    <>
      {errors.report !== null ? (
        <Failure error={errors.report} what="what this turn took" onRetry={data.retry} />
      ) : report === undefined ? (
        <Loading what="what it took" />
      ) : (
        <Totals report={report} actions={<FixtureButton agentId={agentId} turnId={turnId} />} />
      )}
      {errors.journal !== null ? (
        <Failure error={errors.journal} what="its journal" onRetry={data.retry} />
      ) : isChecking ? (
        <Checking events={report?.turn.events ?? null} />
      ) : journal === undefined || judgement === null ? (
        <NotChecked fault={data.notChecked ?? ""} onRetry={data.retry} />
      ) : (
        <VerdictPanel journal={journal} judgement={judgement} at={data.checkedAt} />
      )}
      {report !== undefined && (
        <Notices
          report={report}
          cause={cause}
          said={cause === null ? "" : (entries.get(cause.seq)?.preview?.text ?? "")}
          onSelect={(seq) => {
            select(seq);
          }}
        />
      )}
      {data.isLacking && (
        <p className={s.lacking}>
          <Badge tone="warn" icon="warning">
            incomplete
          </Badge>{" "}
          What stands beside some of the events did not come; the journal itself is here.{" "}
          <Button small onClick={data.retry}>
            Try again
          </Button>
        </p>
      )}
      <div className={s.views}>
        <Tabs
          label="Views of the turn"
          tabs={TABS}
          chosen={search.view ?? "cards"}
          onChoose={(view) => {
            void navigate({
              search: ({ view: _, ...before }) => ({ ...before, ...(view !== "cards" && { view }) }),
              replace: true,
            });
          }}
        >
          <div className={s.panel}>
            {isChecking && (needsAll(search.view) || cards.length === 0) ? (
              <Loading what="its events" />
            ) : search.view === "waterfall" ? (
              <Waterfall
                cards={cards}
                wallMs={report?.totals.wallMs ?? null}
                onSelect={(seq) => {
                  void navigate({ search: ({ view: _, ...before }) => ({ ...before, seq }) });
                }}
              />
            ) : search.view === "prompt" ? (
              <PromptView cards={cards} onShown={data.need} />
            ) : search.view === "raw" ? (
              <RawView agentId={agentId} turnId={turnId} />
            ) : (
              <div className={s.outlined}>
                <Outline
                  cards={cards}
                  breakAt={brokenAt(judgement)}
                  selected={search.seq}
                  onSelect={select}
                />
                <Cards
                  cards={cards}
                  judgement={judgement}
                  selected={search.seq}
                  isOpen={search.open === true}
                  onSelect={select}
                  onShown={data.need}
                />
              </div>
            )}
          </div>
        </Tabs>
      </div>
    </>
  );
}

/** Whether a view is wrong where it is shown some of the events only. */
function needsAll(view: TurnSearch["view"]): boolean {
  return view === "waterfall" || view === "prompt";
}

/** What is found here about the turn is known on the other pages too. */
function useNoted(
  agentId: string,
  turnId: string,
  conversationId: string | undefined,
  judgement: Judgement | null,
): void {
  const kind = judgement?.kind;
  const seq = brokenAt(judgement);
  const reason = judgement?.kind === "broken" ? judgement.reason : "";
  useEffect(() => {
    if (kind === undefined || conversationId === undefined) return;
    const isBroken = kind === "broken" || kind === "disagree";
    const explanation =
      kind === "broken" ? reasonWords(reason, seq) : "The browser and the server found different things.";
    noteTurn({ target: turnId, agentId, conversationId, seq, explanation }, isBroken);
  }, [agentId, turnId, conversationId, kind, seq, reason]);
}

function without({ seq: _seq, open: _open, ...rest }: TurnSearch): TurnSearch {
  return rest;
}

function NothingRecorded(): ReactNode {
  return (
    <Empty
      title="Nothing is recorded under these ids"
      icon="search"
      actions={<Link to="/">Conversations</Link>}
    >
      <p>
        This ledger holds no such turn of this agent, or you may not see the agent; the two look alike on
        purpose. A turn belongs to one agent: the id of another one finds nothing.
      </p>
      <p>
        Recording is switched on by the program that runs the agent: <code>turnledger.open()</code> with{" "}
        <code>TURNLEDGER_URL</code> naming this ledger or this server, and <code>convo.turn(…)</code> around
        each run. <code>TURNLEDGER_URL=off</code> switches it off. What ran before that is not here, and
        cannot be added as if it had been.
      </p>
    </Empty>
  );
}
