import type { ReactNode } from "react";

import { Page } from "../../components/layout/Page";
import { Empty } from "../../components/ui";

export function ConversationsPage(): ReactNode {
  return (
    <Page title="Conversations">
      <Empty title="Conversations">
        <p>Every conversation of the agents that you may see.</p>
      </Empty>
    </Page>
  );
}
