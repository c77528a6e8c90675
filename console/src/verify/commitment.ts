// Payload commitments: salted ones for bodies of a ledger, plain hashes for journals made elsewhere; mirrors
// turnledger.wire.commitment.  Golden values: vectors/commitment.json.
import { hmacHex, sha256Hex } from "./sha256";

const DOMAIN = new TextEncoder().encode("turnledger/payload/v1\n");
export const SALT_BYTES = 32;

/** The payload hash of an event that has no payload: SHA-256 of nothing. */
export const NO_PAYLOAD = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";

/** A value that is not in the form of the format. */
export class GrammarError extends Error {}

/** Hex HMAC-SHA-256(salt, "turnledger/payload/v1" LF data).  Throws GrammarError for a salt that is not 32 bytes. */
export function payloadHash(data: Uint8Array, salt: Uint8Array): string {
  if (salt.length !== SALT_BYTES) throw new GrammarError(`A salt has 32 bytes, this one ${salt.length}.`);
  return hmacHex(salt, [DOMAIN, data]);
}

/** Whether `digest` (hex) is the commitment of `data`; salt null means plain SHA-256. */
export function bodyMatches(digest: string, data: Uint8Array, salt: Uint8Array | null): boolean {
  return (salt === null ? sha256Hex(data) : payloadHash(data, salt)) === digest;
}
