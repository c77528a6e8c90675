import { type ReactNode, useEffect } from "react";

import type { LeftOut } from "../../api/types";
import { plainText } from "../../lib/hiddenText";
import { RecordedText } from "../ui";
import { AddressNote } from "./AddressNote";
import { LeftOutNote } from "./LeftOut";
import s from "./page.module.css";

export interface PageProps {
  /** Also the window's title. */
  title: string;
  /** Beside the heading: badges, buttons. */
  aside?: ReactNode;
  /** Whether the page fills the window and its list scrolls by itself; else the whole page scrolls. */
  fill?: boolean;
  /** What is left out of answers that this page keeps by itself. */
  leftOut?: readonly LeftOut[];
  children: ReactNode;
}

const NOTHING: readonly LeftOut[] = [];

/** A page: one heading, and what belongs to it. */
export function Page({ title, aside, fill = false, leftOut = NOTHING, children }: PageProps): ReactNode {
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
      <AddressNote />
      <LeftOutNote more={leftOut} />
      {children}
    </div>
  );
}
