import type { ReactNode } from "react";

import s from "./ui.module.css";

/** `key value` pairs, such as a summary's tokens. */
export function Chips({ pairs }: { pairs: readonly (readonly [string, ReactNode])[] }): ReactNode {
  return (
    <dl className={s.chips}>
      {pairs.map(([key, value]) => (
        <div className={s.chip} key={key}>
          <dt>{key}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}
