import type { components } from "./schema";

export type Problem = components["schemas"]["Problem"];

/** What the server answered instead of what was asked (RFC 9457), or that it did not answer (status 0). */
export class ApiError extends Error {
  readonly problem: Problem;

  constructor(problem: Problem) {
    super(problem.detail);
    this.name = "ApiError";
    this.problem = problem;
  }

  get status(): number {
    return this.problem.status;
  }

  /** Whether asking again may help without anybody doing anything. */
  get passing(): boolean {
    return this.status === 0 || this.status === 503 || this.status === 502 || this.status === 504;
  }

  /** Whether the session or the server may be gone, which is more than that this was not found. */
  get isDoubtful(): boolean {
    return this.status === 401 || this.passing;
  }
}

export function unreachable(): ApiError {
  return new ApiError({
    type: "unreachable",
    title: "The server does not answer",
    status: 0,
    detail: "The request did not get through: the server is stopped or the network is cut.",
    nextStep: "This page asks again by itself as soon as the server is back.",
  });
}

export function isProblem(value: unknown): value is Problem {
  return (
    typeof value === "object" &&
    value !== null &&
    "title" in value &&
    typeof value.title === "string" &&
    "status" in value &&
    typeof value.status === "number"
  );
}

/** The error of an answer that is no success; a proxy's page becomes a problem too. */
export function errorOf(status: number, body: unknown): ApiError {
  if (isProblem(body)) {
    return new ApiError({ ...body, detail: body.detail, nextStep: body.nextStep });
  }
  return unexpected(status, `Answer ${String(status)}`);
}

/** The error of an answer that says success and cannot be read. */
export function garbled(): ApiError {
  return unexpected(200, "The answer cannot be read");
}

function unexpected(status: number, title: string): ApiError {
  return new ApiError({
    type: "unexpected-answer",
    title,
    status,
    detail: "Something between this page and the server answered in another form than the server's.",
    nextStep: "Check the address, and a proxy in between.",
  });
}
