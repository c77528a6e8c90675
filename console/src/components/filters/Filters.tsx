import type { ReactNode } from "react";

import s from "./filters.module.css";

/** A row of filters above a list. */
export function Filters({ label, children }: { label: string; children: ReactNode }): ReactNode {
  return (
    <div className={s.filters} role="search" aria-label={label}>
      {children}
    </div>
  );
}
