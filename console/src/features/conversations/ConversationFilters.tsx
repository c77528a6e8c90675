import type { ReactNode } from "react";

import { AgentSelect, Filters, SpanSelect, TypedField } from "../../components/filters";
import { Select } from "../../components/ui";
import { type ListSearch, SHAPES, STATUSES } from "./routes";

const STATUS_WORDS = {
  open: "running or waiting",
  waiting: "waiting for approval",
  failed: "a turn went wrong",
  owes: "owes a reply",
} as const;

/** What narrows the list; all of it stands in the address. */
export function ConversationFilters({
  search,
  onChange,
}: {
  search: ListSearch;
  onChange: (changes: { [K in keyof ListSearch]?: ListSearch[K] | undefined }) => void;
}): ReactNode {
  return (
    <Filters label="Filters">
      <AgentSelect
        value={search.agent}
        isAny
        onChoose={(agent) => {
          onChange({ agent });
        }}
      />
      <TypedField
        label="Actor"
        placeholder="slack:U7"
        value={search.actor}
        onType={(actor) => {
          onChange({ actor });
        }}
      />
      <TypedField
        label="Connector"
        placeholder="slack"
        value={search.connector}
        onType={(connector) => {
          onChange({ connector });
        }}
      />
      <Select
        label="Shape"
        value={search.shape ?? ""}
        choices={[["", "any"], ...SHAPES.map((shape) => [shape, shape] as const)]}
        onChoose={(chosen) => {
          onChange({ shape: SHAPES.find((shape) => shape === chosen) });
        }}
      />
      <TypedField
        label="Place"
        placeholder="C042"
        value={search.place}
        onType={(place) => {
          onChange({ place });
        }}
      />
      <Select
        label="Status"
        value={search.status ?? ""}
        choices={[["", "any"], ...STATUSES.map((status) => [status, STATUS_WORDS[status]] as const)]}
        onChoose={(chosen) => {
          onChange({ status: STATUSES.find((status) => status === chosen) });
        }}
      />
      <SpanSelect
        span={search}
        whole="any time"
        onChange={({ last, day }) => {
          onChange({ last, day });
        }}
      />
      <TypedField
        label="Text"
        title="In the name of the conversation or place, in any case"
        data-search
        placeholder="in name or place"
        value={search.q}
        onType={(q) => {
          onChange({ q });
        }}
      />
    </Filters>
  );
}
