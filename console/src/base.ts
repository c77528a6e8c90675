// This module ends up in <prefix>/assets/, so its own address says below which prefix the console is served.
const own = import.meta.url;

/** Path of the console, with a slash at its end: `/`, or the prefix that a reverse proxy adds. */
export const BASE: string = import.meta.env.PROD ? prefixOf(own) : "/";

/** Path of the console whose script has the address `script` (`…/assets/name.js`). */
export function prefixOf(script: string): string {
  return new URL("..", script).pathname;
}
