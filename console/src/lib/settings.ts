import { createStore, useStore } from "./store";

export type ThemeChoice = "system" | "light" | "dark";
export type ZoneChoice = "local" | "utc";

/** What this browser remembers about how the console looks and listens. */
export interface Settings {
  readonly theme: ThemeChoice;
  readonly zone: ZoneChoice;
  /** Whether single letters are commands (WCAG 2.1.4: they can be switched off). */
  readonly letterKeys: boolean;
}

const KEY = "turnledger.settings";
const DEFAULTS: Settings = { theme: "system", zone: "local", letterKeys: true };

function remembered(): Settings {
  try {
    const kept: unknown = JSON.parse(localStorage.getItem(KEY) ?? "{}");
    if (typeof kept !== "object" || kept === null) return DEFAULTS;
    return {
      theme: "theme" in kept && (kept.theme === "light" || kept.theme === "dark") ? kept.theme : "system",
      zone: "zone" in kept && kept.zone === "utc" ? "utc" : "local",
      letterKeys: !("letterKeys" in kept && kept.letterKeys === false),
    };
  } catch {
    return DEFAULTS;
  }
}

export const settings = createStore<Settings>(remembered());

export function changeSettings(change: Partial<Settings>): void {
  const next = { ...settings.get(), ...change };
  settings.set(next);
  try {
    localStorage.setItem(KEY, JSON.stringify(next));
  } catch {
    // A browser that keeps nothing still applies it until the page is closed.
  }
}

export function useSettings(): Settings {
  return useStore(settings);
}

/** Apply the theme to the page, now and whenever it or the system's changes. */
export function followTheme(): void {
  const dark = window.matchMedia("(prefers-color-scheme: dark)");
  const apply = (): void => {
    const { theme } = settings.get();
    const chosen = theme === "system" ? (dark.matches ? "dark" : "light") : theme;
    document.documentElement.dataset["theme"] = chosen;
  };
  dark.addEventListener("change", apply);
  settings.subscribe(apply);
  apply();
}
