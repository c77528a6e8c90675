import { type ComponentProps, type ReactNode, useId } from "react";

import { cx } from "../../lib/cx";
import { plainText } from "../../lib/hiddenText";
import s from "./ui.module.css";

export interface FieldProps extends ComponentProps<"input"> {
  label: string;
  /** Why the value cannot be used; shown and announced. */
  fault?: string | undefined;
}

/** A labelled input. */
export function Field({ label, fault, className, ...rest }: FieldProps): ReactNode {
  const id = useId();
  return (
    <div className={cx(s.field, className)}>
      <label htmlFor={id}>{label}</label>
      <input
        id={id}
        className={s.input}
        autoComplete="off"
        spellCheck={false}
        aria-invalid={fault !== undefined}
        aria-describedby={fault === undefined ? undefined : `${id}-fault`}
        {...rest}
      />
      {fault !== undefined && (
        <span className={s.fault} id={`${id}-fault`}>
          {fault}
        </span>
      )}
    </div>
  );
}

export interface SelectProps extends Omit<ComponentProps<"select">, "onChange"> {
  label: string;
  /** Value and word of each choice; the value "" means any. */
  choices: readonly (readonly [value: string, word: string])[];
  onChoose: (value: string) => void;
}

/** A labelled choice out of a closed list. */
export function Select({ label, choices, onChoose, className, ...rest }: SelectProps): ReactNode {
  const id = useId();
  return (
    <div className={cx(s.field, className)}>
      <label htmlFor={id}>{label}</label>
      <select
        id={id}
        className={s.input}
        {...rest}
        onChange={(event) => {
          onChoose(event.target.value);
        }}
      >
        {choices.map(([value, word]) => (
          <option key={value} value={value}>
            {plainText(word)}
          </option>
        ))}
      </select>
    </div>
  );
}
