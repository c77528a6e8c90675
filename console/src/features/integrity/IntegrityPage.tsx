import type { ReactNode } from "react";

import { Page } from "../../components/layout/Page";
import { Empty } from "../../components/ui";

export function IntegrityPage(): ReactNode {
  return (
    <Page title="Integrity">
      <Empty title="Integrity">
        <p>What is proven, by whom, and since when.</p>
      </Empty>
    </Page>
  );
}
