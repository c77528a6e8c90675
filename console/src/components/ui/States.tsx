import type { ReactNode } from "react";

import { ApiError } from "../../api/problem";
import { Button } from "./Button";
import { Icon, type IconName } from "./icons";
import s from "./ui.module.css";

/** Something there is nothing of: says why, and what would change that. */
export function Empty({
  title,
  icon = "empty",
  children,
  actions,
}: {
  title: string;
  icon?: IconName;
  children: ReactNode;
  actions?: ReactNode;
}): ReactNode {
  return (
    <section className={s.state}>
      <h2>
        <Icon name={icon} size={18} />
        {title}
      </h2>
      {children}
      {actions !== undefined && <div className={s.stateActions}>{actions}</div>}
    </section>
  );
}

export function Loading({ what }: { what: string }): ReactNode {
  return (
    <div className={s.loading} role="status">
      <span className={s.spinner} aria-hidden="true" />
      Loading {what} …
    </div>
  );
}

const SCOPES = "Scopes: view_audit_log reads what happened, view_bodies what was said, manage the settings.";

/** What the server answered instead of the data: what happened, to what, and what to do next. */
export function Failure({
  error,
  what,
  onRetry,
}: {
  error: unknown;
  what: string;
  onRetry?: () => void;
}): ReactNode {
  const known = error instanceof ApiError ? error : null;
  const problem = known?.problem;
  return (
    <section className={s.state} role="alert">
      <h2>
        <Icon name={known?.status === 403 ? "key" : known?.status === 404 ? "search" : "warning"} size={18} />
        {problem?.title ?? "This page failed"}
        {known !== null && known.status > 0 && <small>({known.status})</small>}
      </h2>
      <p>
        {problem?.detail ??
          `Showing ${what} failed: ${error instanceof Error ? error.message : "an unknown fault"}.`}
      </p>
      {problem?.nextStep !== undefined && problem.nextStep !== "" && <p>{problem.nextStep}</p>}
      {known?.status === 403 && <p>{SCOPES} Whoever runs this server can change what you may see.</p>}
      {onRetry !== undefined && known?.status !== 403 && (
        <div className={s.stateActions}>
          <Button onClick={onRetry}>Try again</Button>
        </div>
      )}
    </section>
  );
}
