import { type ReactNode, useMemo } from "react";

import type { Step } from "../../api/types";
import { VirtualList } from "../../components/list";
import { Badge, Empty, RecordedText } from "../../components/ui";
import { cx } from "../../lib/cx";
import { duration } from "../../lib/format";
import type { CardTable } from "./events";
import { place, stretches } from "./scale";
import s from "./turn.module.css";

interface Bar {
  readonly step: Step;
  readonly from: number;
  /** When it had taken the time that was measured, and when its outcome was on record. */
  readonly done: number;
  readonly to: number;
}

const keyOf = (bar: Bar): string => String(bar.step.intentSeq);

/** Steps on a common line of time; idle stretches are squeezed, and marked. */
export function Waterfall({
  cards,
  wallMs,
  onSelect,
}: {
  cards: CardTable;
  /** What the turn took by its writer's own clock. */
  wallMs: number | null;
  onSelect: (seq: number) => void;
}): ReactNode {
  const bars = useMemo(() => barsOf(cards, cards.allSteps()), [cards]);
  const scale = useMemo(() => {
    const spans = bars.map((bar): [number, number] => [bar.from, bar.to]);
    for (let at = 0; at < cards.length; at += 1) {
      const moment = cards.moment(at);
      if (!Number.isNaN(moment)) spans.push([moment, moment]);
    }
    return stretches(spans);
  }, [cards, bars]);
  if (bars.length === 0) {
    return (
      <Empty title="No step to draw">
        <p>This turn has no model call and no tool call.</p>
      </Empty>
    );
  }
  const idle = scale.filter((stretch) => stretch.idle);
  return (
    <>
      <p className={s.legend}>
        {legendTime(wallMs, (scale.at(-1)?.to ?? 0) - (scale[0]?.from ?? 0))}; dark is the time that was
        measured, pale lasts until the outcome was on record
        {idle.length > 0 &&
          `; idle stretches are squeezed: ${idle
            .slice(0, 5)
            .map((one) => duration(one.to - one.from))
            .join(", ")}`}
      </p>
      <VirtualList
        items={bars}
        keyOf={keyOf}
        estimate={34}
        scroll="page"
        label="Steps of the turn in time"
        row={({ step, from, done, to }) => {
          const left = place(scale, from) * 100;
          const end = place(scale, to) * 100;
          const isBad = step.status !== "ok";
          const kind = step.kind === "model" ? s.spanModel : s.spanTool;
          return (
            <button
              type="button"
              className={s.bar}
              onClick={() => {
                onSelect(step.intentSeq);
              }}
            >
              <span className={s.barName}>
                #{step.intentSeq} <RecordedText text={step.name ?? step.kind} />
              </span>
              <span className={s.track}>
                {idle.map((one) => (
                  <span
                    key={one.from}
                    className={s.squeezed}
                    style={{ left: `${one.left * 100}%`, width: `${(one.right - one.left) * 100}%` }}
                  />
                ))}
                <span
                  className={cx(s.span, s.recorded, kind, isBad && s.spanBad)}
                  style={extent(left, end)}
                />
                <span
                  className={cx(s.span, kind, isBad && s.spanBad)}
                  style={extent(left, place(scale, done) * 100)}
                />
              </span>
              <span className={s.barTime}>
                {step.doubt !== null ? (
                  <Badge tone="warn" icon="warning">
                    {step.doubt}
                  </Badge>
                ) : step.status !== "ok" ? (
                  <Badge tone="bad" icon="cross">
                    {step.status ?? "unknown"}
                  </Badge>
                ) : null}{" "}
                {step.ms === null ? "not recorded" : duration(step.ms)}
              </span>
            </button>
          );
        }}
      />
    </>
  );
}

/** The writer's clock and the times of the events may differ by a rounding: both are named then. */
function legendTime(wallMs: number | null, recordedMs: number): string {
  const recorded = duration(recordedMs);
  if (wallMs === null || duration(wallMs) === recorded) return `${recorded} from the first event to the last`;
  return `Wall time ${duration(wallMs)} by the agent’s own clock; ${recorded} between the times of the first event and the last`;
}

/** Where a span is drawn, in percent; it is never too narrow to be seen. */
function extent(from: number, to: number): { left: string; width: string } {
  const left = Math.min(from, 99.6);
  return { left: `${left}%`, width: `${Math.min(Math.max(0.4, to - from), 100 - left)}%` };
}

function barsOf(cards: CardTable, steps: readonly Step[]): Bar[] {
  const timeOf = (seq: number): number => cards.moment(cards.placeOf(seq));
  const last = Math.max(0, cards.moment(cards.length - 1) || 0);
  return steps.flatMap((step) => {
    const from = timeOf(step.intentSeq);
    if (Number.isNaN(from)) return [];
    const end = step.outcomeSeq === null ? last : timeOf(step.outcomeSeq) || from;
    const to = Math.max(from, end);
    return [{ step, from, done: step.ms === null ? to : Math.min(from + step.ms, to), to }];
  });
}
