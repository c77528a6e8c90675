import type { ReactNode } from "react";

import { cx } from "../../lib/cx";
import s from "./table.module.css";

export interface Column<T> {
  readonly head: string;
  readonly cell: (row: T) => ReactNode;
  /** Numbers stand at the right. */
  readonly isNumber?: boolean;
}

/** A plain table for lists that come in pages. */
export function Table<T>({
  caption,
  columns,
  rows,
  keyOf,
  isCaptionShown = false,
}: {
  caption: string;
  columns: readonly Column<T>[];
  rows: readonly T[];
  keyOf: (row: T) => string;
  isCaptionShown?: boolean;
}): ReactNode {
  return (
    <div className={s.scroll} tabIndex={0} role="group" aria-label={`${caption}, scrollable`}>
      <table className={s.table}>
        <caption className={isCaptionShown ? s.caption : "visually-hidden"}>{caption}</caption>
        <thead>
          <tr>
            {columns.map((column) => (
              <th key={column.head} scope="col" className={cx(column.isNumber && s.number)}>
                {column.head}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={keyOf(row)}>
              {columns.map((column) => (
                <td key={column.head} className={cx(column.isNumber && s.number)} data-head={column.head}>
                  {column.cell(row)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
