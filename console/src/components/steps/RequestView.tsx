import { useQuery } from "@tanstack/react-query";
import { type ReactNode, useMemo, useState } from "react";

import { bodyTextQuery, TEXT_LIMIT } from "../../api/bodies";
import { bodyPath } from "../../api/paths";
import type { Entry } from "../../api/types";
import { count, counted } from "../../lib/format";
import { requestNews } from "../../lib/requestNews";
import { bodyFileName, BodyView } from "../body";
import { Badge, Button, Failure, Loading, RecordedText } from "../ui";
import { MessageText } from "./MessageText";
import s from "./steps.module.css";

const SHOWN = 30;

/** A request as what is new since the call before it (null: it is the first); the whole on demand. */
export function RequestView({ entry, before }: { entry: Entry; before: Entry | null }): ReactNode {
  const [whole, setWhole] = useState(false);
  const size = sizeOf(entry);
  const isSmall = size !== null && size <= TEXT_LIMIT;
  const old = before !== null && (sizeOf(before) ?? TEXT_LIMIT) < TEXT_LIMIT ? before : null;
  const now = useQuery({
    ...bodyTextQuery(entry.agentId, entry.eventId, "payload"),
    enabled: isSmall && !whole,
  });
  const then = useQuery({
    ...bodyTextQuery(entry.agentId, (old ?? entry).eventId, "payload"),
    enabled: isSmall && !whole && old !== null,
  });
  const ready = now.data !== undefined && (old === null || then.data !== undefined);
  const news = useMemo(
    () => (ready ? requestNews(now.data, old === null ? null : (then.data ?? null)) : null),
    [ready, now.data, then.data, old],
  );
  if (size === null) return <p className={s.line}>This request was pruned; its size and commitment stay.</p>;
  const toggle = (
    <Button
      small
      aria-pressed={whole}
      onClick={() => {
        setWhole(!whole);
      }}
    >
      The whole request
    </Button>
  );
  if (whole || !isSmall || (ready && news === null)) {
    return (
      <div className={s.stack}>
        {isSmall && news !== null && <div className={s.line}>{toggle}</div>}
        <BodyView
          source={{ path: bodyPath(entry.agentId, entry.eventId, "payload"), size }}
          label={`the request of event ${entry.seq}`}
          fileName={bodyFileName(entry, { slot: "payload", mediaType: "application/json" })}
        />
      </div>
    );
  }
  const error = now.error ?? then.error;
  if (error !== null)
    return (
      <Failure
        error={error}
        what="the request"
        onRetry={() => {
          void now.refetch();
          void then.refetch();
        }}
      />
    );
  if (news === null) return <Loading what="the request" />;
  const added = news.added.slice(-SHOWN);
  return (
    <div className={s.stack}>
      <div className={s.line}>
        {toggle}
        <span>
          {old === null ? "The first call: all of it is new." : `Since the call of event ${old.seq}:`}{" "}
          {news.list !== null &&
            `${counted(news.added.length, "new message")}, ${count(news.kept)} as before`}
          {news.dropped > 0 && `, ${count(news.dropped)} gone or changed`}
        </span>
        {news.dropped > 0 && (
          <Badge tone="warn" icon="warning">
            history changed
          </Badge>
        )}
      </div>
      {news.added.length > SHOWN && (
        <p className={s.line}>The last {SHOWN} of them; the others are in the whole request.</p>
      )}
      {added.map((raw, place) => (
        <MessageText
          key={news.kept + place}
          raw={raw}
          label={`message ${news.kept + news.added.length - added.length + place} of event ${entry.seq}`}
        />
      ))}
      {news.changed.length > 0 && (
        <table className={s.table}>
          <tbody>
            {news.changed.map((member) => (
              <tr key={member.key}>
                <th scope="row">
                  <RecordedText text={member.key} />
                </th>
                <td>
                  {member.raw.length <= 300 ? (
                    <RecordedText text={member.raw} />
                  ) : (
                    <BodyView source={{ text: member.raw }} label={member.key} />
                  )}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      {news.removed.length > 0 && (
        <p className={s.line}>
          Not there any more: <RecordedText text={news.removed.join(", ")} />
        </p>
      )}
    </div>
  );
}

function sizeOf(entry: Entry): number | null {
  const body = entry.bodies.find((one) => one.slot === "payload");
  return body?.state === "present" ? body.size : null;
}
