import type { ReactNode } from "react";

import { KEY_HELP } from "../../lib/keyboard";
import { changeSettings, useSettings } from "../../lib/settings";
import { Dialog } from "../ui";
import s from "./layout.module.css";

export function KeyHelp({ onClose }: { onClose: () => void }): ReactNode {
  const { letterKeys } = useSettings();
  return (
    <Dialog title="Keys" onClose={onClose}>
      <dl className={s.keys}>
        {KEY_HELP.map(([keys, what]) => [
          <dt key={keys}>
            {keys.split("  ").map((key, place) => (
              <span key={key}>
                {place > 0 && " "}
                <kbd>{key}</kbd>
              </span>
            ))}
          </dt>,
          <dd key={what}>{what}</dd>,
        ])}
      </dl>
      <label className={s.switch}>
        <input
          type="checkbox"
          checked={letterKeys}
          onChange={(event) => {
            changeSettings({ letterKeys: event.target.checked });
          }}
        />
        Single letters are commands (off: only Ctrl-K and the keys of the browser)
      </label>
    </Dialog>
  );
}
