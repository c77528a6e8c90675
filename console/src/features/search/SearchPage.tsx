import type { ReactNode } from "react";

import { Page } from "../../components/layout/Page";
import { Empty } from "../../components/ui";

export function SearchPage(): ReactNode {
  return (
    <Page title="Search">
      <Empty title="Search">
        <p>Text over all that was recorded and that you may read.</p>
      </Empty>
    </Page>
  );
}
