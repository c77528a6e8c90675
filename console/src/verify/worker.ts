// Parsing and hashing away from the page, so that a journal of any length does not hold it up.
import { checkFile, checkJournal, type PackedJournal } from "./check";

export interface CheckAsked {
  readonly call: number;
  readonly form: "journal" | "file";
  readonly bytes: ArrayBuffer;
}

export interface CheckTold {
  readonly call: number;
  readonly journals?: readonly PackedJournal[];
  /** Why it could not be read; completes "This file …". */
  readonly fault?: string;
}

onmessage = (event: MessageEvent<CheckAsked>): void => {
  const { call, form, bytes } = event.data;
  const data = new Uint8Array(bytes);
  let told: CheckTold;
  try {
    told = { call, journals: form === "journal" ? [checkJournal(data)] : checkFile(data) };
  } catch (error) {
    told = { call, fault: error instanceof Error ? error.message : "could not be read" };
  }
  const numbers = (told.journals ?? []).flatMap(({ events }) => [events.ends.buffer, events.seqs.buffer]);
  postMessage(told, { transfer: numbers });
};
