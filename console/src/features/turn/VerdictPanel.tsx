import type { ReactNode } from "react";

import { Badge, Button, Icon, Time } from "../../components/ui";
import { counted } from "../../lib/format";
import { cx } from "../../lib/cx";
import type { CheckedJournal } from "../../verify/check";
import { isGreen } from "../../verify/verdict";
import { caveatWords, reasonWords } from "../../verify/words";
import type { Judgement } from "./judgement";
import s from "./turn.module.css";

/** The verdict made here beside the one that was claimed, and what neither of them covers. */
export function VerdictPanel({
  journal,
  judgement,
  at,
}: {
  journal: CheckedJournal;
  judgement: Judgement;
  at: number | null;
}): ReactNode {
  const { report, claim } = journal;
  const isBad = judgement.kind === "broken" || judgement.kind === "disagree";
  return (
    <section className={cx(s.verdict, isBad && s.verdictBad)} aria-label="Verification">
      {judgement.kind === "disagree" && (
        <p className={s.alarm} role="alert">
          <Icon name="cross" size={18} />
          <strong>Verdicts disagree: treat this journal as untrusted.</strong> This browser and{" "}
          {journal.form === "journal" ? "the server" : "the sender of the file"} found different things, so
          neither what is shown here nor what is claimed can be relied on.
        </p>
      )}
      {judgement.kind === "broken" && (
        <p className={s.alarm} role="alert">
          <Icon name="cross" size={18} />
          <strong>This journal was altered.</strong> {reasonWords(judgement.reason, judgement.at)}
        </p>
      )}
      <dl className={s.verdicts}>
        <div>
          <dt>This browser</dt>
          <dd>
            <BrowserBadge verdict={report.verdict} />{" "}
            {isGreen(report.verdict)
              ? `${counted(report.events, "event")}: every hash recomputed, order and links checked${bodyWords(journal)}`
              : reasonWords(report.reason, report.brokenAtSeq)}
            {at !== null && (
              <small>
                {" "}
                at <Time at={new Date(at).toISOString()} form="clock" digits={0} hasZone />, with the SHA-256
                that comes with this page
              </small>
            )}
          </dd>
        </div>
        <div>
          <dt>{journal.form === "journal" ? "The server" : "The file claims"}</dt>
          <dd>
            {claim === null ? (
              <Badge tone="idle" icon="empty">
                nothing
              </Badge>
            ) : (
              <>
                <Badge tone={claim.intact ? "good" : "bad"} icon={claim.intact ? "check" : "cross"}>
                  {claim.intact ? "intact" : unsoundWord(report)}
                </Badge>{" "}
                {claim.intact
                  ? journal.form === "journal"
                    ? "chain, bodies, details and the conversation’s own record of this turn agree"
                    : "a claim of the sender: compared, never believed"
                  : reasonWords(claim.verification, claim.brokenAtSeq)}
              </>
            )}
          </dd>
        </div>
        <div>
          <dt>Checkpoint</dt>
          <dd>
            <Badge tone="idle" icon="empty">
              not sealed
            </Badge>{" "}
            No signed checkpoint covers this turn.
          </dd>
        </div>
      </dl>
      {report.warnings.length > 0 && (
        <ul className={s.caveats}>
          {report.warnings.map((caveat) => (
            <li key={caveat}>
              <Icon name="warning" size={12} /> {caveatWords(caveat)}
            </li>
          ))}
        </ul>
      )}
      {report.clockStepsBack > 0 && (
        <p className={s.caveats}>
          <Icon name="clock" size={12} /> The clock stepped back {counted(report.clockStepsBack, "time")};
          order is by place, not by time.
        </p>
      )}
      <details className={s.limits}>
        <summary>What this does not detect</summary>
        <p>
          The chain shows that single events were not altered, removed, inserted or moved. It does not show
          that the whole turn is the one that was first recorded: somebody who can write to the database could
          rewrite all of it, with every hash from the first to the last, and its conversation’s record too,
          and it would verify here. Only a signed checkpoint that is kept elsewhere rules that out.
        </p>
        <p>
          It does not show that what was recorded is true, that nothing else ran without being recorded, or,
          for events that are “observed” or “imported”, that they were recorded before they ran. This browser
          checks the journal; bodies are compared with their commitments by the server, or here when a fixture
          brings its salts along.
        </p>
      </details>
    </section>
  );
}

/** What became of the bodies of a file. */
function bodyWords({ bodyCount }: CheckedJournal): string {
  if (bodyCount === null) return "";
  const { checked, notChecked } = bodyCount;
  const rest = notChecked === 0 ? "" : `, ${notChecked} not checked`;
  return `; ${checked} ${checked === 1 ? "body" : "bodies"} checked${rest}`;
}

/** One word for one finding: where both found a fault, the browser's; the claim has none of its own. */
function unsoundWord({ verdict }: CheckedJournal["report"]): string {
  return verdict === "malformed" ? verdict : "broken";
}

function BrowserBadge({ verdict }: { verdict: string }): ReactNode {
  if (verdict === "intact")
    return (
      <Badge tone="good" icon="check">
        intact
      </Badge>
    );
  if (verdict === "empty")
    return (
      <Badge tone="idle" icon="empty">
        empty
      </Badge>
    );
  return (
    <Badge tone="bad" icon="cross">
      {verdict}
    </Badge>
  );
}

/** The journal is on its way or being checked: what is shown until then is what the server says. */
export function Checking({ events }: { events: number | null }): ReactNode {
  return (
    <section className={s.verdict} aria-label="Verification" aria-busy="true">
      <p className={s.caveats} role="status">
        <Badge tone="idle" icon="clock">
          not checked yet
        </Badge>{" "}
        This browser is checking {events === null ? "the journal" : `all ${counted(events, "event")}`}. Until
        it has, what is shown here is what the server says.
      </p>
    </section>
  );
}

/** The check could not be made, which says nothing about the journal. */
export function NotChecked({ fault, onRetry }: { fault: string; onRetry: () => void }): ReactNode {
  return (
    <section className={s.verdict} aria-label="Verification">
      <p className={s.caveats}>
        <Badge tone="warn" icon="warning">
          not checked in this browser
        </Badge>{" "}
        The journal {fault}. This does not mean that it was altered; it was not looked at.{" "}
        <Button small onClick={onRetry}>
          Check again
        </Button>
      </p>
    </section>
  );
}
