const KEY = "turnledger.reloaded";
const APART_MS = 20_000;

/**
 * After an upgrade of the server an open page asks for files that are gone: load the page anew, once.
 * Where the server is gone with them, the page is all there is, and stays.
 */
export function reloadWhenOutdated(answers: () => Promise<boolean>): void {
  window.addEventListener("vite:preloadError", () => {
    const last = Number(sessionStorage.getItem(KEY) ?? "0");
    if (Date.now() - last < APART_MS) return;
    void answers().then((is) => {
      if (!is) return;
      sessionStorage.setItem(KEY, String(Date.now()));
      window.location.reload();
    });
  });
}
