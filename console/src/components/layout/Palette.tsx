import { useRouter } from "@tanstack/react-router";
import { type KeyboardEvent, type ReactNode, useId, useState } from "react";

import { isUuid } from "../../lib/ids";
import { Dialog, RecordedText } from "../ui";
import { type Command, commandsOf, type Go, matching } from "./commands";
import { useFound } from "./useFound";
import s from "./layout.module.css";

/** Ctrl-K: pages, what is on record, ids that were pasted, and switches, by what people would call them. */
export function Palette({ onClose }: { onClose: () => void }): ReactNode {
  const router = useRouter();
  const id = useId();
  const [query, setQuery] = useState("");
  const [place, setPlace] = useState(0);
  const go: Go = (to, search = {}) => void router.navigate({ to, search });
  const typed = query.trim();
  const matches = matching(commandsOf(go), typed);
  const onRecord = useFound(query, go);
  const found = isUuid(typed.toLowerCase()) ? [...onRecord, ...matches] : [...matches, ...onRecord];
  if (typed !== "")
    found.push({
      key: "search",
      word: `Search recorded text for “${typed}”`,
      hint: "search",
      run: () => {
        go("/search", { q: typed });
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
        placeholder="A page, an id, a command, or the name of an agent, a conversation, a tool …"
        aria-label="A page, an id, a command, or a name"
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
            key={command.key}
            id={`${id}-${at}`}
            role="option"
            aria-selected={at === chosen}
            className={s.paletteItem}
            onClick={() => {
              run(command);
            }}
          >
            <RecordedText text={command.word} />{" "}
            <small>
              <RecordedText text={command.hint} />
            </small>
          </li>
        ))}
      </ul>
    </Dialog>
  );
}
