import { useRouter } from "@tanstack/react-router";
import { type KeyboardEvent, type ReactNode, useId, useState } from "react";

import { isUuid } from "../../lib/ids";
import { changeSettings } from "../../lib/settings";
import { copyText } from "../../lib/toasts";
import { Dialog } from "../ui";
import s from "./layout.module.css";

export const PAGES = [
  ["/", "Conversations"],
  ["/agents", "Agents"],
  ["/actors", "Actors"],
  ["/balance", "Balance"],
  ["/memory", "Memory"],
  ["/search", "Search"],
  ["/integrity", "Integrity"],
  ["/settings", "Settings"],
] as const;

interface Command {
  readonly word: string;
  readonly hint: string;
  readonly run: () => void;
}

/** Ctrl-K: pages, ids that were pasted, and switches, by typing a part of their name. */
export function Palette({ onClose }: { onClose: () => void }): ReactNode {
  const router = useRouter();
  const id = useId();
  const [query, setQuery] = useState("");
  const [place, setPlace] = useState(0);
  const go = (to: string, search: Record<string, string> = {}): void => void router.navigate({ to, search });
  const commands: Command[] = [
    ...PAGES.map(([to, word]) => ({
      word,
      hint: "page",
      run: () => {
        go(to);
      },
    })),
    {
      word: "Turn inspector",
      hint: "page",
      run: () => {
        go("/agents/turns");
      },
    },
    {
      word: "Copy the link to this page",
      hint: "copy",
      run: () => void copyText(window.location.href, "the link"),
    },
    {
      word: "Light colours",
      hint: "colours",
      run: () => {
        changeSettings({ theme: "light" });
      },
    },
    {
      word: "Dark colours",
      hint: "colours",
      run: () => {
        changeSettings({ theme: "dark" });
      },
    },
    {
      word: "Colours of the system",
      hint: "colours",
      run: () => {
        changeSettings({ theme: "system" });
      },
    },
    {
      word: "Times in UTC",
      hint: "time",
      run: () => {
        changeSettings({ zone: "utc" });
      },
    },
    {
      word: "Times in local time",
      hint: "time",
      run: () => {
        changeSettings({ zone: "local" });
      },
    },
  ];
  const typed = query.trim().toLowerCase();
  const found = commands.filter((command) => command.word.toLowerCase().includes(typed));
  if (isUuid(typed))
    found.unshift({
      word: `Inspect turn ${typed}`,
      hint: "id",
      run: () => {
        go("/agents/turns", { turnId: typed });
      },
    });
  if (typed !== "")
    found.push({
      word: `Search recorded text for “${query.trim()}”`,
      hint: "search",
      run: () => {
        go("/search", { q: query.trim() });
      },
    });
  const chosen = Math.min(place, found.length - 1);
  const run = (command: Command | undefined): void => {
    onClose();
    command?.run();
  };
  const onKey = (event: KeyboardEvent): void => {
    if (event.key === "ArrowDown") setPlace(Math.min(chosen + 1, found.length - 1));
    else if (event.key === "ArrowUp") setPlace(Math.max(chosen - 1, 0));
    else if (event.key === "Enter") run(found[chosen]);
    else return;
    event.preventDefault();
  };
  return (
    <Dialog title="Command palette" onClose={onClose} bare>
      <input
        className={s.paletteInput}
        placeholder="A page, an id, a command …"
        aria-label="A page, an id, a command"
        role="combobox"
        aria-expanded="true"
        aria-controls={`${id}-list`}
        aria-activedescendant={`${id}-${chosen}`}
        autoFocus
        value={query}
        onKeyDown={onKey}
        onChange={(event) => {
          setQuery(event.target.value);
          setPlace(0);
        }}
      />
      <ul className={s.paletteList} id={`${id}-list`} role="listbox" aria-label="Commands">
        {found.map((command, at) => (
          <li
            key={command.word}
            id={`${id}-${at}`}
            role="option"
            aria-selected={at === chosen}
            className={s.paletteItem}
            onClick={() => {
              run(command);
            }}
          >
            {command.word} <small>{command.hint}</small>
          </li>
        ))}
      </ul>
    </Dialog>
  );
}
