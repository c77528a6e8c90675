import type { ReactNode } from "react";

import { partsOf, stringValue } from "../../lib/jsonParts";
import { BodyView } from "../body";
import { RecordedText } from "../ui";
import s from "./steps.module.css";

const LONG = 20_000;

/** One message of a request, read where it is text, else as JSON.  `raw` is its text as it was sent. */
export function MessageText({ raw, label }: { raw: string; label: string }): ReactNode {
  const parts = partsOf(raw);
  const members = new Map((parts?.isList === false ? parts.members : []).map((one) => [one.key, one.raw]));
  const role = stringValue(members.get("role") ?? "") ?? stringValue(members.get("type") ?? "");
  const said = stringValue(members.get("content") ?? "");
  const rest = [...members.keys()].filter((key) => key !== "role" && key !== "content");
  const isPlain = said !== null && said.length <= LONG && rest.length === 0;
  return (
    <div className={s.message}>
      <div className={s.role}>{role === null ? "message" : <RecordedText text={role} />}</div>
      {isPlain ? (
        <div className={s.said}>
          <RecordedText text={said} />
        </div>
      ) : (
        <BodyView source={{ text: raw }} label={label} />
      )}
    </div>
  );
}
