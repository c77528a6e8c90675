/** What is shown in place of an outside name that was erased on request. */
export const ERASED = "name erased";

export function outsideName(name: string | null): string {
  return name ?? ERASED;
}
