import { type ReactNode, useState } from "react";

import { Button } from "../../components/ui";
import s from "./settings.module.css";

/** A button for what cannot be undone: it asks once more. */
export function Confirmed({
  what,
  isBusy,
  onDo,
}: {
  what: string;
  isBusy: boolean;
  onDo: () => void;
}): ReactNode {
  const [isAsked, setIsAsked] = useState(false);
  if (!isAsked)
    return (
      <Button
        small
        disabled={isBusy}
        onClick={() => {
          setIsAsked(true);
        }}
      >
        {what}
      </Button>
    );
  return (
    <span className={s.actions}>
      <Button
        small
        look="primary"
        disabled={isBusy}
        onClick={() => {
          setIsAsked(false);
          onDo();
        }}
      >
        {what} for good
      </Button>
      <Button
        small
        onClick={() => {
          setIsAsked(false);
        }}
      >
        Keep
      </Button>
    </span>
  );
}
