import { createStore } from "./store";

export interface Toast {
  readonly id: number;
  readonly text: string;
  readonly tone: "plain" | "bad";
}

const LASTING_MS = 5000;
let last = 0;

export const toasts = createStore<readonly Toast[]>([]);

/** Say something in the polite live region, for five seconds.  `text` is shown as it is. */
export function say(text: string, tone: Toast["tone"] = "plain"): void {
  last += 1;
  const toast: Toast = { id: last, text, tone };
  toasts.set([...toasts.get().slice(-2), toast]);
  setTimeout(() => {
    toasts.set(toasts.get().filter((one) => one.id !== toast.id));
  }, LASTING_MS);
}

/** Copy text and say so. */
export async function copyText(text: string, what: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(text);
    say(`Copied ${what}.`);
  } catch {
    // The clipboard is closed to pages on plain http; a selection still can be copied there.
    if (copyBySelection(text)) say(`Copied ${what}.`);
    else say(`This browser did not let the page copy ${what}.`, "bad");
  }
}

function copyBySelection(text: string): boolean {
  const field = document.createElement("textarea");
  field.value = text;
  field.className = "visually-hidden";
  document.body.append(field);
  field.select();
  // eslint-disable-next-line @typescript-eslint/no-deprecated -- the only way without a secure context
  const copied = document.execCommand("copy");
  field.remove();
  return copied;
}
