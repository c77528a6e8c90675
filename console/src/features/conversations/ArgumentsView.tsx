import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";

import { askBytes } from "../../api/client";
import { bodyPath } from "../../api/paths";
import type { Entry } from "../../api/types";
import { Badge, Failure, Loading, RecordedText } from "../../components/ui";
import { Table } from "../../components/table";
import { bytes } from "../../lib/format";
import { type Change, difference } from "./difference";
import s from "./timeline.module.css";

const MOST_BYTES = 500_000;

/** What validation made of what the model wrote: the two are compared here, value by value. */
export function ArgumentsView({ call }: { call: Entry }): ReactNode {
  const slots = ["supplied", "payload"].map((slot) => call.bodies.find((body) => body.slot === slot));
  const [supplied, validated] = slots;
  const isThere = supplied?.state === "present" && validated?.state === "present";
  const isSmall = (supplied?.size ?? 0) + (validated?.size ?? 0) <= MOST_BYTES;
  const texts = useQuery({
    queryKey: ["arguments", call.eventId],
    queryFn: async ({ signal }) => {
      const parts = ["supplied", "payload"].map((slot) =>
        askBytes(bodyPath(call.agentId, call.eventId, slot), signal),
      );
      const [one, other] = (await Promise.all(parts)).map((part) => new TextDecoder().decode(part));
      return difference(one ?? "", other ?? "");
    },
    enabled: isThere && isSmall,
    staleTime: Infinity,
  });
  if (call.tokens["validated"] === "0") {
    return <p className={s.note}>The text did not become valid arguments; what the model wrote is below.</p>;
  }
  if (supplied === undefined)
    return <p className={s.note}>What the model wrote was not recorded beside it.</p>;
  if (!isThere) return null;
  if (!isSmall)
    return (
      <p className={s.note}>
        {bytes(supplied.size)} supplied, {bytes(validated.size)} validated: too large to be compared here.
      </p>
    );
  if (texts.isPending) return <Loading what="the difference" />;
  if (texts.isError)
    return <Failure error={texts.error} what="the difference" onRetry={() => void texts.refetch()} />;
  const found = texts.data;
  switch (found.kind) {
    case "same":
      return (
        <Badge tone="good" icon="check">
          supplied = validated, byte for byte
        </Badge>
      );
    case "spelling":
      return (
        <Badge tone="good" icon="check" title="Spaces, order of keys or escapes differ.">
          supplied = validated, written otherwise
        </Badge>
      );
    case "unreadable":
      return (
        <Badge tone="warn" icon="warning">
          the supplied text {found.why}
        </Badge>
      );
    case "changed":
      return <Changes changes={found.changes} isCut={found.isCut} />;
  }
}

function Changes({ changes, isCut }: { changes: readonly Change[]; isCut: boolean }): ReactNode {
  const cell = (text: string | null): ReactNode =>
    text === null ? <em>not there</em> : <code>{<RecordedText text={text} />}</code>;
  return (
    <>
      <Badge tone="warn" icon="warning">
        validation changed the arguments
      </Badge>
      <Table
        caption="What validation changed"
        rows={changes}
        keyOf={(change) => change.path}
        columns={[
          { head: "Where", cell: (change) => cell(change.path) },
          { head: "Supplied", cell: (change) => cell(change.supplied) },
          { head: "Validated", cell: (change) => cell(change.validated) },
        ]}
      />
      {isCut && <p className={s.note}>There are more differences than these.</p>}
    </>
  );
}
