import type { ReactNode } from "react";

import { Page } from "../../components/layout/Page";
import { Empty } from "../../components/ui";

export function SettingsPage(): ReactNode {
  return (
    <Page title="Settings">
      <Empty title="Settings">
        <p>Retention, operators, tokens.</p>
      </Empty>
    </Page>
  );
}
