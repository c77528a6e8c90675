import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useRouter } from "@tanstack/react-router";
import { type FormEvent, type ReactNode, useEffect, useState } from "react";

import { BASE } from "../../base";
import { forgetFindings } from "../../api/findings";
import type { ApiError } from "../../api/problem";
import { logIn, sessionQuery } from "../../api/session";
import type { Session } from "../../api/types";
import { Button, Field } from "../../components/ui";
import { codeIn, codeOfLink } from "./code";
import s from "./session.module.css";

/** The door: a login link's code opens a session.  Shown instead of any page while there is none. */
export function SignIn({ hadSession }: { hadSession: boolean }): ReactNode {
  const client = useQueryClient();
  const router = useRouter();
  const [linked] = useState(codeOfLink);
  const [text, setText] = useState("");
  const [isNone, setIsNone] = useState(false);
  useEffect(forgetFindings, []);
  const entering = useMutation<Session, ApiError, string>({
    mutationFn: logIn,
    onSuccess: async (session) => {
      // What the one before could see is not shown to this one.
      client.removeQueries({ predicate: (query) => query.queryKey[0] !== sessionQuery.queryKey[0] });
      client.setQueryData(sessionQuery.queryKey, session);
      if (window.location.pathname.endsWith("/login")) await router.navigate({ to: "/", replace: true });
      await client.invalidateQueries({ queryKey: sessionQuery.queryKey });
    },
  });
  const { mutate } = entering;
  useEffect(() => {
    if (linked === null) return;
    // The code is good once, and forgotten by the address bar and the history.
    window.history.replaceState(null, "", BASE);
    mutate(linked);
  }, [linked, mutate]);

  const submit = (event: FormEvent): void => {
    event.preventDefault();
    const code = codeIn(text);
    setIsNone(code === null);
    if (code !== null) mutate(code);
  };
  const busy = entering.isPending;
  const problem = entering.error?.problem;
  const refused = problem === undefined ? undefined : `${problem.detail} ${problem.nextStep}`;
  const fault = isNone ? "This is neither a login link nor the code of one." : refused;

  return (
    <main className={s.door}>
      <form className={s.card} onSubmit={submit}>
        <h1>
          <img src={`${BASE}mark.svg`} alt="" width="32" height="32" /> Turnledger
        </h1>
        <p>
          {hadSession
            ? "Your session has ended. Log in again, and this page goes on where it was."
            : "What agents did is shown to those who were let in."}
        </p>
        <Field
          label="Login link, or its code"
          name="code"
          value={text}
          fault={fault}
          disabled={busy}
          onChange={(event) => {
            setText(event.target.value);
          }}
        />
        <Button type="submit" look="primary" disabled={busy}>
          {busy ? "Logging in …" : "Log in"}
        </Button>
        <p className={s.hint}>
          A server on this machine prints a link when it starts. For somebody else, run{" "}
          <code>turnledger operator add NAME</code>, for a new link of theirs{" "}
          <code>turnledger operator link NAME</code>. A link works once.
        </p>
      </form>
    </main>
  );
}
