// Words of memories that a page names by their ids: each is read once, and again where it has another version.

import { signal } from "@preact/signals";
import { get } from "../../api/client.ts";

export interface NamedMemory {
  readonly project: string;
  readonly id: string;
  /** Its newest, where the page knows it. */
  readonly version?: number | undefined;
}

const AT_ONCE = 4;
const known = signal<ReadonlyMap<string, string>>(new Map());

export function wordsOf(memory: NamedMemory): string | undefined {
  return known.value.get(keyOf(memory));
}

/** Reads what is not known yet; one that cannot be read stays an id. Returns what ends the reading. */
export function readWords(memories: readonly NamedMemory[]): () => void {
  const stop = new AbortController();
  const wanted = new Map(memories.map((memory) => [keyOf(memory), memory]));
  const todo = [...wanted.values()].filter((memory) => !known.peek().has(keyOf(memory)));
  for (let reader = 0; reader < AT_ONCE; reader++) void readInTurn(todo, stop.signal);
  return () => stop.abort();
}

async function readInTurn(todo: NamedMemory[], signal: AbortSignal): Promise<void> {
  for (let one = todo.shift(); one !== undefined && !signal.aborted; one = todo.shift()) {
    try {
      const path = { project: one.project, id: one.id };
      const memory = await get("/v1/projects/{project}/memories/{id}", { path, signal });
      known.value = new Map([...known.value, [keyOf(one), memory.summary ?? memory.content]]);
    } catch {
      if (signal.aborted) return; // else it is gone or not for this caller: its id stands in its place
    }
  }
}

function keyOf({ project, id, version }: NamedMemory): string {
  return `${project} ${id} ${version ?? ""}`;
}
