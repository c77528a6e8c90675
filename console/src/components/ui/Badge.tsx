import type { ReactNode } from "react";

import { cx } from "../../lib/cx";
import { Icon, type IconName } from "./icons";
import s from "./ui.module.css";

export type Tone = "good" | "warn" | "bad" | "active" | "idle";

/** A state as icon and word; the tone only adds to them. */
export function Badge({
  tone,
  icon,
  title,
  children,
}: {
  tone: Tone;
  icon?: IconName;
  title?: string;
  children: ReactNode;
}): ReactNode {
  return (
    <span className={cx(s.badge, tone !== "idle" && s[tone])} title={title}>
      {icon !== undefined && <Icon name={icon} size={12} />}
      <span>{children}</span>
    </span>
  );
}

const STATUS: Readonly<Record<string, readonly [Tone, IconName]>> = {
  running: ["active", "play"],
  waiting: ["warn", "pause"],
  completed: ["good", "check"],
  failed: ["bad", "cross"],
  superseded: ["idle", "empty"],
  exhausted: ["warn", "warning"],
  cancelled: ["idle", "empty"],
  refused: ["bad", "cross"],
  interrupted: ["warn", "warning"],
};

/** A turn's status. */
export function StatusBadge({ status }: { status: string }): ReactNode {
  const [tone, icon] = STATUS[status] ?? ["idle", "dot"];
  return (
    <Badge tone={tone} icon={icon}>
      {status}
    </Badge>
  );
}

const ASSURANCE: Readonly<Record<string, readonly [label: string, tone: Tone, title: string]>> = {
  write_ahead: ["write-ahead", "good", "Durable in the ledger before it ran."],
  spooled: ["spooled", "active", "Durable in the local spool before it ran, forwarded later."],
  observed: ["observed", "warn", "Recorded in process, after it had started."],
  imported: ["imported", "idle", "Came from a file or from telemetry; nothing was durable before it ran."],
};

/** How sure the record is: never shown higher than it is. */
export function AssuranceBadge({ assurance }: { assurance: string | null }): ReactNode {
  const known = assurance === null ? undefined : ASSURANCE[assurance];
  if (known === undefined)
    return (
      <Badge tone="idle" icon="empty" title="The event does not say.">
        assurance unknown
      </Badge>
    );
  const [label, tone, title] = known;
  return (
    <Badge tone={tone} icon={tone === "good" ? "check" : "dot"} title={title}>
      {label}
    </Badge>
  );
}
