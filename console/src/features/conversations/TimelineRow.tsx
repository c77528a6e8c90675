import { Link } from "@tanstack/react-router";
import { memo, type ReactNode } from "react";

import type { Unsound } from "../../api/findings";
import type { Entry } from "../../api/types";
import {
  AssuranceBadge,
  Badge,
  Button,
  CopyButton,
  Icon,
  type IconName,
  RecordedText,
  Time,
} from "../../components/ui";
import { cx } from "../../lib/cx";
import { duration } from "../../lib/format";
import { breakOf } from "./breaks";
import { EntryBodies } from "./EntryBodies";
import { Line, turnName } from "./Line";
import type { FlowRow, Row, UnrunRow } from "./rows";
import s from "./timeline.module.css";

export interface TimelineRowProps {
  row: Row;
  names: ReadonlyMap<string, string>;
  /** Journals that were found not to prove, by the id of their turn or conversation. */
  unsound: ReadonlyMap<string, Unsound>;
  isSelected: boolean;
  isOpen: boolean;
  /** Address of the page, to which an event's id is added. */
  page: string;
  onSelect: (row: FlowRow, isOpen: boolean) => void;
  onToggle: (row: FlowRow, isOpen: boolean) => void;
}

const ICONS: Readonly<Record<string, IconName>> = {
  MESSAGE: "message",
  VERDICT: "message",
  OPENED: "dot",
  TURN_OPENED: "play",
  PROMPT: "prompt",
  MODEL_CALL: "model",
  MODEL_RESULT: "model",
  TOOL_CALL: "tool",
  TOOL_RESULT: "tool",
  GUARD: "shield",
  VERIFY: "check",
  APPROVAL: "key",
  MEMORY_WRITE: "pen",
  BUDGET: "clock",
  SHED: "empty",
  ABORT: "cross",
  ERROR: "cross",
  COMMIT: "flag",
  TURN_CLOSED: "flag",
};

/** One row of the flow; those that stay in view are not drawn again while it scrolls. */
export const TimelineRow = memo(function TimelineRow(props: TimelineRowProps): ReactNode {
  const { row } = props;
  switch (row.kind) {
    case "idle":
      return (
        <div className={s.idle}>
          <span>{duration(row.ms)} idle</span>
        </div>
      );
    case "unrun":
      return <UnrunLine row={row} />;
    case "flow":
      return <FlowLine {...props} row={row} />;
  }
});

function UnrunLine({ row }: { row: UnrunRow }): ReactNode {
  return (
    <div className={cx(s.row, s.inside, s.problem)}>
      <span className={s.time} />
      <span className={s.mark}>
        <Icon name="tool" />
      </span>
      <div className={s.line}>
        <b>
          <RecordedText text={row.tool} />
        </b>
        <Badge tone="warn" icon="warning">
          asked for, nobody ran it
        </Badge>
        <span className={s.fact}>
          by the answer in #{row.head.position ?? row.head.seq}, call {row.ordinal + 1} of its calls
        </span>
      </div>
      <span />
    </div>
  );
}

function weakest(entries: readonly Entry[]): string | null {
  const order = [null, "imported", "observed", "spooled", "write_ahead"];
  return entries
    .map((entry) => entry.assurance)
    .reduce((low, one) => (order.indexOf(one) < order.indexOf(low) ? one : low));
}

/** Loud only where it is less than the best. */
function Assurance({ of }: { of: string | null }): ReactNode {
  if (of !== "write_ahead") return <AssuranceBadge assurance={of} />;
  return (
    <span className={s.sure} title="Durable in the ledger before it ran.">
      write-ahead
    </span>
  );
}

/** What a check found about the journal that a row's events stand in: where it begins, and where it breaks. */
function UnsoundMark({ row, unsound }: { row: FlowRow; unsound: TimelineRowProps["unsound"] }): ReactNode {
  const known = breakOf(row, unsound);
  if (known === null) return null;
  return (
    <Badge tone="bad" icon="cross" title={known.found.explanation}>
      {known.isHere ? "record breaks here" : `record ${known.found.verdict}`}
    </Badge>
  );
}

function FlowLine({
  row,
  names,
  unsound,
  isSelected,
  isOpen,
  page,
  onSelect,
  onToggle,
}: TimelineRowProps & { row: FlowRow }): ReactNode {
  const [first] = row.entries;
  const turnId = row.turn?.id ?? first.turnId;
  const inTurn = row.entries.find((entry) => entry.journal === "turn");
  const link = `${page}?at=${first.eventId}`;
  return (
    <div
      className={cx(
        s.row,
        row.bracket !== null && s[row.bracket],
        row.problem !== null && s.problem,
        first.type === "MESSAGE" && s.message,
        isSelected && s.selected,
      )}
      aria-current={isSelected || undefined}
      onClick={(event) => {
        const isOwn = event.target instanceof Element && event.target.closest("a,button,input") !== null;
        if (!isOwn && window.getSelection()?.isCollapsed !== false) onSelect(row, isOpen);
      }}
    >
      <span className={s.time}>
        <Time at={first.createdAt} form="clock" />
        {row.gapMs !== null && row.gapMs !== 0 && (
          <small className={row.gapMs < 0 ? s.back : undefined}>
            {row.gapMs < 0 ? `clock back ${duration(-row.gapMs)}` : `+${duration(row.gapMs)}`}
          </small>
        )}
      </span>
      <span className={s.mark}>
        <Icon name={ICONS[first.type] ?? "dot"} />
      </span>
      <div className={s.line}>
        <Line row={row} names={names} />
        <UnsoundMark row={row} unsound={unsound} />
      </div>
      <span className={s.tools}>
        <Assurance of={weakest(row.entries)} />
        {turnId !== null && (
          <Link
            className={s.inspect}
            to="/agents/turns"
            search={{ agentId: first.agentId, turnId, ...(inTurn !== undefined && { seq: inTurn.seq }) }}
            title="Inspect the turn at this event"
          >
            {turnName(row.turn, turnId)}
          </Link>
        )}
        <a
          className={s.place}
          href={link}
          title="Link to this event"
          onClick={(event) => {
            if (event.ctrlKey || event.metaKey || event.shiftKey) return;
            event.preventDefault();
            onSelect(row, isOpen);
          }}
        >
          #{first.position ?? first.seq}
        </a>
        <CopyButton text={window.location.origin + link} what="the link to this event" />
        <Button
          look="quiet"
          small
          aria-expanded={isOpen}
          aria-label={isOpen ? `Close event ${first.position ?? ""}` : `Open event ${first.position ?? ""}`}
          className={cx(s.opener, isOpen && s.opened)}
          onClick={() => {
            onToggle(row, isOpen);
          }}
        >
          <Icon name="chevron" />
        </Button>
      </span>
      {isOpen && (
        <div className={s.details}>
          {row.entries.map((entry) => (
            <EntryBodies key={entry.eventId} entry={entry} />
          ))}
        </div>
      )}
    </div>
  );
}
