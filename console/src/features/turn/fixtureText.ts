/**
 * A fixture's text with this browser's verdict in its `chain` block, every other character as the server wrote
 * it: a number that a double does not hold passes through untouched.
 */
export function withVerdict(text: string, verified: boolean | null): string {
  const end = text.indexOf('"events"');
  const head = end < 0 ? text : text.slice(0, end);
  return head.replace(/("clientVerified"\s*:\s*)null/, `$1${String(verified)}`) + text.slice(head.length);
}
