// What the palette leads to without asking the server: pages, lists that answer a question, switches.
import { changeSettings } from "../../lib/settings";
import { copyText } from "../../lib/toasts";

export const PAGES = [
  ["/", "Conversations"],
  ["/agents", "Agents"],
  ["/actors", "Actors"],
  ["/balance", "Balance"],
  ["/memory", "Memory"],
  ["/search", "Search"],
  ["/integrity", "Integrity"],
  ["/settings", "Settings"],
] as const;

export interface Command {
  readonly key: string;
  readonly word: string;
  readonly hint: string;
  /** Other words that people would type for it. */
  readonly also?: string;
  readonly run: () => void;
}

export type Go = (to: string, search?: Record<string, string>) => void;

const ALSO: Readonly<Record<string, string>> = {
  "/": "inbox messages list home",
  "/agents": "overview cost tokens latency plots tools models",
  "/actors": "people users who",
  "/balance": "shed failures unanswered deliveries dropped owed",
  "/memory": "remembered entries",
  "/search": "find text",
  "/integrity": "verify proof chain checkpoint trust tamper broken",
  "/settings": "tokens operators retention people access scopes",
};

type Place = readonly [word: string, to: string, search: Record<string, string>, also: string];

const PLACES: readonly Place[] = [
  ["Turn inspector", "/agents/turns", {}, "turn id event"],
  ["Open a fixture or journal file", "/agents/turns", {}, "verify file upload export bundle"],
  ["Conversations that owe a reply", "/", { status: "owes" }, "why not answered unanswered silent shed"],
  ["Conversations that failed", "/", { status: "failed" }, "error broken problem"],
  ["Conversations that wait for an approval", "/", { status: "waiting" }, "approve decision"],
  ["Conversations that are open", "/", { status: "open" }, "running live now"],
  ["Verify everything", "/integrity", {}, "check proof whole ledger"],
  ["Make a token", "/settings", {}, "new credential api key capture"],
  ["Let somebody in", "/settings", {}, "new operator person login"],
];

type Switch = readonly [word: string, hint: string, also: string, run: () => void];

const SWITCHES: readonly Switch[] = [
  [
    "Copy the link to this page",
    "copy",
    "share url address",
    () => void copyText(window.location.href, "the link"),
  ],
  [
    "Light colours",
    "colours",
    "theme bright day",
    () => {
      changeSettings({ theme: "light" });
    },
  ],
  [
    "Dark colours",
    "colours",
    "theme night",
    () => {
      changeSettings({ theme: "dark" });
    },
  ],
  [
    "Colours of the system",
    "colours",
    "theme",
    () => {
      changeSettings({ theme: "system" });
    },
  ],
  [
    "Times in UTC",
    "time",
    "zone clock",
    () => {
      changeSettings({ zone: "utc" });
    },
  ],
  [
    "Times in local time",
    "time",
    "zone clock",
    () => {
      changeSettings({ zone: "local" });
    },
  ],
];

export function commandsOf(go: Go): Command[] {
  return [
    ...PAGES.map(([to, word]) => ({
      key: word,
      word,
      hint: "page",
      also: ALSO[to] ?? "",
      run: () => {
        go(to);
      },
    })),
    ...PLACES.map(([word, to, search, also]) => ({
      key: word,
      word,
      hint: "go to",
      also,
      run: () => {
        go(to, search);
      },
    })),
    ...SWITCHES.map(([word, hint, also, run]) => ({ key: word, word, hint, also, run })),
  ];
}

/** Those in which each word that was typed begins a word, or stands in their name; their names go first. */
export function matching(commands: readonly Command[], typed: string): Command[] {
  const words = typed.toLowerCase().split(/\s+/).filter(Boolean);
  const named = (one: Command): boolean => words.every((word) => one.word.toLowerCase().includes(word));
  const meant = (one: Command): boolean => {
    const all = `${one.word} ${one.hint} ${one.also ?? ""}`.toLowerCase().split(/\s+/);
    return words.every((word) => all.some((other) => other.startsWith(word)));
  };
  return [...commands.filter(named), ...commands.filter((one) => !named(one) && meant(one))];
}
