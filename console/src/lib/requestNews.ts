import { type Member, partsOf } from "./jsonParts";

/** What a request holds that the one before did not. */
export interface RequestNews {
  /** Name of the list of messages: `messages`, `input`, `contents`. */
  readonly list: string | null;
  /** How many messages stand at its beginning as before. */
  readonly kept: number;
  /** How many messages of the request before are not there any more. */
  readonly dropped: number;
  /** Messages behind those kept, as they were sent. */
  readonly added: readonly string[];
  /** Other members that were not there, or said something else. */
  readonly changed: readonly Member[];
  readonly removed: readonly string[];
}

const LISTS = ["messages", "input", "contents"];

/** Compare a request with the one before (null: it is the first); null where it is no JSON object. */
export function requestNews(request: string, before: string | null): RequestNews | null {
  const now = partsOf(request);
  if (now === null || now.isList) return null;
  const then = before === null ? null : partsOf(before);
  const old = new Map((then?.members ?? []).map((member) => [member.key, member.raw]));
  const list = now.members.find(
    (member) => LISTS.includes(member.key) && partsOf(member.raw)?.isList === true,
  );
  const items = list === undefined ? [] : itemsOf(list.raw);
  const oldItems = list === undefined ? [] : itemsOf(old.get(list.key) ?? "[]");
  let kept = 0;
  while (kept < items.length && items[kept] === oldItems[kept]) kept += 1;
  return {
    list: list?.key ?? null,
    kept,
    dropped: oldItems.length - kept,
    added: items.slice(kept),
    changed: now.members.filter((member) => member !== list && old.get(member.key) !== member.raw),
    removed: [...old.keys()].filter((key) => !now.members.some((member) => member.key === key)),
  };
}

function itemsOf(raw: string): string[] {
  const parts = partsOf(raw);
  return parts?.isList === true ? parts.members.map((member) => member.raw) : [];
}
