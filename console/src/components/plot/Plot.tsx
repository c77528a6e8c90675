import { type ReactNode, useState } from "react";

import { cx } from "../../lib/cx";
import { Table } from "../table";
import { Button, CopyButton, Time } from "../ui";
import s from "./plot.module.css";

export interface Series {
  readonly name: string;
  /** Which of the marks: colour and pattern go together. */
  readonly mark: "one" | "two" | "three" | "four" | "bad";
  /** One value for each bucket; null: nothing was measured. */
  readonly values: readonly (number | null)[];
}

export interface PlotProps {
  title: string;
  /** Where each bucket begins, as RFC 3339. */
  times: readonly string[];
  series: readonly Series[];
  /** `bars` stand on each other, `lines` do not. */
  kind: "bars" | "lines";
  format: (value: number) => string;
}

const WIDTH = 600;
const HEIGHT = 130;

/** Figures over time: a picture, and the same as a table. */
export function Plot({ title, times, series, kind, format }: PlotProps): ReactNode {
  const [isTable, setIsTable] = useState(false);
  const top = Math.max(1, ...times.map((_, place) => heightOf(series, kind, place)));
  const first = times[0];
  const last = times.at(-1);
  return (
    <figure className={s.plot}>
      <figcaption className={s.head}>
        <h2>{title}</h2>
        <span className={s.legend}>
          {series.map((one) => (
            <span key={one.name} className={s.key}>
              <svg width="12" height="12" aria-hidden="true">
                <rect width="12" height="12" rx="2" className={s[one.mark]} />
              </svg>
              {one.name}
            </span>
          ))}
        </span>
        <Button
          small
          look="quiet"
          aria-pressed={isTable}
          onClick={() => {
            setIsTable(!isTable);
          }}
        >
          Table
        </Button>
        <CopyButton text={csv(times, series)} what={`${title} as CSV`}>
          CSV
        </CopyButton>
      </figcaption>
      {isTable ? (
        <div className={s.table}>
          <Table
            caption={title}
            rows={times.map((time, place) => ({ time, place }))}
            keyOf={(row) => row.time}
            columns={[
              { head: "From", cell: (row) => <Time at={row.time} digits={0} /> },
              ...series.map((one) => ({
                head: one.name,
                isNumber: true,
                cell: (row: { place: number }) => shown(one.values[row.place] ?? null, format),
              })),
            ]}
          />
        </div>
      ) : (
        <>
          <svg
            className={s.picture}
            viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
            preserveAspectRatio="none"
            role="img"
            aria-label={`${title}; at most ${format(top)}. The table says the same.`}
          >
            {kind === "bars" ? (
              <Bars times={times} series={series} top={top} format={format} />
            ) : (
              <Lines times={times} series={series} top={top} />
            )}
          </svg>
          <div className={s.axis}>
            {first !== undefined && <Time at={first} digits={0} />}
            <span>at most {format(top)}</span>
            {last !== undefined && <Time at={last} digits={0} />}
          </div>
        </>
      )}
    </figure>
  );
}

function shown(value: number | null, format: (value: number) => string): string {
  return value === null ? "not measured" : format(value);
}

function heightOf(series: readonly Series[], kind: PlotProps["kind"], place: number): number {
  const values = series.map((one) => one.values[place] ?? 0);
  return kind === "bars" ? values.reduce((sum, value) => sum + value, 0) : Math.max(0, ...values);
}

function Bars({
  times,
  series,
  top,
  format,
}: Pick<PlotProps, "times" | "series" | "format"> & { top: number }): ReactNode {
  const wide = WIDTH / Math.max(1, times.length);
  return times.map((time, place) => {
    let below = HEIGHT;
    return (
      <g key={time}>
        <title>{`${time}: ${series.map((one) => `${one.name} ${shown(one.values[place] ?? null, format)}`).join(", ")}`}</title>
        <rect x={place * wide} y={0} width={wide} height={HEIGHT} className={s.hit} />
        {series.map((one) => {
          const high = ((one.values[place] ?? 0) / top) * (HEIGHT - 4);
          below -= high;
          return (
            high > 0 && (
              <rect
                key={one.name}
                x={place * wide + wide * 0.1}
                y={below}
                width={wide * 0.8}
                height={Math.max(high, 1)}
                className={s[one.mark]}
              />
            )
          );
        })}
      </g>
    );
  });
}

function Lines({ times, series, top }: Pick<PlotProps, "times" | "series"> & { top: number }): ReactNode {
  const wide = WIDTH / Math.max(1, times.length);
  return series.map((one) => {
    const dots = one.values.flatMap((value, place) =>
      value === null ? [] : [[place * wide + wide / 2, HEIGHT - 2 - (value / top) * (HEIGHT - 6)] as const],
    );
    return (
      <g key={one.name}>
        <polyline
          className={cx(s.line, s[`${one.mark}Line`])}
          points={dots.map(([x, y]) => `${x},${y}`).join(" ")}
        />
        {dots.map(([x, y]) => (
          <rect key={x} x={x - 2} y={y - 2} width={4} height={4} className={s[one.mark]} />
        ))}
      </g>
    );
  });
}

/** The same as comma-separated values; what was not measured is empty. */
export function csv(times: readonly string[], series: readonly Series[]): string {
  const head = ["from", ...series.map((one) => one.name)];
  const rows = times.map((time, place) => [time, ...series.map((one) => String(one.values[place] ?? ""))]);
  return [head, ...rows]
    .map((row) => row.map((cell) => `"${cell.replaceAll('"', '""')}"`).join(","))
    .join("\r\n");
}
