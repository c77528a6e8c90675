import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";

import type { Entry } from "../../api/types";
import { Ago, Badge, RecordedText, StatusBadge, Time, type Tone } from "../../components/ui";
import { count, counted, duration, NOT_RECORDED, tokens } from "../../lib/format";
import { costPhrase } from "../../lib/money";
import { type Buckets, cacheWords, inputOf, outputOf, tokenFlow } from "../../lib/tokenSums";
import { type FlowRow, namedBy, requestedOf } from "./rows";
import s from "./timeline.module.css";

export interface LineProps {
  row: FlowRow;
  names: ReadonlyMap<string, string>;
}

/** What a row says: a head of facts, and the first words of what was said. */
export function Line({ row, names }: LineProps): ReactNode {
  const [first, ...rest] = row.entries;
  switch (first.type) {
    case "MESSAGE":
      return <MessageLine row={row} verdict={rest[0]} names={names} />;
    case "TURN_OPENED":
      return <OpenedLine row={row} intake={rest[0]} />;
    case "MODEL_CALL":
      return (
        <>
          <ModelHead call={first} result={rest[0] ?? null} row={row} />
          {rest[0] !== undefined && <ModelReply result={rest[0]} />}
        </>
      );
    case "MODEL_RESULT":
      return (
        <>
          <Head title="answer to" facts={[reference(row, "call", "", "a call"), ...resultFacts(first)]} />
          <Status entry={first} />
          <ModelReply result={first} />
        </>
      );
    case "TOOL_CALL":
      return <ToolLine call={first} result={rest[0] ?? null} row={row} />;
    case "TOOL_RESULT":
      return (
        <>
          <Head
            title={token(first, "tool") ?? "tool"}
            facts={[reference(row, "call", "result of", "a call"), ...toolFacts(first)]}
          />
          <Status entry={first} />
          <Said entry={first} lead="→" />
        </>
      );
    case "COMMIT":
    case "ABORT":
    case "TURN_CLOSED":
      return <ClosedLine row={row} />;
    default:
      return <OtherLine row={row} names={names} />;
  }
}

function token(entry: Entry, key: string): string | null {
  return entry.tokens[key] ?? null;
}

function number(entry: Entry, key: string): number | null {
  const text = entry.tokens[key];
  return text !== undefined && /^\d{1,15}$/.test(text) ? Number(text) : null;
}

/** A fact that names another event, by the number that its row shows. */
interface Reference {
  readonly words: string;
  readonly place: { position: number } | { seq: number };
  readonly from: Entry;
}

type Fact = string | Reference | null;

/** What a row's first event names under `key`; what is not loaded is looked up only once it is followed. */
function reference(row: FlowRow, key: string, words: string, what: string): Fact {
  const [entry] = row.entries;
  const seq = number(entry, key);
  if (seq === null) return null;
  const position = namedBy(row, entry, key)?.position ?? null;
  if (position !== null) return { words: `${words} #${position}`.trim(), place: { position }, from: entry };
  const unnumbered = [words, what, "further up"].filter((part) => part !== "").join(" ");
  // Only places in the conversation's own journal can be looked up.
  const isOwn = entry.journal === "conversation" && entry.type !== "LATE";
  return isOwn ? { words: unnumbered, place: { seq }, from: entry } : unnumbered;
}

function Shown({ fact }: { fact: string | Reference }): ReactNode {
  if (typeof fact === "string") return <RecordedText text={fact} />;
  const { agentId, conversationId } = fact.from;
  if (conversationId === null) return fact.words;
  return (
    <Link
      to="/agents/$agentId/conversations/$conversationId"
      params={{ agentId, conversationId }}
      search={fact.place}
    >
      {fact.words}
    </Link>
  );
}

function Head({ title, facts = [] }: { title: string; facts?: readonly Fact[] }): ReactNode {
  return (
    <>
      <b>
        <RecordedText text={title} />
      </b>
      {facts.map(
        (fact, place) =>
          fact !== null && (
            <span key={place} className={s.fact}>
              <Shown fact={fact} />
            </span>
          ),
      )}
    </>
  );
}

const PREVIEW = 200;

/** The first words of an event's payload. */
function Said({ entry, lead }: { entry: Entry; lead?: string }): ReactNode {
  const { preview } = entry;
  if (preview === null || preview.state === "none") return null;
  if (preview.state !== "text") {
    return (
      <span className={s.absent}>
        {preview.state === "binary" ? "binary content" : `body ${preview.state}`}
      </span>
    );
  }
  if (preview.text === "") return null;
  // Of a response the words of the reply are shown, which are always fewer than its bytes.
  const isCut = preview.more && (entry.type !== "MODEL_RESULT" || preview.text.length >= PREVIEW);
  return (
    <span className={s.said}>
      {lead !== undefined && `${lead} `}
      <RecordedText text={preview.text} />
      {isCut && "…"}
    </span>
  );
}

