import type { ErrorComponentProps } from "@tanstack/react-router";
import type { ReactNode } from "react";

import { Page } from "../components/layout/Page";
import { Failure } from "../components/ui";

/** A page that threw: the rest of the console stays usable. */
export function RouteFault({ error, reset }: ErrorComponentProps): ReactNode {
  return (
    <Page title="This page failed">
      <Failure error={error} what="this page" onRetry={reset} />
    </Page>
  );
}
