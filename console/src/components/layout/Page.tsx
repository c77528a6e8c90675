import { type ReactNode, useEffect } from "react";

import { plainText } from "../../lib/hiddenText";
import { RecordedText } from "../ui";
import s from "./page.module.css";

export interface PageProps {
  /** Also the window's title. */
  title: string;
  /** Beside the heading: badges, buttons. */
  aside?: ReactNode;
  /** Whether the page fills the window and its list scrolls by itself; else the whole page scrolls. */
  fill?: boolean;
  children: ReactNode;
}

/** A page: one heading, and what belongs to it. */
export function Page({ title, aside, fill = false, children }: PageProps): ReactNode {
  useEffect(() => {
    document.title = `${plainText(title)} · Turnledger`;
  }, [title]);
  return (
    <div className={fill ? s.fill : s.page}>
      <div className={s.head}>
        <h1>
          <RecordedText text={title} />
        </h1>
        {aside}
      </div>
      {children}
    </div>
  );
}