/** The outcome of a call, where it is not simply fine. */
function Status({ entry }: { entry: Entry }): ReactNode {
  const status = token(entry, "status");
  if (status === null || status === "ok") return null;
  return (
    <Badge tone={status === "unknown" || status === "not_started" ? "warn" : "bad"} icon="cross">
      {status === "unknown" ? "in doubt: may have happened" : status.replace("_", " ")}
    </Badge>
  );
}

function Pending({ row }: { row: FlowRow }): ReactNode {
  if (row.outcome !== null)
    return <span className={s.fact}>outcome is #{row.outcome.position ?? row.outcome.seq}</span>;
  if (row.doubt === null) return null;
  return (
    <Badge
      tone={row.doubt === "running" ? "active" : "warn"}
      icon={row.doubt === "running" ? "play" : "warning"}
    >
      {row.doubt === "running" && row.turn?.status === "waiting" ? "waiting" : row.doubt}
    </Badge>
  );
}

const VERDICT_TONE: Readonly<Record<string, Tone>> = { engage: "good", defer: "warn" };

function MessageLine({
  row,
  verdict,
  names,
}: LineProps & {
  verdict: Entry | undefined;
}): ReactNode {
  const [entry] = row.entries;
  const isIn = token(entry, "direction") === "inbound";
  const actor = token(entry, "actor");
  const attachments = entry.bodies.filter((body) => body.slot.startsWith("attachment-")).length;
  const name = actor === null ? null : (names.get(actor) ?? "name erased");
  return (
    <>
      <Badge tone={isIn ? "idle" : "active"} icon="message">
        {isIn ? "IN" : "OUT"}
      </Badge>
      <Head
        title={name ?? (isIn ? "somebody" : "the agent")}
        facts={[
          reference(row, "replyTo", "answers", "a message"),
          attachments > 0 ? counted(attachments, "attachment") : null,
        ]}
      />
      {verdict !== undefined && <Verdict entry={verdict} />}
      <Said entry={entry} />
    </>
  );
}

function Verdict({ entry }: { entry: Entry }): ReactNode {
  const word = token(entry, "verdict") ?? "unknown";
  const by = token(entry, "by");
  return (
    <span className={s.verdict}>
      <Badge tone={VERDICT_TONE[word] ?? "idle"} icon={word === "engage" ? "check" : "empty"}>
        {word}
      </Badge>
      {entry.preview?.state === "text" && (
        <span className={s.reason}>
          <RecordedText text={entry.preview.text} />
        </span>
      )}
      {by !== null && (
        <span className={s.fact}>
          by <RecordedText text={by} />
        </span>
      )}
    </span>
  );
}

export function turnName(turn: { ordinal: number } | null, id: string | null): string {
  return turn === null ? `turn ${id?.slice(0, 18) ?? ""}` : `T${turn.ordinal + 1}`;
}

function trigger(row: FlowRow): Fact {
  const named = token(row.entries[0], "trigger");
  if (named === null) return "trigger not recorded";
  return reference(row, "trigger", "trigger", "a message") ?? `trigger ${named}`;
}

function OpenedLine({ row, intake }: { row: FlowRow; intake: Entry | undefined }): ReactNode {
  const [entry] = row.entries;
  const isMessage = number(entry, "trigger") !== null;
  const tools = intake === undefined ? null : number(intake, "tools");
  const parent = intake === undefined ? null : token(intake, "parentTurn");
  return (
    <>
      <Head
        title={`${turnName(row.turn, token(entry, "turn"))} started`}
        facts={[
          trigger(row),
          tools === null ? null : counted(tools, "tool"),
          parent === null ? null : "part of another turn",
        ]}
      />
      {row.turn !== null && <StatusBadge status={row.turn.status} />}
      {row.turn !== null && row.turn.errors > 0 && (
        <Badge tone="bad" icon="cross">
          {counted(row.turn.errors, "error")}
        </Badge>
      )}
      {intake !== undefined && !isMessage && <Said entry={intake} />}
    </>
  );
}

