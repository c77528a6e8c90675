import { type FormEvent, type ReactNode, useState } from "react";

import type { ApiError } from "../../api/problem";
import type { Session } from "../../api/types";
import { AgentSelect } from "../../components/filters";
import { Button, Field } from "../../components/ui";
import s from "./settings.module.css";

export type Scope = Session["scopes"][number];

export interface Grant {
  name: string;
  scopes: Scope[];
  agents: string[] | null;
}

const SCOPES: readonly (readonly [Scope, string])[] = [
  ["view_audit_log", "sees what happened"],
  ["view_bodies", "reads what was said"],
  ["manage", "lets people in, makes tokens"],
  ["capture", "records, and reads nothing"],
];

/** Whom to let in, and what they may do. */
export function NewGrant({
  what,
  scopes,
  isBusy,
  error,
  onMake,
}: {
  what: string;
  /** Scopes that make sense here; the first ones are chosen at first. */
  scopes: readonly Scope[];
  isBusy: boolean;
  error: ApiError | null;
  onMake: (grant: Grant) => void;
}): ReactNode {
  const [name, setName] = useState("");
  const [chosen, setChosen] = useState<readonly Scope[]>(scopes.slice(0, 1));
  const [agent, setAgent] = useState<string>();
  const [isNameless, setIsNameless] = useState(false);
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    setIsNameless(name.trim() === "");
    if (name.trim() === "") return;
    onMake({ name: name.trim(), scopes: [...chosen], agents: agent === undefined ? null : [agent] });
  };
  const fault = isNameless
    ? "It needs a name."
    : error === null
      ? undefined
      : `${error.problem.detail} ${error.problem.nextStep}`;
  return (
    <form className={s.fields} onSubmit={submit}>
      <Field
        label="Name"
        value={name}
        fault={fault}
        maxLength={200}
        onChange={(event) => {
          setName(event.target.value);
        }}
      />
      <AgentSelect value={agent} isAny onChoose={setAgent} />
      <fieldset className={s.scopes}>
        <legend>Scopes</legend>
        {SCOPES.filter(([scope]) => scopes.includes(scope)).map(([scope, words]) => (
          <label key={scope} className={s.check}>
            <input
              type="checkbox"
              checked={chosen.includes(scope)}
              onChange={(event) => {
                setChosen(event.target.checked ? [...chosen, scope] : chosen.filter((one) => one !== scope));
              }}
            />
            {scope}: {words}
          </label>
        ))}
      </fieldset>
      <Button type="submit" look="primary" disabled={isBusy || chosen.length === 0}>
        {what}
      </Button>
    </form>
  );
}
