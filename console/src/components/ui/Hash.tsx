import type { ReactNode } from "react";

import { short } from "../../lib/format";
import { CopyButton } from "./Button";
import s from "./ui.module.css";

/** A digest or id: its beginning, the whole on hover and on copy. */
export function Hash({ label, value }: { label: string; value: string }): ReactNode {
  return (
    <span className={s.hash} title={value}>
      {label} {short(value, 12)}…
      <CopyButton text={value} what={`${label} ${short(value)}…`} />
    </span>
  );
}
