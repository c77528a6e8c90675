import type { ReactNode } from "react";

import { codeOf, hiddenParts } from "../../lib/hiddenText";
import s from "./ui.module.css";

/** Recorded text as a text node; what would be invisible or turn the text around is shown by its code. */
export function RecordedText({ text }: { text: string }): ReactNode {
  const parts = hiddenParts(text);
  if (parts.length === 1) return <bdi>{text}</bdi>;
  return (
    <bdi>
      {parts.map((part, place) =>
        place % 2 === 0 ? (
          part
        ) : (
          <span key={place} className={s.code} title="A character that does not show by itself">
            {codeOf(part)}
          </span>
        ),
      )}
    </bdi>
  );
}
