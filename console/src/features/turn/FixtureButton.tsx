import { useQuery } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";

import { askBytes } from "../../api/client";
import { fixturePath } from "../../api/paths";
import { ApiError } from "../../api/problem";
import { seesBodies, sessionQuery } from "../../api/session";
import { Button, Icon } from "../../components/ui";
import { say } from "../../lib/toasts";
import { verifyFile } from "../../verify/client";
import { isGreen } from "../../verify/verdict";
import { withVerdict } from "./fixtureText";

/** Download the turn as a fixture for a test, with the verdict of this browser in it. */
export function FixtureButton({ agentId, turnId }: { agentId: string; turnId: string }): ReactNode {
  const session = useQuery(sessionQuery);
  const [busy, setBusy] = useState(false);
  const download = async (query: string): Promise<void> => {
    setBusy(true);
    // What holds content is told by its name from what holds none.
    const fileName = `turn-${turnId}${query === "" ? "" : ".with-bodies"}.fixture.json`;
    try {
      const data = await askBytes(fixturePath(agentId, turnId) + query);
      const verified = await verdictOn(data.slice(0));
      saveFile(withVerdict(new TextDecoder().decode(data), verified), fileName);
      say(`Saved as ${fileName}: replay it in a test, or verify it with turnledger verify FILE.`);
    } catch (error) {
      say(error instanceof ApiError ? error.problem.detail : "The fixture could not be made.", "bad");
    }
    setBusy(false);
  };
  return (
    <>
      <Button
        small
        disabled={busy}
        onClick={() => void download("")}
        title="For replay in a test: hashes and summaries, no content"
      >
        <Icon name="down" size={12} /> Fixture
      </Button>
      {seesBodies(session.data) && (
        <Button
          small
          disabled={busy}
          onClick={() => void download("?salts=true&bodies=true")}
          title="With bodies, their secrets masked, and the salts that prove them"
        >
          <Icon name="down" size={12} /> Fixture with bodies
        </Button>
      )}
    </>
  );
}

/** null where this browser could not check. */
async function verdictOn(data: ArrayBuffer): Promise<boolean | null> {
  try {
    const [found] = await verifyFile(data);
    return found === undefined ? null : isGreen(found.report.verdict);
  } catch {
    return null;
  }
}

function saveFile(text: string, name: string): void {
  const address = URL.createObjectURL(new Blob([text], { type: "application/json" }));
  const link = document.createElement("a");
  link.href = address;
  link.download = name;
  link.click();
  URL.revokeObjectURL(address);
}
