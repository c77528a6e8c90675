import type { ReactNode } from "react";

import type { Entry } from "../../api/types";
import { Badge, RecordedText } from "../ui";

interface Flag {
  readonly word: string;
  readonly why: string;
}

const LOSSY = "Recorded in the nearest form: the object itself had none that gives it back.";

/** Where an event's record is not all of what there was; what a badge beside it has `said` is not said twice. */
export function Flags({ detail, said = null }: { detail: Entry["detail"]; said?: string | null }): ReactNode {
  const flags = flagsOf(detail).filter(({ word }) => word !== said);
  return flags.map(({ word, why }) => (
    <Badge key={word} tone="warn" icon="warning" title={why}>
      <RecordedText text={word} />
    </Badge>
  ));
}

/** Flags of a detail record; parts of it that are in another form are passed over. */
export function flagsOf(detail: Readonly<Record<string, unknown>>): Flag[] {
  const { lossy, slots, truncated, flags, usageFlags } = detail;
  const bodies = typeof slots === "object" && slots !== null ? Object.entries(slots) : [];
  const cut = texts(truncated);
  return [
    ...(lossy === true ? [{ word: "lossy", why: LOSSY }] : []),
    ...bodies
      .filter(([, slot]: [string, unknown]) => isLossy(slot))
      .map(([name]) => ({ word: `lossy: ${name}`, why: LOSSY })),
    ...(cut.length > 0
      ? [{ word: `detail cut: ${cut.join(", ")}`, why: "Too large for the record; this was left out of it." }]
      : []),
    ...texts(flags).map((word) => ({ word, why: "Found while the body was read." })),
    ...texts(usageFlags).map((word) => ({ word: `usage ${word}`, why: "How the usage was reported." })),
  ];
}

function isLossy(slot: unknown): boolean {
  return typeof slot === "object" && slot !== null && "lossy" in slot && slot.lossy === true;
}

function texts(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((one: unknown) => typeof one === "string") : [];
}
