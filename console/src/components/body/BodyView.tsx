import { useVirtualizer } from "@tanstack/react-virtual";
import { type FormEvent, type ReactNode, useEffect, useMemo, useRef, useState } from "react";

import { address } from "../../api/paths";
import type { ApiError } from "../../api/problem";
import { bytes, count } from "../../lib/format";
import { copyText, say } from "../../lib/toasts";
import { Button, buttonClass, Failure, Icon, Loading } from "../ui";
import s from "./body.module.css";
import { BodyRow } from "./BodyRow";
import { Folds } from "./folds";
import type { Row } from "./lines";
import { OpenBody } from "./open";
import type { BodySource, Opened } from "./protocol";

export interface BodyViewProps {
  source: BodySource;
  /** Name of the body for screen readers and messages: `the request of event 3`. */
  label: string;
  /** File name for the download; none: no download. */
  fileName?: string;
}

// An element can be some 30 million pixels high; beyond this many rows they come in parts.
const PART = 300_000;
const ROW = 24;
const COPY_LIMIT = 20_000_000;

type Load =
  { opened: Opened; body: OpenBody } | { error: ApiError } | { received: number; size: number } | null;

/** A body of any size and kind: JSON to fold and search in, text, or bytes.  All of it is shown as it was recorded. */
export function BodyView({ source, label, fileName }: BodyViewProps): ReactNode {
  const [asText, setAsText] = useState(false);
  const [attempt, setAttempt] = useState(0);
  const [load, setLoad] = useState<Load>(null);
  const key = "path" in source ? source.path : source.text;
  const size = "path" in source ? source.size : -1;
  useEffect(() => {
    const from: BodySource = size >= 0 ? { path: key, size } : { text: key };
    const body = new OpenBody(from, asText, {
      onProgress: (received, whole) => {
        setLoad({ received, size: whole });
      },
      onOpened: (opened) => {
        setLoad({ opened, body });
      },
      onFailed: (error) => {
        setLoad({ error });
      },
    });
    return () => {
      body.close();
    };
  }, [key, size, asText, attempt]);
  const again = (): void => {
    setLoad(null);
    setAttempt(attempt + 1);
  };
  if (load === null) return <Loading what={label} />;
  if ("error" in load) return <Failure error={load.error} what={label} onRetry={again} />;
  if ("received" in load)
    return <Loading what={`${label}: ${bytes(load.received)} of ${bytes(load.size)}`} />;
  const download =
    "path" in source && fileName !== undefined ? { href: address(source.path), fileName } : null;
  return (
    <Shown
      key={`${key.slice(0, 200)}${String(asText)}`}
      {...load}
      label={label}
      download={download}
      asText={asText}
      onAsText={() => {
        setLoad(null);
        setAsText(!asText);
      }}
    />
  );
}

interface ShownProps {
  opened: Opened;
  body: OpenBody;
  label: string;
  download: { href: string; fileName: string } | null;
  asText: boolean;
  onAsText: () => void;
}

