// Decisions on a reorganised playbook, and the way back from its acceptance.

import { type Answer, call, get } from "../../api/client.ts";

export type Proposal = Answer<"/v1/projects/{project}/playbook/reorganisation", "get">;
export type Union = Proposal["unions"][number];
export type Result = Answer<"/v1/projects/{project}/playbook/reorganisation", "post">;

const REORGANISATION = "/v1/projects/{project}/playbook/reorganisation";
const MEMORY = "/v1/projects/{project}/memories/{id}";

export interface Decided {
  readonly result: Result;
  /** null: it is for good. */
  readonly undo: (() => Promise<unknown>) | null;
}

/** Keeps the learnings of each union apart for good. */
export async function drop(project: string, id: string): Promise<Decided> {
  return { result: await decided(project, id, "drop"), undo: null };
}

/** Merges the learnings of each union. The way back gives each its words of before, and brings the others back; what was
    changed since is refused, and stays. */
export async function accept(project: string, id: string, unions: readonly Union[]): Promise<Decided> {
  const before = new Map<string, number>();
  for (const { into } of unions) {
    before.set(into, (await get(MEMORY, { path: { project, id: into } })).version);
  }
  const result = await decided(project, id, "accept");
  const merged = unions.filter((union) => !isRefused(result, union));
  const after = await etagsOf(
    project,
    merged.flatMap(({ into, others }) => [into, ...others]),
  );
  const undo = async () => {
    for (const union of merged) await parted(project, union, before.get(union.into) ?? 1, after);
  };
  return { result, undo: result.done > 0 ? undo : null };
}

async function decided(project: string, id: string, decision: "accept" | "drop"): Promise<Result> {
  return (await call("post", REORGANISATION, { path: { project }, body: { id, decision } })).json;
}

function isRefused(result: Result, union: Union): boolean {
  return result.problems.some((problem) => problem.startsWith(`${union.into}:`));
}

type Etags = ReadonlyMap<string, string | null>;

async function etagsOf(project: string, ids: readonly string[]): Promise<Etags> {
  const found = new Map<string, string | null>();
  for (const id of ids) found.set(id, (await call("get", MEMORY, { path: { project, id } })).etag);
  return found;
}

async function parted(
  project: string,
  { into, others }: Union,
  version: number,
  after: Etags,
): Promise<void> {
  const asked = (id: string) => ({ path: { project, id }, ifMatch: after.get(id) ?? null });
  await call("post", `${MEMORY}/restore`, { ...asked(into), body: { version } });
  for (const id of others) await call("post", `${MEMORY}/undo`, { ...asked(id), body: {} });
}
