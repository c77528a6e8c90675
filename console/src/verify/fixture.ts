// `vegaduta.turn-fixture/1`: reading, the expected block, and the check; mirrors turnledger.wire.fixture and
// turnledger.integrity.fixture_check.  The file's `chain` block is a claim of the sender and plays no part.
import { parseSummary } from "../lib/summary";
import { ChainVerifier } from "./chain";
import { bodyMatches, GrammarError, NO_PAYLOAD } from "./commitment";
import { bytesFromJson, fromBase64 } from "./fileJson";
import { isObject, type JsonObject, type JsonValue, NotStrictError, parseStrict } from "./strictJson";
import type { BodyCount, ChainReport } from "./verdict";

export const FIXTURE_SCHEMA = "vegaduta.turn-fixture/1";

const KNOWN_KEYS = new Set([
  "schema",
  "exportedAt",
  "source",
  "chain",
  "events",
  "expected",
  "commitment",
  "salts",
  "bodies",
]);
const BODY_KEY = /^(0|[1-9][0-9]{0,9})\/(payload|supplied|attachment-(?:0|[1-9][0-9]{0,5}))$/;
const NUMBER = /^[0-9]{1,10}$/;

export interface Fixture {
  readonly exportedAt: JsonValue;
  readonly source: JsonObject;
  readonly chain: JsonObject;
  readonly events: readonly JsonValue[];
  readonly expected: JsonObject;
  /** null where the file has none: plain SHA-256. */
  readonly commitment: JsonValue;
  readonly salts: JsonObject;
  readonly bodies: JsonObject;
  /** Unknown keys of the top level. */
  readonly extra: readonly string[];
}

export interface Expected {
  readonly eventTypes: readonly (JsonValue | undefined)[];
  readonly toolSequence: readonly string[];
  readonly finalAnswerHash: JsonValue;
  readonly finalStatus: JsonValue;
}

/** The fixture in a file.  Throws NotStrictError where it is none, with the reason. */
export function readFixture(data: Uint8Array): Fixture {
  return fixtureOf(parseStrict(data));
}

export function fixtureOf(whole: JsonValue): Fixture {
  if (!isObject(whole) || whole["schema"] !== FIXTURE_SCHEMA) {
    throw new NotStrictError(`is no turn fixture: its schema is not ${FIXTURE_SCHEMA}`);
  }
  const events = whole["events"];
  if (!Array.isArray(events)) throw new NotStrictError("has no list of events");
  return {
    exportedAt: whole["exportedAt"] ?? null,
    source: block(whole, "source"),
    chain: block(whole, "chain"),
    events,
    expected: block(whole, "expected"),
    commitment: whole["commitment"] ?? null,
    salts: "salts" in whole ? block(whole, "salts") : {},
    bodies: "bodies" in whole ? block(whole, "bodies") : {},
    extra: Object.keys(whole).filter((key) => !KNOWN_KEYS.has(key)),
  };
}

function block(whole: JsonObject, key: string): JsonObject {
  const found = whole[key];
  if (!isObject(found)) throw new NotStrictError(`has no object '${key}'`);
  return found;
}

/**
 * What a replay has to reproduce.  `toolSequence` holds `<tool>|<payloadHash>` for each TOOL_CALL in the order
 * of the journal, except that calls which name their model result (`from`, `ordinal`) stand in the model's order.
 */
export function expectedBlock(events: readonly JsonValue[]): Expected {
  const types: (JsonValue | undefined)[] = [];
  const calls: [number, number, string][] = [];
  let answer: JsonValue = null;
  let status: JsonValue = null;
  events.forEach((event, place) => {
    const fields = isObject(event) ? event : {};
    const type = fields["type"];
    types.push(type);
    const summary = fields["summary"];
    const tokens = typeof summary === "string" ? parseSummary(summary) : new Map<string, string>();
    if (type === "TOOL_CALL") {
      const asked = tokens.get("from") ?? "";
      const ordinal = tokens.get("ordinal") ?? "";
      const isNamed = NUMBER.test(asked) && NUMBER.test(ordinal);
      const order: [number, number] = isNamed ? [Number(asked), Number(ordinal)] : [place, 0];
      calls.push([
        ...order,
        `${tokens.get("tool") ?? ""}|${textOrNull(fields["payloadHash"] ?? null) ?? "None"}`,
      ]);
    } else if (type === "COMMIT" || type === "ABORT") {
      answer = type === "COMMIT" ? (fields["payloadHash"] ?? null) : null;
      status = tokens.get("status") ?? null;
    }
  });
  calls.sort((left, right) => left[0] - right[0] || left[1] - right[1]);
  return {
    eventTypes: types,
    toolSequence: calls.map((call) => call[2]),
    finalAnswerHash: answer,
    finalStatus: status,
  };
}

