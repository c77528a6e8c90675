import type { ReactNode } from "react";

import { Page } from "../../components/layout/Page";
import { Empty } from "../../components/ui";

export function InspectorPage(): ReactNode {
  return (
    <Page title="Turn inspector">
      <Empty title="Turn inspector">
        <p>One turn, event by event.</p>
      </Empty>
    </Page>
  );
}
