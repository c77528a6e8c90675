import { type QueryClient, useQueryClient } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { type ReactNode, useMemo, useSyncExternalStore } from "react";

import type { LeftOut } from "../../api/types";
import { counted, short } from "../../lib/format";
import { Badge } from "../ui";
import s from "./page.module.css";

const SHOWN = 3;

/** What the answers on this page leave out because the database is damaged: nothing is ever missing unsaid. */
export function LeftOutNote({ more }: { more: readonly LeftOut[] }): ReactNode {
  const found = [...useAnswers(), ...more];
  if (found.length === 0) return null;
  const rows = new Map(
    found.flatMap((one) => one.rows.map((row) => [`${row.table}.${row.column} ${row.id ?? ""}`, row])),
  );
  const total = Math.max(rows.size, ...found.map((one) => one.count));
  return (
    <div className={s.leftOut} role="status">
      <Badge tone="bad" icon="warning">
        {counted(total, "row")} left out
      </Badge>{" "}
      The database is damaged, so this page does not show all there is.
      {rows.size > 0 && (
        <ul>
          {[...rows].slice(0, SHOWN).map(([name, row]) => (
            <li key={name}>
              column <code>{row.column}</code> of table <code>{row.table}</code>
              {row.id !== null && (
                <>
                  , for <code title={row.id}>{short(row.id, 18)}…</code>
                </>
              )}
            </li>
          ))}
          {total > SHOWN && <li>and {counted(total - SHOWN, "more row")}</li>}
        </ul>
      )}
      <p>
        {found[0]?.nextStep} <Link to="/integrity">Verify the ledger</Link>
      </p>
    </div>
  );
}

/** What the answers say that are shown now. */
function useAnswers(): readonly LeftOut[] {
  const client = useQueryClient();
  const answers = useMemo(() => new Answers(client), [client]);
  return useSyncExternalStore(answers.subscribe, answers.get);
}

/** The same array until something else is left out. */
class Answers {
  private last: readonly LeftOut[] = [];

  constructor(private readonly client: QueryClient) {}

  readonly subscribe = (listener: () => void): (() => void) =>
    this.client.getQueryCache().subscribe(listener);

  readonly get = (): readonly LeftOut[] => {
    const now = leftOut(this.client);
    if (now.length !== this.last.length || now.some((one, place) => one !== this.last[place])) {
      this.last = now;
    }
    return this.last;
  };
}

function leftOut(client: QueryClient): LeftOut[] {
  return client
    .getQueryCache()
    .findAll({ type: "active" })
    .flatMap(({ state: { data } }) => (isPaged(data) ? data.pages : [data]))
    .flatMap((page) => (hasDamaged(page) && page.damaged !== null ? [page.damaged] : []));
}

function isPaged(data: unknown): data is { pages: readonly unknown[] } {
  return typeof data === "object" && data !== null && "pages" in data && Array.isArray(data.pages);
}

function hasDamaged(page: unknown): page is { damaged: LeftOut | null } {
  return typeof page === "object" && page !== null && "damaged" in page;
}
