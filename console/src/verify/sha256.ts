// SHA-256 and HMAC: a bundled implementation, since WebCrypto is absent where a page came over plain http.
import { hmac } from "@noble/hashes/hmac.js";
import { sha256 } from "@noble/hashes/sha2.js";

const encoder = new TextEncoder();
const HEX = Array.from({ length: 256 }, (_, octet) => octet.toString(16).padStart(2, "0"));

/** Lower-case hex of bytes. */
export function toHex(bytes: Uint8Array): string {
  let text = "";
  for (const octet of bytes) text += HEX[octet] ?? "";
  return text;
}

/** Lower-case hex SHA-256 of bytes. */
export function sha256Hex(bytes: Uint8Array): string {
  return toHex(sha256(bytes));
}

/** Lower-case hex SHA-256 of text in UTF-8; a lone surrogate would be replaced, so check it before. */
export function sha256Text(text: string): string {
  return toHex(sha256(encoder.encode(text)));
}

/** Lower-case hex HMAC-SHA-256. */
export function hmacHex(key: Uint8Array, parts: readonly Uint8Array[]): string {
  const mac = hmac.create(sha256, key);
  for (const part of parts) mac.update(part);
  return toHex(mac.digest());
}
