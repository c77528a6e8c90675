import { type ReactNode, useLayoutEffect, useRef } from "react";

import { Button } from "./Button";
import { Icon } from "./icons";
import s from "./ui.module.css";

/** A modal window; Esc and its cross close it, and the focus goes back to where it was. */
export function Dialog({
  title,
  onClose,
  children,
  bare = false,
}: {
  title: string;
  onClose: () => void;
  children: ReactNode;
  bare?: boolean;
}): ReactNode {
  const ref = useRef<HTMLDialogElement>(null);
  // Closed while it still stands in the page: only then does the browser give the focus back.
  useLayoutEffect(() => {
    const dialog = ref.current;
    dialog?.showModal();
    return () => dialog?.close();
  }, []);
  return (
    <dialog
      ref={ref}
      className={s.dialog}
      aria-label={title}
      onCancel={(event) => {
        event.preventDefault();
        onClose();
      }}
      onClick={(event) => {
        if (event.target === ref.current) onClose();
      }}
    >
      {!bare && (
        <div className={s.dialogHead}>
          <h2>{title}</h2>
          <Button look="quiet" aria-label="Close" onClick={onClose}>
            <Icon name="cross" />
          </Button>
        </div>
      )}
      <div className={bare ? undefined : s.dialogBody}>{children}</div>
    </dialog>
  );
}
