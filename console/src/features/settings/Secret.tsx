import type { ReactNode } from "react";

import { CopyButton } from "../../components/ui";
import s from "./settings.module.css";

/** Something that is shown this once. */
export function Secret({
  text,
  what,
  children,
}: {
  text: string;
  what: string;
  children: ReactNode;
}): ReactNode {
  return (
    <div className={s.secret} role="status">
      <p>{children}</p>
      <p>
        <code>{text}</code> <CopyButton text={text} what={what} />
      </p>
    </div>
  );
}
