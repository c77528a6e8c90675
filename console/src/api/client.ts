import createClient from "openapi-fetch";

import { BASE } from "../base";
import { errorOf, garbled, unreachable } from "./problem";
import type { paths } from "./schema";

/** Address of the server below which the API's paths stand. */
export const SERVER = new URL(BASE, window.location.href).href.replace(/\/$/, "");

let csrfToken: string | null = null;

/** What a change asked for with the session's cookie must carry; the session's answer tells it. */
export function rememberCsrf(token: string | null): void {
  csrfToken = token;
}

const client = createClient<paths>({ baseUrl: SERVER, credentials: "same-origin" });

client.use({
  onRequest({ request }) {
    if (csrfToken !== null && request.method !== "GET") {
      request.headers.set("X-CSRF-Token", csrfToken);
    }
    return request;
  },
});

/** The typed client: `ask(api.GET("/api/agents"))`. */
export const api = client;

interface Answer<T> {
  data?: T;
  error?: unknown;
  response: Response;
}

/** What was asked for.  Throws ApiError for every other outcome. */
export async function ask<T>(asked: Promise<Answer<T>>): Promise<NonNullable<T>> {
  let answer: Answer<T>;
  try {
    answer = await asked;
  } catch (error) {
    if (error instanceof DOMException && error.name === "AbortError") throw error;
    throw error instanceof SyntaxError ? garbled() : unreachable();
  }
  if (!answer.response.ok) throw errorOf(answer.response.status, answer.error);
  return answer.data as NonNullable<T>;
}

/** Whether the server answers at all. */
export async function answers(): Promise<boolean> {
  try {
    return (await fetch(`${SERVER}/api/health`, { cache: "no-store" })).ok;
  } catch {
    return false;
  }
}

/** Bytes of an answer as they came, for what must not pass a number through a double.  Throws ApiError. */
export async function askBytes(path: string, signal?: AbortSignal): Promise<ArrayBuffer> {
  let response: Response;
  try {
    response = await fetch(SERVER + path, { credentials: "same-origin", ...(signal && { signal }) });
  } catch (error) {
    if (error instanceof DOMException && error.name === "AbortError") throw error;
    throw unreachable();
  }
  if (response.ok) return response.arrayBuffer();
  const body: unknown = await response.json().catch(() => null);
  throw errorOf(response.status, body);
}
