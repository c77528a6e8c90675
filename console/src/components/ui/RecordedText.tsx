import type { ReactNode } from "react";

import s from "./ui.module.css";

// Controls, bidi overrides and isolates, invisible characters, lone surrogates: what makes text look like another one.
const HIDDEN =
  // eslint-disable-next-line no-control-regex -- controls are what is looked for
  /([\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]|\p{Surrogate})/u;

/** Recorded text as a text node; what would be invisible or turn the text around is shown by its code. */
export function RecordedText({ text }: { text: string }): ReactNode {
  const parts = text.split(HIDDEN);
  if (parts.length === 1) return <bdi>{text}</bdi>;
  return (
    <bdi>
      {parts.map((part, place) =>
        place % 2 === 0 ? (
          part
        ) : (
          <span key={place} className={s.code} title="A character that does not show by itself">
            U+{(part.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}
          </span>
        ),
      )}
    </bdi>
  );
}