/** The report on a fixture: grammar, chain, then the bodies it carries, then its expected block. */
export function verifyFixture(fixture: Fixture): ChainReport {
  const verifier = new ChainVerifier(fixture.source["turnId"], fixture.source["agentId"]);
  for (const event of fixture.events) verifier.feed(event);
  if (verifier.intact) checkBodies(fixture, verifier);
  if (verifier.intact && !expectedAgrees(fixture)) verifier.fail("expected-block", -1);
  if (fixture.extra.length > 0) verifier.warn("unhashed-fields-present");
  return verifier.report();
}

function expectedAgrees(fixture: Fixture): boolean {
  const computed = expectedBlock(fixture.events);
  const { expected } = fixture;
  return (
    sameList(expected["eventTypes"], computed.eventTypes) &&
    sameList(expected["toolSequence"], computed.toolSequence) &&
    expected["finalAnswerHash"] === computed.finalAnswerHash &&
    expected["finalStatus"] === computed.finalStatus
  );
}

function sameList(claimed: JsonValue | undefined, computed: readonly (JsonValue | undefined)[]): boolean {
  return (
    Array.isArray(claimed) &&
    claimed.length === computed.length &&
    claimed.every((value, place) => value === computed[place])
  );
}

function checkBodies(fixture: Fixture, verifier: ChainVerifier): void {
  if (![null, "sha256", "hmac-sha256"].includes(textOrNull(fixture.commitment))) {
    verifier.fail("commitment", -1);
    return;
  }
  for (const key of [...Object.keys(fixture.salts), ...Object.keys(fixture.bodies)]) {
    const match = BODY_KEY.exec(key);
    if (match === null || Number(match[1]) >= fixture.events.length) {
      verifier.fail("bodies-grammar", -1);
      return;
    }
  }
  const placed = Object.keys(fixture.bodies).map((key): [number, string] => [Number(key.split("/")[0]), key]);
  placed.sort((left, right) => left[0] - right[0]);
  for (const [place, key] of placed) {
    try {
      const proof = proofOf(fixture, key, fixture.events[place]);
      if (proof === null) verifier.warn("bodies-not-checked");
      else if (!bodyMatches(...proof)) {
        verifier.fail("payload", place);
        return;
      }
    } catch (error) {
      if (!(error instanceof GrammarError)) throw error;
      verifier.fail("bodies-grammar", place);
      return;
    }
  }
  if (placed.length > 0 && absentBodies(fixture) > 0) verifier.warn("bodies-not-checked");
}

/** Of an intact fixture, how many bodies were checked, and how many were not, among them the absent ones. */
export function countBodies(fixture: Fixture): BodyCount {
  const keys = Object.keys(fixture.bodies);
  const checked = keys.filter(
    (key) => proofOf(fixture, key, fixture.events[Number(key.split("/")[0])]) !== null,
  ).length;
  return { checked, notChecked: keys.length - checked + absentBodies(fixture) };
}

/** How many payloads were committed and are not in the file; what commits other slots is not in it either. */
function absentBodies({ bodies, events }: Fixture): number {
  return events.filter(
    (event, place) =>
      isObject(event) && event["payloadHash"] !== NO_PAYLOAD && !(`${place}/payload` in bodies),
  ).length;
}

/** What its event committed, the body, and its salt; null where nothing in a fixture tells. */
function proofOf(
  fixture: Fixture,
  key: string,
  event: JsonValue | undefined,
): [digest: string, data: Uint8Array, salt: Uint8Array | null] | null {
  const body = fixture.bodies[key];
  const salt = fixture.salts[key];
  const isMasked = isObject(body) && Object.keys(body).length === 1 && "masked" in body;
  // Slots besides the payload are committed in the detail record, which a fixture does not carry.
  if (isMasked || !key.endsWith("/payload") || !isObject(event)) return null;
  const digest = textOrNull(event["payloadHash"] ?? null) ?? "";
  const data = bytesFromJson(body, `Body ${key}`);
  const isPlain = fixture.commitment !== "hmac-sha256" || (salt === undefined && data.length === 0);
  if (isPlain) return [digest, data, null];
  return salt === undefined ? null : [digest, data, fromBase64(salt, `Salt ${key}`)];
}

function textOrNull(value: JsonValue): string | null {
  return value === null ? null : typeof value === "string" ? value : "";
}
