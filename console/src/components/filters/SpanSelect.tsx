import type { ReactNode } from "react";

import { day } from "../../lib/format";
import { useSettings } from "../../lib/settings";
import { LASTS, type SpanSearch } from "../../lib/span";
import { Field, Select } from "../ui";

const WORDS = {
  "1h": "last hour",
  "24h": "last 24 hours",
  "7d": "last 7 days",
  "30d": "last 30 days",
} as const;

/** A stretch of time: up to now, or one calendar day.  `whole` names the choice of no bounds. */
export function SpanSelect({
  span,
  whole,
  onChange,
}: {
  span: SpanSearch;
  whole: string;
  onChange: (span: SpanSearch) => void;
}): ReactNode {
  const { zone } = useSettings();
  return (
    <>
      <Select
        label="Time"
        value={span.day === undefined ? (span.last ?? "") : "day"}
        choices={[["", whole], ...LASTS.map((last) => [last, WORDS[last]] as const), ["day", "one day …"]]}
        onChoose={(chosen) => {
          const last = LASTS.find((one) => one === chosen);
          if (chosen === "day") onChange({ day: day(new Date().toISOString(), zone) });
          else onChange(last === undefined ? {} : { last });
        }}
      />
      {span.day !== undefined && (
        <Field
          label="Day"
          type="date"
          value={span.day}
          onChange={(event) => {
            onChange(event.target.value === "" ? {} : { day: event.target.value });
          }}
        />
      )}
    </>
  );
}
