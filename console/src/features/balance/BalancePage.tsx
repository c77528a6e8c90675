import type { ReactNode } from "react";

import { Page } from "../../components/layout/Page";
import { Empty } from "../../components/ui";

export function BalancePage(): ReactNode {
  return (
    <Page title="Balance">
      <Empty title="Balance">
        <p>Where every inbound message ended.</p>
      </Empty>
    </Page>
  );
}
