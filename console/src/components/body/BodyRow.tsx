import type { ReactNode } from "react";

import { cx } from "../../lib/cx";
import { bytes, counted } from "../../lib/format";
import { Icon, RecordedText } from "../ui";
import s from "./body.module.css";
import { Kind, type Row } from "./lines";

const DEEPEST = 40;
/** How many characters of a folded string are shown. */
const FOLDED = 120;

/** One line of a body; undefined while it is on its way. */
export function BodyRow({
  row,
  isFolded,
  onToggle,
}: {
  row: Row | undefined;
  isFolded: boolean;
  onToggle: (row: Row) => void;
}): ReactNode {
  if (row === undefined) return <span className={s.text}> </span>;
  const opens = row.match > row.line;
  const media = isFolded ? mediaType(row) : null;
  return (
    <span className={s.text} style={{ paddingLeft: `${Math.min(row.depth, DEEPEST) * 1.1 + 1.65}rem` }}>
      {opens && (
        <button
          type="button"
          className={s.fold}
          aria-expanded={!isFolded}
          aria-label={isFolded ? "Open" : "Fold"}
          style={{ left: `${Math.min(row.depth, DEEPEST) * 1.1}rem` }}
          onClick={() => {
            onToggle(row);
          }}
        >
          <Icon name="chevron" size={12} />
        </button>
      )}
      {row.key !== "" && (
        <>
          <span className={s.key}>
            <RecordedText text={row.key} />
          </span>
          <span className={s.mark}>: </span>
        </>
      )}
      <span className={valueClass(row)}>
        <RecordedText text={isFolded ? row.text.slice(0, FOLDED) : row.text} />
      </span>
      {isFolded && (
        <span className={s.mark}>
          {" … "}
          <em>
            {row.kind === Kind.Head
              ? `${media ?? "a string"} of ${bytes(row.items)}`
              : counted(row.items, "item")}
          </em>
          {" … "}
          {row.tail}
        </span>
      )}
    </span>
  );
}

function mediaType(row: Row): string | null {
  return /^"data:([a-z0-9.+/-]{3,60});base64,/i.exec(row.text)?.[1] ?? null;
}

function valueClass(row: Row): string {
  if (row.kind === Kind.Open || row.kind === Kind.Close) return cx(s.mark);
  if (row.kind === Kind.Text || row.kind === Kind.Hex) return "";
  if (row.kind === Kind.Head || row.kind === Kind.Piece || row.text.startsWith('"')) return cx(s.string);
  return cx(/^[-0-9]/.test(row.text) ? s.number : s.word);
}
