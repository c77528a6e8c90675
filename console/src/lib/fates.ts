const WORDS: Readonly<Record<string, string>> = {
  ignore: "ignored",
  observe: "observed",
  defer: "deferred",
  engage: "engaged",
};

/** What became of a message, as the balance names it; a verdict stands for itself there. */
export function fateWord(fate: string): string {
  return WORDS[fate] ?? fate;
}
