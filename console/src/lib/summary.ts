// Tokens of a summary (contract, section 4): the same lenient reading as the server's.
const KEY = /^[a-z][A-Za-z0-9]{0,31}$/;

/** Decoded tokens of a summary, in order; words that are no token are passed over. */
export function parseSummary(summary: string): Map<string, string> {
  const tokens = new Map<string, string>();
  for (const word of summary.split(" ")) {
    const cut = word.indexOf("=");
    if (cut <= 0) continue;
    const key = word.slice(0, cut);
    if (KEY.test(key) && !tokens.has(key)) tokens.set(key, unquote(word.slice(cut + 1)));
  }
  return tokens;
}

/** Percent-decoding that never fails: an escape that is none stays, bytes that are no UTF-8 become U+FFFD. */
export function unquote(text: string): string {
  if (!text.includes("%")) return text;
  return text.replace(/(?:%[0-9A-Fa-f]{2})+/g, (run) => {
    const octets = Uint8Array.from(run.slice(1).split("%"), (pair) => Number.parseInt(pair, 16));
    return new TextDecoder("utf-8", { ignoreBOM: true }).decode(octets);
  });
}
