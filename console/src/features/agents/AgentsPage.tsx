import type { ReactNode } from "react";

import { Page } from "../../components/layout/Page";
import { Empty } from "../../components/ui";

export function AgentsPage(): ReactNode {
  return (
    <Page title="Agents">
      <Empty title="Agents">
        <p>Who records here, and what it did over time.</p>
      </Empty>
    </Page>
  );
}
