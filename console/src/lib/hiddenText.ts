// Controls, bidi overrides and isolates, invisible characters, lone surrogates: what makes text look like another one.
const HIDDEN =
  // eslint-disable-next-line no-control-regex -- controls are what is looked for
  /([\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]|\p{Surrogate})/u;

/** Recorded text in parts: at even places what shows by itself, at odd ones a character that does not. */
export function hiddenParts(text: string): string[] {
  return text.split(HIDDEN);
}

/** The code of a character, such as `U+202E`. */
export function codeOf(character: string): string {
  return `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}`;
}

/** Recorded text where no element can stand (a title, a choice): what does not show by itself is its code. */
export function plainText(text: string): string {
  return hiddenParts(text)
    .map((part, place) => (place % 2 === 0 ? part : codeOf(part)))
    .join("");
}
