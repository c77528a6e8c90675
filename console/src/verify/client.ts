// The page's side of the verifying worker.
import { type CheckedJournal, unpacked } from "./check";
import type { CheckAsked, CheckTold } from "./worker";

let worker: Worker | null = null;
let lastCall = 0;
const waiting = new Map<number, (told: CheckTold) => void>();

/** The check could not be made: no verdict, which is not the verdict "altered". */
export class NotCheckedError extends Error {}

function theWorker(): Worker {
  if (worker === null) {
    worker = new Worker(new URL("./worker.ts", import.meta.url), { type: "module", name: "verify" });
    worker.onmessage = (event: MessageEvent<CheckTold>) => {
      waiting.get(event.data.call)?.(event.data);
      waiting.delete(event.data.call);
    };
    worker.onerror = () => {
      for (const [call, resolve] of waiting)
        resolve({ call, fault: "could not be checked: the worker failed" });
      waiting.clear();
      worker?.terminate();
      worker = null;
    };
  }
  return worker;
}

async function check(form: CheckAsked["form"], bytes: ArrayBuffer): Promise<readonly CheckedJournal[]> {
  lastCall += 1;
  const asked: CheckAsked = { call: lastCall, form, bytes };
  const told = await new Promise<CheckTold>((resolve) => {
    waiting.set(asked.call, resolve);
    theWorker().postMessage(asked, [bytes]);
  });
  if (told.journals === undefined) throw new NotCheckedError(told.fault ?? "could not be checked");
  return told.journals.map(unpacked);
}

/** Check the server's answer for one journal.  The bytes are given away.  Throws NotCheckedError. */
export async function verifyJournal(bytes: ArrayBuffer): Promise<CheckedJournal> {
  const [journal] = await check("journal", bytes);
  if (journal === undefined) throw new NotCheckedError("holds no journal");
  return journal;
}

/** Check a fixture or journal file from disk; nothing of it leaves this browser.  Throws NotCheckedError. */
export function verifyFile(bytes: ArrayBuffer): Promise<readonly CheckedJournal[]> {
  return check("file", bytes);
}
