/** The code in what somebody pasted: a whole login link, or the code alone; null for anything else. */
export function codeIn(text: string): string | null {
  const trimmed = text.trim();
  const code = trimmed.includes("#") ? trimmed.slice(trimmed.indexOf("#") + 1) : trimmed;
  return /^[A-Za-z0-9_.~-]{8,200}$/.test(code) ? code : null;
}

/** The code of the login link that this page was opened with; it stands behind the hash, which no server sees. */
export function codeOfLink(): string | null {
  return window.location.pathname.endsWith("/login") ? codeIn(window.location.hash) : null;
}
