import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";

import { Page } from "../components/layout/Page";
import { buttonClass, Empty } from "../components/ui";

export function NotFound(): ReactNode {
  return (
    <Page title="No such page">
      <Empty
        title="There is no page at this address"
        icon="search"
        actions={
          <Link to="/" className={buttonClass}>
            Conversations
          </Link>
        }
      >
        <p>
          The address was mistyped, or it is of a later version. Everything recorded is reached from the
          conversations.
        </p>
      </Empty>
    </Page>
  );
}
