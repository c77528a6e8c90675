import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import type { ReactNode } from "react";

import { api, ask } from "../../api/client";
import { integrityQuery } from "../../api/integrity";
import type { VerificationJob } from "../../api/types";
import { Page } from "../../components/layout/Page";
import { Badge, Button, Failure, Hash, Icon, Loading, RecordedText, Time } from "../../components/ui";
import { count, counted } from "../../lib/format";
import { useShownRequest } from "../../lib/shownRequest";
import { FindingTable } from "./FindingTable";
import s from "./integrity.module.css";
import { VerifyOne } from "./VerifyOne";

const GREEN: ReadonlySet<string> = new Set(["intact", "sealed", "witnessed"]);

/** How far this ledger can be trusted, what was checked, and what nobody has checked. */
export function IntegrityPage(): ReactNode {
  useShownRequest("/api/integrity");
  const integrity = useQuery(integrityQuery);
  return (
    <Page title="Integrity">
      {integrity.data === undefined ? (
        integrity.error === null ? (
          <Loading what="the ledger's state" />
        ) : (
          <Failure
            error={integrity.error}
            what="the ledger's state"
            onRetry={() => void integrity.refetch()}
          />
        )
      ) : (
        <>
          <section className={s.card}>
            <h2>This ledger</h2>
            <p>
              <Hash label="id" value={integrity.data.ledgerId} />
            </p>
            <p>
              <Badge tone="warn" icon="warning">
                no signed checkpoints
              </Badge>{" "}
              {integrity.data.checkpoints.explanation}
            </p>
            <p className={s.soft}>
              A chain shows that an event was changed, removed from the middle, or put in. Without a
              checkpoint kept elsewhere it does not show that whoever can write to the database replaced a
              whole turn with its conversation, or cut off the newest events.
            </p>
          </section>
          <WholeLedger job={integrity.data.verification} />
        </>
      )}
      <VerifyOne />
    </Page>
  );
}

function WholeLedger({ job }: { job: VerificationJob | null }): ReactNode {
  const client = useQueryClient();
  const done = (): void => void client.invalidateQueries({ queryKey: integrityQuery.queryKey });
  const start = useMutation<VerificationJob>({
    mutationFn: () => ask(api.POST("/api/integrity/verification")),
    onSettled: done,
  });
  const cancel = useMutation<VerificationJob>({
    mutationFn: () => ask(api.DELETE("/api/integrity/verification")),
    onSettled: done,
  });
  const isRunning = job?.state === "running";
  const problem = (start.error ?? cancel.error)?.problem;
  return (
    <section className={s.card}>
      <h2>Everything</h2>
      <p className={s.soft}>The server hashes every event and every body of the ledger again.</p>
      <div className={s.actions}>
        <Button
          look="primary"
          disabled={isRunning || start.isPending}
          onClick={() => {
            start.mutate();
          }}
        >
          {job === null ? "Verify everything" : "Verify everything again"}
        </Button>
        {isRunning && (
          <Button
            disabled={cancel.isPending}
            onClick={() => {
              cancel.mutate();
            }}
          >
            Cancel
          </Button>
        )}
        {problem !== undefined && (
          <Badge tone="bad" icon="cross">
            {problem.title}: {problem.detail}
          </Badge>
        )}
      </div>
      {job === null ? <p>It was not verified since this server started.</p> : <Job of={job} />}
    </section>
  );
}

function Job({ of }: { of: VerificationJob }): ReactNode {
  const share = of.journals === 0 ? 100 : Math.min(100, (of.checked / of.journals) * 100);
  return (
    <>
      <div
        className={s.progress}
        role="progressbar"
        aria-label="Journals verified"
        aria-valuenow={of.checked}
        aria-valuemin={0}
        aria-valuemax={of.journals}
      >
        <span style={{ width: `${share}%` }} />
      </div>
      <p role="status">
        {of.state === "running" ? "Verifying: " : `${of.state[0]?.toUpperCase() ?? ""}${of.state.slice(1)}: `}
        {count(of.checked)} of {counted(of.journals, "journal")}, {counted(of.events, "event")}.{" "}
        {of.finishedAt !== null && (
          <>
            <Time at={of.finishedAt} digits={0} />
          </>
        )}
      </p>
      <div className={s.actions}>
        {of.verdict !== null && (
          <Badge
            tone={GREEN.has(of.verdict) ? "good" : "bad"}
            icon={GREEN.has(of.verdict) ? "check" : "cross"}
          >
            {of.verdict}
          </Badge>
        )}
        {of.error !== null && (
          <Badge tone="bad" icon="cross">
            {of.error}
          </Badge>
        )}
        {of.unsoundCount > 0 && <span>{counted(of.unsoundCount, "journal")} not intact</span>}
      </div>
      {of.faults.length > 0 && <Faults of={of.faults} />}
      {of.unsound.length > 0 && <FindingTable caption="What is not intact" findings={of.unsound} />}
    </>
  );
}

const FAULTS_SHOWN = 20;

/** What is wrong with the database's own guards, which keep events from being changed. */
function Faults({ of }: { of: readonly string[] }): ReactNode {
  const kinds = [...new Set(of)];
  return (
    <section className={s.faults} role="alert">
      <h3>
        <Icon name="warning" /> The database itself has {counted(of.length, "fault")}
      </h3>
      <ul>
        {kinds.slice(0, FAULTS_SHOWN).map((fault) => (
          <li key={fault}>
            <RecordedText text={fault} />
          </li>
        ))}
      </ul>
      {kinds.length > FAULTS_SHOWN && <p>and {count(kinds.length - FAULTS_SHOWN)} others</p>}
    </section>
  );
}