function ClosedLine({ row }: { row: FlowRow }): ReactNode {
  const closed = row.entries.find((entry) => entry.type === "TURN_CLOSED");
  const end = row.entries.find((entry) => entry.type !== "TURN_CLOSED");
  const status = token(closed ?? row.entries[0], "status") ?? "unknown";
  const ms = closed === undefined ? null : number(closed, "ms");
  const { turn } = row;
  const reason = end === undefined ? null : token(end, "reason");
  const kind = closed === undefined ? null : token(closed, "class");
  const open = end === undefined ? null : number(end, "open");
  return (
    <>
      <Head title={`${turnName(turn, token(row.entries[0], "turn"))} ended`} />
      <StatusBadge status={status} />
      <Head
        title=""
        facts={[
          ms === null ? `duration: ${NOT_RECORDED}` : duration(ms),
          reason,
          kind !== null && kind !== reason ? kind : null,
          turn === null ? null : callCounts(turn.modelCalls, turn.toolCalls),
          turn === null ? null : tokenWords(turn.tokens),
          turn === null || turn.modelCalls === 0 ? null : costPhrase(turn.cost),
          open !== null && open > 0 ? `${counted(open, "step")} still open` : null,
        ]}
      />
      {end?.type === "ABORT" && <Said entry={end} />}
    </>
  );
}

function callCounts(models: number, tools: number): string {
  return `${counted(models, "model call")}, ${counted(tools, "tool call")}`;
}

function tokenWords(of: Buckets): string {
  if (inputOf(of) === null && outputOf(of) === null) return `tokens: ${NOT_RECORDED}`;
  const cached = cacheWords(of);
  return `${tokenFlow(of)} tokens${cached === "" ? "" : ` (in: ${cached})`}`;
}

function resultFacts(result: Entry): (string | null)[] {
  const ms = number(result, "ms");
  const first = number(result, "ttftMs");
  const reasoning = number(result, "reasoning");
  const finish = token(result, "finish");
  return [
    tokenWords({
      in: number(result, "in"),
      cacheRead: number(result, "cacheRead"),
      cacheWrite: number(result, "cacheWrite"),
      out: number(result, "out"),
      reasoning,
    }),
    reasoning === null ? null : `${tokens(reasoning)} of it reasoning`,
    ms === null ? `latency: ${NOT_RECORDED}` : duration(ms),
    first === null ? null : `first token ${duration(first)}`,
    finish === null ? null : `finish ${finish}`,
  ];
}

function ModelHead({ call, result, row }: { call: Entry; result: Entry | null; row: FlowRow }): ReactNode {
  const asked = token(call, "model");
  const served = result === null ? null : token(result, "model");
  const attempt = number(call, "attempt");
  const model = asked ?? served ?? `model: ${NOT_RECORDED}`;
  return (
    <>
      <Head
        title={served !== null && served !== asked && asked !== null ? `${asked} → ${served}` : model}
        facts={[
          token(call, "role"),
          attempt !== null && attempt > 1 ? `attempt ${attempt}` : null,
          ...(result === null ? [] : resultFacts(result)),
        ]}
      />
      {result === null ? <Pending row={row} /> : <Status entry={result} />}
    </>
  );
}

function ModelReply({ result }: { result: Entry }): ReactNode {
  const asked = requestedOf(result);
  return (
    <>
      {asked.length > 0 && (
        <span className={s.fact}>
          asks for <RecordedText text={asked.join(", ")} />
        </span>
      )}
      <Said entry={result} />
    </>
  );
}

function toolFacts(result: Entry): (string | null)[] {
  const ms = number(result, "ms");
  return [ms === null ? `latency: ${NOT_RECORDED}` : duration(ms)];
}

function ToolLine({ call, result, row }: { call: Entry; result: Entry | null; row: FlowRow }): ReactNode {
  const isRefused = token(call, "validated") === "0";
  return (
    <>
      <Head title={token(call, "tool") ?? "a tool"} facts={result === null ? [] : toolFacts(result)} />
      {isRefused && (
        <Badge tone="warn" icon="warning" title="The supplied text did not become valid arguments.">
          not validated
        </Badge>
      )}
      {result === null ? <Pending row={row} /> : <Status entry={result} />}
      <Said entry={call} lead={isRefused ? "supplied" : "with"} />
      {result !== null && <Said entry={result} lead="→" />}
    </>
  );
}

const OTHER_TONE: Readonly<Record<string, Tone>> = {
  deny: "bad",
  flag: "warn",
  denied: "bad",
  expired: "warn",
  granted: "good",
  requested: "active",
  fail: "bad",
  warn: "warn",
  pass: "good",
  exhausted: "bad",
  failed: "bad",
  delivered: "good",
  sending: "active",
};

