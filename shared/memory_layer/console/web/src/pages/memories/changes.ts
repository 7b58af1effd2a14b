// Changes of one memory, each with its way back. What somebody has changed meanwhile is told, and not overwritten.

import { call, etagOf, type Memory, type Schemas } from "../../api/client.ts";
import { asProblem } from "../../api/problem.ts";
import { toast, toastProblem } from "../../widgets/toast.tsx";

export type Undo = () => Promise<unknown>;
const MEMORY = "/v1/projects/{project}/memories/{id}";

/** What a change needs to know of a memory: which it is, and which version the person has seen. */
export type SeenMemory = Pick<Memory, "project" | "id" | "version">;

const pathOf = ({ project, id }: SeenMemory) => ({ project, id });

/** Undo of a change of status or approval, as long as nothing else has happened. */
function undoOf(memory: SeenMemory, etag: string | null): Undo {
  return () => call("post", `${MEMORY}/undo`, { path: pathOf(memory), body: {}, ifMatch: etag });
}

export async function archive(memory: SeenMemory): Promise<Undo> {
  const { etag } = await call("delete", MEMORY, { path: pathOf(memory), ifMatch: etagOf(memory) });
  return undoOf(memory, etag);
}

export async function approve(memory: SeenMemory): Promise<Undo> {
  const asked = { path: pathOf(memory), ifMatch: etagOf(memory) };
  const { etag } = await call("patch", `${MEMORY}/approve`, asked);
  return undoOf(memory, etag);
}

export async function reject(memory: SeenMemory): Promise<Undo> {
  const asked = { path: pathOf(memory), body: {}, ifMatch: etagOf(memory) };
  const { etag } = await call("patch", `${MEMORY}/reject`, asked);
  return undoOf(memory, etag);
}

export async function confirm(memory: SeenMemory): Promise<Undo> {
  const asked = { path: pathOf(memory), body: {}, ifMatch: etagOf(memory) };
  const { etag } = await call("post", `${MEMORY}/confirm`, asked);
  return undoOf(memory, etag);
}

export async function undoLast(memory: SeenMemory): Promise<Undo> {
  const asked = { path: pathOf(memory), body: {}, ifMatch: etagOf(memory) };
  const { etag } = await call("post", `${MEMORY}/undo`, asked);
  return undoOf(memory, etag);
}

/** Changes some fields; the way back sets them to what they were. */
export async function revise(
  memory: SeenMemory & Partial<Memory>,
  fields: Schemas["Revision"],
): Promise<Undo> {
  const { etag, status } = await call("patch", MEMORY, {
    path: pathOf(memory),
    body: fields,
    ifMatch: etagOf(memory),
  });
  if (status === 202) throw new Proposed();
  const before = Object.fromEntries(
    Object.keys(fields).map((name) => [name, memory[name as keyof Memory]]),
  ) as Schemas["Revision"];
  return () => call("patch", MEMORY, { path: pathOf(memory), body: before, ifMatch: etag });
}

export async function restore(memory: SeenMemory, version: number): Promise<Undo> {
  const asked = { path: pathOf(memory), body: { version }, ifMatch: etagOf(memory) };
  const { etag } = await call("post", `${MEMORY}/restore`, asked);
  const body = { version: memory.version };
  return () => call("post", `${MEMORY}/restore`, { path: pathOf(memory), body, ifMatch: etag });
}

export async function report(memory: SeenMemory, result: Schemas["OutcomeResult"]): Promise<null> {
  await call("post", `${MEMORY}/outcome`, { path: pathOf(memory), body: { result } });
  return null;
}

/** What was sent is kept as a proposal, until a reviewer decides. */
export class Proposed extends Error {}

/** Does a change and tells of it, with its way back; a refusal is told as well. */
export async function told(
  what: string,
  change: () => Promise<Undo | null>,
  reload: () => void,
): Promise<boolean> {
  try {
    const undo = await change();
    toast(what, undo && (() => undo().finally(reload)));
    return true;
  } catch (error) {
    tellRefusal(error);
    return false;
  } finally {
    reload();
  }
}

export function tellRefusal(error: unknown): void {
  if (error instanceof Proposed) toast("Proposed: a reviewer decides on it");
  else if (asProblem(error).isStale) toast("Somebody has changed it meanwhile; it is shown as it is now");
  else toastProblem(error);
}
