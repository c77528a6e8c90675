import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";

import { api, ask } from "../../api/client";
import { sessionQuery } from "../../api/session";
import type { Session } from "../../api/types";
import { Page } from "../../components/layout/Page";
import { Chips, Failure, Loading, RecordedText, Select, Time } from "../../components/ui";
import { changeSettings, useSettings } from "../../lib/settings";
import { useShownRequest } from "../../lib/shownRequest";
import { Operators } from "./Operators";
import s from "./settings.module.css";
import { Tokens } from "./Tokens";

/** Who may do what, how long bodies are kept, and how this browser shows things. */
export function SettingsPage(): ReactNode {
  useShownRequest("/api/session");
  const session = useQuery(sessionQuery).data;
  if (session === undefined) return <Loading what="settings" />;
  return (
    <Page title="Settings">
      <Own session={session} />
      <Browser />
      <Retention />
      {session.scopes.includes("manage") ? (
        <>
          <Operators />
          <Tokens />
        </>
      ) : (
        <section className={s.card}>
          <h2>Operators and tokens</h2>
          <p>They are shown to those who have the scope manage.</p>
        </section>
      )}
    </Page>
  );
}

function Own({ session }: { session: Session }): ReactNode {
  return (
    <section className={s.card}>
      <h2>You</h2>
      <Chips
        pairs={[
          ["name", <RecordedText key="name" text={session.name} />],
          ["scopes", session.scopes.join(", ")],
          ["agents", session.agents === null ? "all" : String(session.agents.length)],
          [
            "until",
            session.expiresAt === null ? "revoked" : <Time key="until" at={session.expiresAt} digits={0} />,
          ],
        ]}
      />
    </section>
  );
}

function Browser(): ReactNode {
  const { theme, zone, letterKeys } = useSettings();
  return (
    <section className={s.card}>
      <h2>This browser</h2>
      <div className={s.fields}>
        <Select
          label="Colours"
          value={theme}
          choices={[
            ["system", "as the system"],
            ["light", "light"],
            ["dark", "dark"],
          ]}
          onChoose={(chosen) => {
            changeSettings({ theme: chosen === "light" || chosen === "dark" ? chosen : "system" });
          }}
        />
        <Select
          label="Times"
          value={zone}
          choices={[
            ["local", "local time"],
            ["utc", "UTC"],
          ]}
          onChoose={(chosen) => {
            changeSettings({ zone: chosen === "utc" ? "utc" : "local" });
          }}
        />
        <label className={s.check}>
          <input
            type="checkbox"
            checked={letterKeys}
            onChange={(event) => {
              changeSettings({ letterKeys: event.target.checked });
            }}
          />
          single letters are commands
        </label>
      </div>
    </section>
  );
}

function Retention(): ReactNode {
  const retention = useQuery({
    queryKey: ["retention"],
    queryFn: ({ signal }) => ask(api.GET("/api/settings/retention", { signal })),
  });
  return (
    <section className={s.card}>
      <h2>Retention</h2>
      {retention.data === undefined ? (
        retention.error === null ? (
          <Loading what="the retention" />
        ) : (
          <Failure error={retention.error} what="the retention" onRetry={() => void retention.refetch()} />
        )
      ) : retention.data.windowDays === null ? (
        <p>Bodies are kept for good.</p>
      ) : (
        <p>
          Requests and responses of finished calls are kept for {retention.data.windowDays} days; what
          happened, replies, models, usage and times are kept for good.
        </p>
      )}
    </section>
  );
}
