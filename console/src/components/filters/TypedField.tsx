import { type ComponentProps, type ReactNode, useEffect, useEffectEvent, useState } from "react";

import { Field } from "../ui";

const SETTLE_MS = 350;

/** A text filter: told once typing stops, or on Enter.  What the address says later goes before what was typed. */
export function TypedField({
  value,
  onType,
  ...rest
}: {
  label: string;
  value: string | undefined;
  onType: (value: string | undefined) => void;
} & Omit<ComponentProps<typeof Field>, "value" | "onChange">): ReactNode {
  const [shown, setShown] = useState(value ?? "");
  const [known, setKnown] = useState(value);
  if (known !== value) {
    setKnown(value);
    if ((value ?? "") !== shown.trim()) setShown(value ?? "");
  }
  const tell = (): void => {
    const text = shown.trim();
    if (text !== (value ?? "")) onType(text === "" ? undefined : text);
  };
  const settled = useEffectEvent(tell);
  useEffect(() => {
    const timer = setTimeout(() => {
      settled();
    }, SETTLE_MS);
    return () => {
      clearTimeout(timer);
    };
  }, [shown]);
  return (
    <Field
      {...rest}
      value={shown}
      onChange={(event) => {
        setShown(event.target.value);
      }}
      onKeyDown={(event) => {
        if (event.key === "Enter") tell();
        if (event.key === "Escape") event.currentTarget.blur();
      }}
    />
  );
}
