import type { ReactNode } from "react";

import { Page } from "../../components/layout/Page";
import { Empty } from "../../components/ui";

export function ActorsPage(): ReactNode {
  return (
    <Page title="Actors">
      <Empty title="Actors">
        <p>People and bots that talked with the agents.</p>
      </Empty>
    </Page>
  );
}
