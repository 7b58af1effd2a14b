// Changes of one memory, each with its way back. What somebody has changed meanwhile is told, and not overwritten.

import { call, etagOf, type Memory, type Schemas } from "../../api/client.ts";
import { asProblem } from "../../api/problem.ts";
import { toast, toastProblem } from "../../widgets/toast.tsx";

/** Takes a change back. Resolves to the ETag that the record has then. */
export type Undo = () => Promise<{ etag: string | null }>;
const MEMORY = "/v1/projects/{project}/memories/{id}";

/** What a change needs to know of a memory: which it is, and which version the person has seen. */
export type SeenMemory = Pick<Memory, "project" | "id" | "version">;

/** Versions by which a successor moves on when its predecessor is back in force. */
const LINK_CUT = 1;

const pathOf = ({ project, id }: SeenMemory) => ({ project, id });

/** Undo of a change of status or approval, as long as nothing else has happened. */
function undoOf(memory: SeenMemory, etag: string | null): Undo {
  return () => call("post", `${MEMORY}/undo`, { path: pathOf(memory), body: {}, ifMatch: etag });
}

export async function archive(memory: SeenMemory): Promise<Undo> {
  const { etag } = await call("delete", MEMORY, { path: pathOf(memory), ifMatch: etagOf(memory) });
  return undoOf(memory, etag);
}

/** What an approval needs to know as well: whose place the memory has already. */
export type ApprovedMemory = SeenMemory & Pick<Memory, "supersedes">;

/** Approves; a proposal takes a place with it, and gives it back. Args: targets: seen, in whose place it would go. */
export async function approve(memory: ApprovedMemory, targets: readonly SeenMemory[] = []): Promise<Undo> {
  const seen = targets.map(({ id, version }) => ({ id, version }));
  const asked = { path: pathOf(memory), body: { seen }, ifMatch: etagOf(memory) };
  const { json, etag } = await call("patch", `${MEMORY}/approve`, asked);
  const replaced = (json.supersedes ?? null) === (memory.supersedes ?? null) ? null : json.supersedes;
  if (!replaced) return undoOf(memory, etag);
  const path = { project: memory.project, id: replaced };
  const target = targets.find((one) => one.id === replaced);
  const put = target ? `"${target.version + 1}"` : (await call("get", MEMORY, { path })).etag;
  return async () => {
    await call("post", `${MEMORY}/undo`, { path, body: {}, ifMatch: put });
    return undoOf(memory, `"${json.version + LINK_CUT}"`)();
  };
}

export interface Superseded {
  readonly id: string;
  /** Version of the successor once this is taken back. */
  readonly version: number;
  /** It waits for a reviewer, and nothing is superseded yet. */
  readonly isProposed: boolean;
  readonly undo: Undo;
}

/** Puts a correction, or a stored memory, in the place of another; a correction that is taken back is archived. */
export async function supersede(memory: SeenMemory, said: Schemas["Supersession"]): Promise<Superseded> {
  const asked = { path: pathOf(memory), body: said, ifMatch: etagOf(memory) };
  const { json, status } = await call("post", `${MEMORY}/supersede`, asked);
  const made = { project: memory.project, id: json.id, version: json.version + LINK_CUT };
  const undo = async () => {
    const back = await undoOf(memory, `"${memory.version + 1}"`)();
    if (status === 201) await archive(made);
    return back;
  };
  return { id: json.id, version: made.version, isProposed: status === 202, undo };
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
