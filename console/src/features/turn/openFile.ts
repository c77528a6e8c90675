import type { CheckedJournal } from "../../verify/check";
import { verifyFile } from "../../verify/client";

/** A file from disk, as far as it could be read. */
export interface OpenedFile {
  readonly name: string;
  readonly journals: readonly CheckedJournal[];
  readonly fault: string | null;
}

/** Read and check a fixture or journal file; it never leaves this browser. */
export async function openFile(file: File): Promise<OpenedFile> {
  try {
    return { name: file.name, journals: await verifyFile(await file.arrayBuffer()), fault: null };
  } catch (error) {
    const fault = error instanceof Error ? error.message : "could not be read";
    return { name: file.name, journals: [], fault: `${file.name} ${fault}.` };
  }
}
