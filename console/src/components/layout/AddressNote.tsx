import { useRouterState } from "@tanstack/react-router";
import { type ReactNode, useEffect, useState } from "react";

import { leftOutOf } from "../../lib/search";
import { Button, RecordedText } from "../ui";
import s from "./page.module.css";

/** The address that was typed or followed to come here; pages write better ones over it. */
const opened: { path: string; query: string; found: readonly string[] | null } = {
  path: window.location.pathname,
  query: window.location.search,
  found: null,
};

function forget(): void {
  opened.found = [];
}

/** What the address asked for and this page does not know, until another page is opened. */
export function AddressNote(): ReactNode {
  const match = useRouterState({ select: ({ matches }) => matches.at(-1) });
  const isHere = window.location.pathname === opened.path;
  const [found] = useState(() => {
    if (isHere) opened.found ??= leftOutOf(opened.query, match?.search ?? {});
    return opened.found ?? [];
  });
  const [isRead, setIsRead] = useState(false);
  useEffect(() => {
    if (!isHere) forget();
  }, [isHere]);
  if (found.length === 0 || !isHere || isRead) return null;
  return (
    <div className={s.address} role="status">
      {found.map((words) => (
        <span key={words}>
          <RecordedText text={words} />
        </span>
      ))}
      <Button
        small
        look="quiet"
        onClick={() => {
          forget();
          setIsRead(true);
        }}
      >
        Dismiss
      </Button>
    </div>
  );
}
