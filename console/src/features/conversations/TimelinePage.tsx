import type { ReactNode } from "react";
import { Page } from "../../components/layout/Page";
export function TimelinePage(): ReactNode {
  return <Page title="Conversation">{null}</Page>;
}
