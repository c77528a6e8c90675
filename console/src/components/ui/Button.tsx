import type { ComponentProps, ReactNode } from "react";

import { cx } from "../../lib/cx";
import { copyText } from "../../lib/toasts";
import { Icon } from "./icons";
import s from "./ui.module.css";

export interface ButtonProps extends ComponentProps<"button"> {
  look?: "plain" | "primary" | "quiet";
  small?: boolean;
}

export function Button({ look = "plain", small = false, className, ...rest }: ButtonProps): ReactNode {
  return (
    <button
      type="button"
      {...rest}
      className={cx(
        s.button,
        look === "primary" && s.primary,
        look === "quiet" && s.quiet,
        small && s.small,
        className,
      )}
    />
  );
}

/** The class of a link that looks like a button. */
export const buttonClass = cx(s.button);

/** Copies `text`; `what` completes "Copy …" and "Copied …". */
export function CopyButton({
  text,
  what,
  children,
}: {
  text: string;
  what: string;
  children?: ReactNode;
}): ReactNode {
  return (
    <Button
      look="quiet"
      small
      aria-label={`Copy ${what}`}
      title={`Copy ${what}`}
      onClick={() => void copyText(text, what)}
    >
      <Icon name="copy" size={12} />
      {children}
    </Button>
  );
}
