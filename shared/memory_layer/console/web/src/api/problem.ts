// Problems, by where they lie: a refusal of the API (RFC 9457) with the id under which the server's log has it, an answer
// that cannot be read, no answer at all, or a fault of this page. Each says what happened and what to do.

import type { components } from "./schema.d.ts";

export type ProblemDocument = components["schemas"]["Problem"];

export class ApiProblem extends Error {
  private constructor(
    /** Status of the answer; 0: there is none. */
    readonly status: number,
    readonly title: string,
    readonly detail: string,
    readonly requestId: string | null = null,
    readonly document: ProblemDocument | null = null,
  ) {
    super(detail);
  }

  static of(
    status: number,
    path: string,
    document: ProblemDocument | null,
    requestId: string | null = null,
  ): ApiProblem {
    const title = document?.title ?? "The server answered with an error";
    const detail = document?.detail ?? `${path} was answered with ${status}`;
    return new ApiProblem(status, title, detail, document?.request_id ?? requestId, document);
  }

  /** The server has answered, in no way that this page can read. */
  static unreadable(status: number, path: string, requestId: string | null): ApiProblem {
    const detail = `${path} was answered with ${status}, but not in JSON. A proxy may have answered, or a newer server: load the page anew.`;
    return new ApiProblem(status, "The answer cannot be read", detail, requestId);
  }

  /** No answer has come, or not all of it. */
  static unreachable(path: string): ApiProblem {
    if (!navigator.onLine) {
      return new ApiProblem(
        0,
        "This device is offline",
        `${path} was not asked. Try again once it is online.`,
      );
    }
    const detail = `${path} was not answered; is the server running? Try again when it is.`;
    return new ApiProblem(0, "The server is out of reach", detail);
  }

  /** A part of this page has not come, or not started. */
  static notLoaded(page: string, error: unknown): ApiProblem {
    const detail = `Its part "${page}" says: ${wordsOf(error)}. The server may be down, or newer than this page: load the page anew.`;
    return new ApiProblem(0, "The page did not load", detail);
  }

  /** This page did something wrong; no server said so. */
  static ofPage(error: unknown): ApiProblem {
    const detail = `${wordsOf(error)}. The server did not say this: load the page anew, and report these words if they come again.`;
    return new ApiProblem(0, "This page has a fault", detail);
  }

  /** Somebody has changed the record since it was read. */
  get isStale(): boolean {
    return this.status === 412;
  }

  get code(): string {
    return this.document?.type.split(":").pop() ?? "";
  }
}

function wordsOf(error: unknown): string {
  return error instanceof Error ? `${error.name}: ${error.message}` : String(error);
}

export function asProblem(error: unknown): ApiProblem {
  return error instanceof ApiProblem ? error : ApiProblem.ofPage(error);
}
