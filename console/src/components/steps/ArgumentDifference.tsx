import { useQueries } from "@tanstack/react-query";
import type { ReactNode } from "react";

import { bodyTextQuery, TEXT_LIMIT } from "../../api/bodies";
import { bodyPath } from "../../api/paths";
import type { Entry } from "../../api/types";
import { counted } from "../../lib/format";
import { jsonDifferences } from "../../lib/jsonDifference";
import { BodyView } from "../body";
import { Badge, Failure, Loading, RecordedText } from "../ui";
import s from "./steps.module.css";

/** Arguments of a tool call: as the model wrote them beside those that were validated, and where they differ. */
export function ArgumentDifference({ entry }: { entry: Entry }): ReactNode {
  const slots = entry.bodies.filter((body) => body.slot === "supplied" || body.slot === "payload");
  const isSmall = slots.every((body) => body.size <= TEXT_LIMIT && body.state === "present");
  const texts = useQueries({
    queries: slots.map((body) => ({
      ...bodyTextQuery(entry.agentId, entry.eventId, body.slot),
      enabled: isSmall && slots.length === 2,
    })),
  });
  const [first, second] = texts;
  const failed = texts.find((text) => text.error !== null);
  if (failed?.error)
    return <Failure error={failed.error} what="the arguments" onRetry={() => void failed.refetch()} />;
  if (slots.length < 2) return <p className={s.line}>Only one form of the arguments was recorded.</p>;
  if (!isSmall) return <p className={s.line}>The arguments are too large to compare here, or were pruned.</p>;
  if (first?.data === undefined || second?.data === undefined) return <Loading what="the arguments" />;
  const isPayloadFirst = slots[0]?.slot === "payload";
  const [supplied, validated] = isPayloadFirst ? [second.data, first.data] : [first.data, second.data];
  return (
    <div className={s.stack}>
      <Difference supplied={supplied} validated={validated} />
      <div className={s.pair}>
        <div>
          <p className={s.role}>Supplied: as the model wrote it</p>
          <BodyView
            source={{ path: bodyPath(entry.agentId, entry.eventId, "supplied"), size: supplied.length }}
            label="the supplied arguments"
          />
        </div>
        <div>
          <p className={s.role}>Validated: what the tool got</p>
          <BodyView
            source={{ path: bodyPath(entry.agentId, entry.eventId, "payload"), size: validated.length }}
            label="the validated arguments"
          />
        </div>
      </div>
    </div>
  );
}

function Difference({ supplied, validated }: { supplied: string; validated: string }): ReactNode {
  const found = jsonDifferences(supplied, validated);
  if (found === null) {
    const isSame = supplied === validated;
    return (
      <p className={s.line}>
        <Badge tone={isSame ? "idle" : "warn"} icon={isSame ? "check" : "warning"}>
          {isSame ? "the same text" : "different"}
        </Badge>
        One of them is no JSON, so they are compared as text only.
      </p>
    );
  }
  if (found.length === 0) {
    return (
      <p className={s.line}>
        <Badge tone="good" icon="check">
          same
        </Badge>
        Both say the same, whatever their spelling.
      </p>
    );
  }
  return (
    <>
      <p className={s.line}>
        <Badge tone="warn" icon="warning">
          {counted(found.length, "difference")}
        </Badge>
      </p>
      <table className={s.table}>
        <thead>
          <tr>
            <th scope="col">where</th>
            <th scope="col">supplied</th>
            <th scope="col">validated</th>
          </tr>
        </thead>
        <tbody>
          {found.map((one) => (
            <tr key={one.path}>
              <td>
                <RecordedText text={one.path} />
              </td>
              <td>{one.left === null ? <em>nothing</em> : <RecordedText text={one.left.slice(0, 500)} />}</td>
              <td>
                {one.right === null ? <em>nothing</em> : <RecordedText text={one.right.slice(0, 500)} />}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </>
  );
}
