import type { ReactNode } from "react";

import { cx } from "../../lib/cx";
import { useStore } from "../../lib/store";
import { toasts } from "../../lib/toasts";
import s from "./layout.module.css";

/** The polite live region of all pages. */
export function Toasts(): ReactNode {
  const shown = useStore(toasts);
  return (
    <div className={s.toasts} role="status" aria-live="polite">
      {shown.map((toast) => (
        <div key={toast.id} className={cx(s.toast, toast.tone === "bad" && s.toastBad)}>
          {toast.text}
        </div>
      ))}
    </div>
  );
}
