// Bytes inside JSON files; mirrors turnledger.wire.file_json.
import { GrammarError } from "./commitment";
import { isObject, type JsonValue } from "./strictJson";

const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;
const encoder = new TextEncoder();

/** The bytes of text, or of `{"base64": …}`.  Throws GrammarError for any other form. */
export function bytesFromJson(value: JsonValue | undefined, what: string): Uint8Array {
  if (typeof value === "string") {
    if (!value.isWellFormed()) throw new GrammarError(`${what} is text with half of a surrogate pair.`);
    return encoder.encode(value);
  }
  if (isObject(value) && Object.keys(value).length === 1 && "base64" in value) {
    return fromBase64(value["base64"], what);
  }
  throw new GrammarError(`${what} is neither text nor an object with the one key base64.`);
}

/** The bytes of strict standard base64 text.  Throws GrammarError for anything else. */
export function fromBase64(value: JsonValue | undefined, what: string): Uint8Array {
  if (typeof value !== "string" || !BASE64.test(value))
    throw new GrammarError(`${what} is not valid base64.`);
  const binary = atob(value);
  const bytes = new Uint8Array(binary.length);
  for (let at = 0; at < binary.length; at += 1) bytes[at] = binary.charCodeAt(at);
  return bytes;
}
