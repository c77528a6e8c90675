import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";

import { bodyPath } from "../../api/paths";
import { seesBodies, sessionQuery } from "../../api/session";
import type { Entry } from "../../api/types";
import { bodyFileName, BodyView } from "../../components/body";

/** What a revision says; nothing is fetched that the caller may not read. */
export function Content({ of }: { of: Entry }): ReactNode {
  const mayRead = seesBodies(useQuery(sessionQuery).data);
  const body = of.bodies.find((one) => one.slot === "payload");
  if (body === undefined) return <p>This revision has no content: the entry was deleted.</p>;
  if (body.state === "pruned") return <p>Pruned: the hash stays, the content is gone.</p>;
  if (!mayRead)
    return <p>You may see that it is there, not what it says: that needs the scope view_bodies.</p>;
  return (
    <BodyView
      source={{ path: bodyPath(of.agentId, of.eventId, body.slot), size: body.size }}
      label="the content of this revision"
      fileName={bodyFileName(of, body)}
    />
  );
}
