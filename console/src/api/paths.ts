import { SERVER } from "./client";

/** Path of one body; `part` needs no scope besides view_bodies. */
export function bodyPath(agentId: string, eventId: string, slot: string): string {
  return `/api/agents/${agentId}/events/${eventId}/body/${encodeURIComponent(slot)}`;
}

export function journalPath(agentId: string, turnId: string): string {
  return `/api/agents/${agentId}/turns/${turnId}/journal`;
}

export function fixturePath(agentId: string, turnId: string): string {
  return `/api/agents/${agentId}/turns/${turnId}/fixture`;
}

/** The whole address of a path of the API, for links, downloads and the footer. */
export function address(path: string): string {
  return SERVER + path;
}

/** One event, whole, with its detail record as it was written. */
export function eventPath(agentId: string, eventId: string): string {
  return `/api/agents/${agentId}/events/${eventId}`;
}

export function turnPath(agentId: string, turnId: string): string {
  return `/api/agents/${agentId}/turns/${turnId}`;
}
