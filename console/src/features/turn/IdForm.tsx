import { useQuery } from "@tanstack/react-query";
import { type FormEvent, type ReactNode, useId, useRef, useState } from "react";

import { agentsQuery } from "../../api/agents";
import { Button, Field, Icon } from "../../components/ui";
import { plainText } from "../../lib/hiddenText";
import { isUuid } from "../../lib/ids";
import { openFile, type OpenedFile } from "./openFile";
import s from "./turn.module.css";

const FAULT = "A UUID in small letters, 36 characters.";

/** Both ids, typed in or out of the address; and the door for files from disk. */
export function IdForm({
  agentId,
  turnId,
  onIds,
  onFile,
}: {
  agentId: string;
  turnId: string;
  onIds: (ids: { agentId: string; turnId: string }) => void;
  onFile: (file: OpenedFile) => void;
}): ReactNode {
  const [agent, setAgent] = useState(agentId);
  const [turn, setTurn] = useState(turnId);
  const [told, setTold] = useState(agentId !== "" || turnId !== "");
  const file = useRef<HTMLInputElement>(null);
  const list = useId();
  const agents = useQuery(agentsQuery);
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    setTold(true);
    const ids = { agentId: agent.trim().toLowerCase(), turnId: turn.trim().toLowerCase() };
    onIds(ids);
  };
  return (
    <form className={s.ids} onSubmit={submit} aria-label="Which turn">
      <Field
        label="Agent id"
        value={agent}
        list={list}
        data-search
        fault={told && !isUuid(agent.trim()) ? FAULT : undefined}
        onChange={(event) => {
          setAgent(event.target.value);
        }}
      />
      <datalist id={list}>
        {agents.data?.map((one) => (
          <option key={one.id} value={one.id}>
            {plainText(one.name)}
          </option>
        ))}
      </datalist>
      <Field
        label="Turn id"
        value={turn}
        fault={told && !isUuid(turn.trim()) ? FAULT : undefined}
        onChange={(event) => {
          setTurn(event.target.value);
        }}
      />
      <div className={s.idButtons}>
        <Button type="submit" look="primary">
          Inspect
        </Button>
        <Button
          onClick={() => file.current?.click()}
          title="A fixture or a journal file; it is checked in this browser and sent nowhere"
        >
          <Icon name="prompt" /> Open a file
        </Button>
      </div>
      <input
        ref={file}
        type="file"
        className="visually-hidden"
        tabIndex={-1}
        aria-label="A fixture or journal file"
        accept=".json,.jsonl,application/json"
        onChange={(event) => {
          const chosen = event.target.files?.[0];
          if (chosen) void openFile(chosen).then(onFile);
          event.target.value = "";
        }}
      />
    </form>
  );
}
