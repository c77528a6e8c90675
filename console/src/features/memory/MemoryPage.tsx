import type { ReactNode } from "react";
import { Page } from "../../components/layout/Page";
export function MemoryPage(): ReactNode {
  return <Page title="Memory">{null}</Page>;
}
