// Words of memories that a page names by their ids: each is read once, and again where it has another version.

import { signal } from "@preact/signals";
import { get } from "../../api/client.ts";

export interface NamedMemory {
  readonly project: string;
  readonly id: string;
  /** Its newest, where the page knows it. */
  readonly version?: number | undefined;
  /** The words are those of `version`, whatever the newest says. */
  readonly isPast?: boolean;
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
      const memory = await read(one, signal);
      if (memory) known.value = new Map([...known.value, [keyOf(one), memory.summary ?? memory.content]]);
    } catch {
      if (signal.aborted) return; // else it is gone or not for this caller: its id stands in its place
    }
  }
}

async function read({ project, id, version, isPast }: NamedMemory, signal: AbortSignal) {
  const path = { project, id };
  const newest = await get("/v1/projects/{project}/memories/{id}", { path, signal });
  if (!isPast || newest.version === version) return newest;
  const { versions } = await get("/v1/projects/{project}/memories/{id}/history", { path, signal });
  return versions.find((one) => one.memory.id === id && one.memory.version === version)?.memory;
}

function keyOf({ project, id, version, isPast }: NamedMemory): string {
  return `${project} ${id} ${version ?? ""}${isPast ? " past" : ""}`;
}
