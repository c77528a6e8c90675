import type { Problem } from "../../api/problem";
import type { Form, Row } from "./lines";

/** Where a body comes from: an address of the API, or text that is at hand. */
export type BodySource = { readonly path: string; readonly size: number } | { readonly text: string };

export type Asked =
  | { op: "open"; id: number; url: string; size: number; asText: boolean }
  | { op: "show"; id: number; text: string; asText: boolean }
  | { op: "rows"; id: number; call: number; lines: readonly number[] }
  | { op: "find"; id: number; call: number; text: string; from: number }
  | { op: "copy"; id: number; call: number }
  | { op: "close"; id: number };

export interface Opened {
  readonly form: Form;
  readonly lines: number;
  /** Bytes that are held; fewer than the body's size where it is larger than what a page may hold. */
  readonly held: number;
  readonly size: number;
  /** Line and the last line that it hides, for what is folded at first. */
  readonly folded: readonly (readonly [number, number])[];
}

export type Told =
  | { op: "progress"; id: number; received: number; size: number }
  | { op: "opened"; id: number; opened: Opened }
  | { op: "failed"; id: number; problem: Problem | null; status: number }
  | { op: "rows"; id: number; call: number; rows: readonly Row[] }
  | { op: "found"; id: number; call: number; line: number; match: number }
  | { op: "copied"; id: number; call: number; text: string };
