// Reading of one memory that may be gone.

import { get, type Memory } from "../../api/client.ts";
import { asProblem } from "../../api/problem.ts";

/** Reads a memory; null: it is gone. */
export async function readMemory(
  project: string,
  id: string,
  signal: AbortSignal | null = null,
): Promise<Memory | null> {
  try {
    return await get("/v1/projects/{project}/memories/{id}", { path: { project, id }, signal });
  } catch (error) {
    if (asProblem(error).status === 404) return null;
    throw error;
  }
}
