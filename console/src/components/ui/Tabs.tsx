import { type KeyboardEvent, type ReactNode, useId } from "react";

import s from "./ui.module.css";

export interface TabsProps<T extends string> {
  label: string;
  tabs: readonly (readonly [id: T, word: ReactNode])[];
  chosen: T;
  onChoose: (id: T) => void;
  children: ReactNode;
}

/** Tabs by the ARIA pattern: arrows move, the panel follows. */
export function Tabs<T extends string>({ label, tabs, chosen, onChoose, children }: TabsProps<T>): ReactNode {
  const id = useId();
  const move = (event: KeyboardEvent): void => {
    const step = event.key === "ArrowRight" ? 1 : event.key === "ArrowLeft" ? -1 : 0;
    if (step === 0) return;
    event.preventDefault();
    const place = tabs.findIndex(([tab]) => tab === chosen);
    const next = tabs[(place + step + tabs.length) % tabs.length];
    if (next === undefined) return;
    onChoose(next[0]);
    document.getElementById(`${id}-${next[0]}`)?.focus();
  };
  return (
    <>
      <div className={s.tabs} role="tablist" aria-label={label} onKeyDown={move}>
        {tabs.map(([tab, word]) => (
          <button
            key={tab}
            id={`${id}-${tab}`}
            type="button"
            role="tab"
            className={s.tab}
            aria-selected={tab === chosen}
            aria-controls={`${id}-panel`}
            tabIndex={tab === chosen ? 0 : -1}
            onClick={() => {
              onChoose(tab);
            }}
          >
            {word}
          </button>
        ))}
      </div>
      <div id={`${id}-panel`} role="tabpanel" aria-labelledby={`${id}-${chosen}`}>
        {children}
      </div>
    </>
  );
}
