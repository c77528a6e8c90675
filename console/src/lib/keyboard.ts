import { useEffect, useEffectEvent } from "react";

import { settings } from "./settings";

/** A key or a sequence of two (`g c`) → what it does.  `Mod` is Ctrl, or ⌘ on Apple's machines. */
export type KeyMap = Readonly<Record<string, () => void>>;

const SEQUENCE_MS = 1200;

function isTyping(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement &&
    (target.isContentEditable || ["INPUT", "TEXTAREA", "SELECT"].includes(target.tagName))
  );
}

function nameOf(event: KeyboardEvent): string {
  return event.ctrlKey || event.metaKey ? `Mod+${event.key.toLowerCase()}` : event.key;
}

/** Keys of the component that is shown.  Single letters are deaf while somebody types, or switched off. */
export function useKeys(keys: KeyMap): void {
  const act = useEffectEvent((name: string) => {
    const action = keys[name];
    action?.();
    return action !== undefined;
  });
  const begins = useEffectEvent((name: string) =>
    Object.keys(keys).some((key) => key.startsWith(`${name} `)),
  );
  useEffect(() => {
    let first: string | null = null;
    let since = 0;
    const onKey = (event: KeyboardEvent): void => {
      if (event.defaultPrevented || event.altKey) return;
      const name = nameOf(event);
      const isPlain = !name.startsWith("Mod+");
      const isLetter = isPlain && name.length === 1;
      if (isPlain && isTyping(event.target)) return;
      if (isPlain && document.querySelector("dialog[open]") !== null) return;
      if (isLetter && !settings.get().letterKeys) return;
      const sequence = first !== null && event.timeStamp - since < SEQUENCE_MS ? `${first} ${name}` : null;
      first = null;
      if (sequence !== null && act(sequence)) event.preventDefault();
      else if (isLetter && begins(name)) {
        first = name;
        since = event.timeStamp;
      } else if (act(name)) event.preventDefault();
    };
    window.addEventListener("keydown", onKey);
    return () => {
      window.removeEventListener("keydown", onKey);
    };
  }, []);
}

/** What the keys do, for the help; pages that have more name them there. */
export const KEY_HELP: readonly (readonly [keys: string, what: string])[] = [
  ["j  k", "next, previous entry"],
  ["J  K", "next, previous turn"],
  ["n  N", "next, previous problem"],
  ["Enter", "open"],
  ["e", "open or close all bodies"],
  ["f", "follow what is recorded now"],
  ["c", "copy the link to the selected entry"],
  ["y", "copy the hash of the selected entry"],
  ["/", "to the search or filter field"],
  ["g c", "go to Conversations"],
  ["g a", "go to Agents"],
  ["g i", "go to Integrity"],
  ["g s", "go to Search"],
  ["Ctrl-K", "command palette"],
  ["?", "these keys"],
];