/** What stands in a row of its own: type → [title, word of the badge, facts]. */
function otherWords(row: FlowRow): readonly [string, string | null, readonly Fact[]] {
  const [entry] = row.entries;
  const say = (key: string, words: (value: string) => string): string | null => {
    const value = token(entry, key);
    return value === null ? null : words(value);
  };
  switch (entry.type) {
    case "PROMPT":
      return [
        "prompt snapshot",
        null,
        [
          token(entry, "role"),
          say("chars", (n) => `${count(Number(n))} characters`),
          say("tools", (n) => counted(Number(n), "tool")),
        ],
      ];
    case "GUARD":
      return [`guard ${token(entry, "guard") ?? ""}`, token(entry, "decision"), [token(entry, "stage")]];
    case "APPROVAL":
      return ["approval", token(entry, "decision"), [reference(row, "subject", "of", "a step")]];
    case "MEMORY_WRITE":
      return ["memory", token(entry, "op"), [say("revision", (n) => `revision ${n}`)]];
    case "PROGRESS":
      return ["progress", null, [token(entry, "kind")]];
    case "VERIFY":
      return [`check ${token(entry, "check") ?? ""}`, token(entry, "verdict"), []];
    case "SUPERSEDED":
      return ["superseded", null, [say("by", (id) => `by turn ${id.slice(0, 18)}`)]];
    case "BUDGET":
      return [
        `budget of ${token(entry, "budget") ?? "?"}`,
        token(entry, "outcome"),
        [
          `${say("used", (n) => count(Number(n))) ?? "?"} used of ${say("limit", (n) => count(Number(n))) ?? "?"}`,
        ],
      ];
    case "SHED":
      return [
        "trigger shed",
        token(entry, "reason")?.replaceAll("_", " ") ?? null,
        [
          reference(row, "message", "message", ""),
          say("ageMs", (n) => `age ${duration(Number(n))}`),
          say("staleMs", (n) => `bound ${duration(Number(n))}`),
          say("depth", (n) => `${count(Number(n))} waited`),
          say("collapsed", (n) => `with ${counted(Number(n), "collapsed message")}`),
        ],
      ];
    case "COLLAPSED":
      return [
        "collapsed",
        null,
        [reference(row, "message", "message", ""), reference(row, "into", "into", "a message")],
      ];
    case "DELIVERY":
      return [
        "delivery",
        token(entry, "status"),
        [reference(row, "message", "of", "a message"), say("attempt", (n) => `attempt ${n}`)],
      ];
    case "VERDICT":
      return [
        "verdict",
        token(entry, "verdict"),
        [reference(row, "message", "of", "a message"), say("by", (who) => `by ${who}`)],
      ];
    case "LATE":
      return ["late evidence", null, [token(entry, "type"), reference(row, "call", "of", "a step")]];
    case "ERROR":
      return ["error", null, [token(entry, "stage"), token(entry, "class")]];
    case "OPENED":
      return ["conversation opened", null, []];
    case "PRUNED":
    case "ERASED":
      return [
        `bodies ${entry.type.toLowerCase()}`,
        null,
        [say("bodies", (n) => counted(Number(n), "body", "bodies")), token(entry, "reason")],
      ];
    default:
      return [entry.type.toLowerCase().replaceAll("_", " "), null, []];
  }
}

/** Since when an approval is waited for, and how it is given: by the agent's program, never by the console. */
function WaitsFor({ row }: { row: FlowRow }): ReactNode {
  const [entry] = row.entries;
  if (row.turn?.status !== "waiting") return null;
  return (
    <span className={s.fact}>
      waits since <Time at={entry.createdAt} digits={0} hasZone /> (<Ago at={entry.createdAt} />
      ); whoever runs the agent answers it: <code>agent.resume(&quot;{row.turn.id}&quot;)</code>, then{" "}
      <code>approval.decide(&quot;granted&quot; or &quot;denied&quot;, by=…)</code>
    </span>
  );
}

function OtherLine({ row, names }: LineProps): ReactNode {
  const [entry] = row.entries;
  const [title, word, facts] = otherWords(row);
  const named = ["entry", "by", "actor"]
    .map((key) => names.get(entry.tokens[key] ?? ""))
    .find((name) => name !== undefined);
  return (
    <>
      <Head title={title} />
      {word !== null && (
        <Badge tone={OTHER_TONE[word] ?? "idle"} icon={OTHER_TONE[word] === "bad" ? "cross" : "dot"}>
          {word}
        </Badge>
      )}
      <Head
        title=""
        facts={[...facts, named === undefined ? null : entry.type === "APPROVAL" ? `by ${named}` : named]}
      />
      {entry.type !== "OPENED" && <Said entry={entry} />}
      {entry.type === "APPROVAL" && word === "requested" && <WaitsFor row={row} />}
    </>
  );
}