function Shown({ opened, body, label, download, asText, onAsText }: ShownProps): ReactNode {
  const [folded, setFolded] = useState<ReadonlyMap<number, number>>(() => new Map(opened.folded));
  const [part, setPart] = useState(0);
  const [found, setFound] = useState(-1);
  const folds = useMemo(() => new Folds(opened.lines, folded), [opened.lines, folded]);
  const scroller = useRef<HTMLDivElement>(null);
  const first = part * PART;
  const virtual = useVirtualizer({
    count: Math.max(0, Math.min(PART, folds.rows - first)),
    getScrollElement: () => scroller.current,
    estimateSize: () => ROW,
    overscan: 10,
  });
  const shown = virtual.getVirtualItems();
  const lines = shown.map((item) => folds.lineOf(first + item.index));
  const rows = useRows(body, lines);
  const toggle = (row: Row): void => {
    const next = new Map(folded);
    if (!next.delete(row.line)) next.set(row.line, row.match);
    setFolded(next);
  };
  const find = async (text: string): Promise<void> => {
    const line = await body.find(text, found + 1);
    setFound(line);
    if (line < 0) {
      say(`“${text.slice(0, 40)}” is not in ${label}.`);
      return;
    }
    const next = new Map([...folded].filter(([head, until]) => line <= head || line > until));
    setFolded(next);
    const row = new Folds(opened.lines, next).rowOf(line);
    setPart(Math.floor(row / PART));
    requestAnimationFrame(() => {
      virtual.scrollToIndex(row % PART, { align: "center" });
    });
  };
  const copy = async (): Promise<void> => {
    await copyText(await body.text(), label);
  };
  return (
    <div className={s.body}>
      <div className={s.bar}>
        <span>
          {bytes(opened.size)}
          {opened.form === "binary" ? " of bytes" : ` of ${opened.form === "json" ? "JSON" : "text"}`}
          {opened.held < opened.size && `, the first ${bytes(opened.held)} shown`}
        </span>
        {(opened.form === "json" || asText) && (
          <Button small look="quiet" aria-pressed={asText} onClick={onAsText}>
            as it was sent
          </Button>
        )}
        {opened.held <= COPY_LIMIT && (
          <Button small look="quiet" onClick={() => void copy()} aria-label={`Copy ${label}`}>
            <Icon name="copy" size={12} /> Copy
          </Button>
        )}
        {download !== null && (
          <a className={s.download} href={download.href} download={download.fileName}>
            <Icon name="down" size={12} /> Download
          </a>
        )}
        {opened.lines > 20 && <Find onFind={find} />}
      </div>
      <div ref={scroller} className={s.scroller} tabIndex={0} role="group" aria-label={label}>
        <div className={s.inner} style={{ height: virtual.getTotalSize() }}>
          {shown.map((item, place) => (
            <div
              key={item.key}
              ref={virtual.measureElement}
              data-index={item.index}
              className={s.line}
              data-found={lines[place] === found || undefined}
              style={{ transform: `translateY(${item.start}px)` }}
            >
              <BodyRow
                row={rows.get(lines[place] ?? -1)}
                isFolded={folded.has(lines[place] ?? -1)}
                onToggle={toggle}
              />
            </div>
          ))}
        </div>
      </div>
      {folds.rows > PART && (
        <div className={s.bar}>
          <Button
            small
            disabled={part === 0}
            onClick={() => {
              setPart(part - 1);
            }}
          >
            Before
          </Button>
          <span>
            rows {count(first + 1)} to {count(Math.min(first + PART, folds.rows))} of {count(folds.rows)}
          </span>
          <Button
            small
            disabled={first + PART >= folds.rows}
            onClick={() => {
              setPart(part + 1);
            }}
          >
            Behind
          </Button>
        </div>
      )}
    </div>
  );
}

/** The rows of lines that are in view, asked from the worker; those shown before stay until theirs come. */
function useRows(body: OpenBody, lines: readonly number[]): ReadonlyMap<number, Row> {
  const [rows, setRows] = useState<ReadonlyMap<number, Row>>(new Map());
  const wanted = lines.join(",");
  useEffect(() => {
    let isCurrent = true;
    const numbers = wanted === "" ? [] : wanted.split(",").map(Number);
    void body.rows(numbers).then((found) => {
      if (isCurrent) setRows(new Map(found.map((row) => [row.line, row])));
    });
    return () => {
      isCurrent = false;
    };
  }, [body, wanted]);
  return rows;
}

function Find({ onFind }: { onFind: (text: string) => Promise<void> }): ReactNode {
  const [text, setText] = useState("");
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (text !== "") void onFind(text);
  };
  return (
    <form className={s.find} onSubmit={submit} role="search">
      <input
        aria-label="Find in this body"
        placeholder="Find"
        value={text}
        onChange={(event) => {
          setText(event.target.value);
        }}
      />
      <button type="submit" className={buttonClass}>
        Next
      </button>
    </form>
  );
}
