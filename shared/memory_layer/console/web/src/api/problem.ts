// Refusals of the API (RFC 9457): what happened, what to do, and the id under which the server's log has it.

import type { components } from "./schema.d.ts";

export type ProblemDocument = components["schemas"]["Problem"];

export class ApiProblem extends Error {
  private constructor(
    readonly status: number,
    readonly title: string,
    readonly detail: string,
    readonly requestId: string | null,
    readonly document: ProblemDocument | null,
  ) {
    super(detail);
  }

  static of(status: number, path: string, document: ProblemDocument | null): ApiProblem {
    const title = document?.title ?? "The server answered with an error";
    const detail = document?.detail ?? `${path} was answered with ${status}`;
    return new ApiProblem(status, title, detail, document?.request_id ?? null, document);
  }

  static unreachable(path: string): ApiProblem {
    const detail = `${path} was not answered; is the server running? Try again when it is.`;
    return new ApiProblem(0, "The server is out of reach", detail, null, null);
  }

  /** Somebody has changed the record since it was read. */
  get isStale(): boolean {
    return this.status === 412;
  }

  get code(): string {
    return this.document?.type.split(":").pop() ?? "";
  }
}

export function asProblem(error: unknown): ApiProblem {
  return error instanceof ApiProblem ? error : ApiProblem.unreachable(String(error));
}
