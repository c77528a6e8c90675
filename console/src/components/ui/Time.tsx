import { type ReactNode, useEffect, useState } from "react";

import { ago, clock, day, zoneMark, zoneName } from "../../lib/format";
import { useSettings } from "../../lib/settings";

/** A moment in the chosen zone; UTC, as it is hashed, and the zone are on hover.  `form`: `clock`, `day` or both. */
export function Time({
  at,
  form = "both",
  digits = 3,
  hasZone = false,
}: {
  at: string;
  form?: "clock" | "day" | "both";
  digits?: 0 | 3;
  /** Whether the zone stands beside it. */
  hasZone?: boolean;
}): ReactNode {
  const { zone } = useSettings();
  const shownDay = form === "clock" ? "" : day(at, zone);
  const shownClock = form === "day" ? "" : clock(at, zone, digits);
  const mark = hasZone ? zoneMark(at, zone) : "";
  return (
    <time dateTime={at} title={`${at} · shown in ${zoneName(zone)}`}>
      {`${shownDay} ${shownClock} ${mark}`.trim()}
    </time>
  );
}

/** How long ago a moment was; renewed every second in the first minute, then every quarter of one. */
export function Ago({ at }: { at: string | number }): ReactNode {
  const moment = typeof at === "number" ? at : Date.parse(at);
  const [now, setNow] = useState(() => Date.now());
  const isFresh = now - moment < 60_000;
  useEffect(() => {
    const timer = setInterval(
      () => {
        setNow(Date.now());
      },
      isFresh ? 1000 : 15_000,
    );
    return () => {
      clearInterval(timer);
    };
  }, [isFresh]);
  return <span title={new Date(moment).toISOString()}>{ago(Math.max(0, now - moment))}</span>;
}
