const KEY = "turnledger.reloaded";
const APART_MS = 20_000;

/** After an upgrade of the server an open page asks for files that are gone: load the page anew, once. */
export function reloadWhenOutdated(): void {
  window.addEventListener("vite:preloadError", (event) => {
    const last = Number(sessionStorage.getItem(KEY) ?? "0");
    if (Date.now() - last < APART_MS) return;
    sessionStorage.setItem(KEY, String(Date.now()));
    event.preventDefault();
    window.location.reload();
  });
}
