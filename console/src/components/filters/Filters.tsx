import { type ReactNode, useState } from "react";

import { cx } from "../../lib/cx";
import { Button, Icon } from "../ui";
import s from "./filters.module.css";

/** A row of filters above a list; on a phone they are behind a button. */
export function Filters({ label, children }: { label: string; children: ReactNode }): ReactNode {
  const [isOpen, setIsOpen] = useState(false);
  return (
    <div role="search" aria-label={label}>
      <span className={s.toggle}>
        <Button
          small
          aria-expanded={isOpen}
          onClick={() => {
            setIsOpen(!isOpen);
          }}
        >
          <Icon name="search" size={12} /> {label}
        </Button>
      </span>
      <div className={cx(s.filters, isOpen && s.open)}>{children}</div>
    </div>
  );
}
