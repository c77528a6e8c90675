import type { ReactNode } from "react";

import { useUnsound } from "../../api/findings";
import { count, counted } from "../../lib/format";
import { Badge } from "../ui";
import s from "./layout.module.css";

/** Beside the way to Integrity: how many journals were found not to prove, as long as this tab is open. */
export function NavMark(): ReactNode {
  const { size } = useUnsound();
  if (size === 0) return null;
  return (
    <span className={s.navMark}>
      <Badge tone="bad" icon="cross" title={`${counted(size, "journal")} did not prove when last looked at.`}>
        {count(size)} broken
      </Badge>
    </span>
  );
}
