import type { ReactNode } from "react";

import { count } from "../../lib/format";
import { Button } from "../ui";
import s from "./table.module.css";

/** How many of a list are shown, and the way to more of them. */
export function More({
  shown,
  total,
  hasMore,
  isLoading,
  onMore,
}: {
  shown: number;
  /** How many there are in all, where somebody knows. */
  total?: number | undefined;
  hasMore: boolean;
  isLoading: boolean;
  onMore: () => void;
}): ReactNode {
  const all = total !== undefined && total >= shown ? ` of ${count(total)}` : " of more";
  return (
    <p className={s.more}>
      <span role="status">
        {count(shown)}
        {hasMore ? all : " in all"}
      </span>
      {hasMore && (
        <Button onClick={onMore} disabled={isLoading}>
          {isLoading ? "Loading …" : "Show more"}
        </Button>
      )}
    </p>
  );
}
