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

/** Merges the learnings of each union. The way back gives each its words of before, and brings the others back. */
export async function accept(project: string, id: string, unions: readonly Union[]): Promise<Decided> {
  const before = new Map<string, number>();
  for (const { into } of unions) {
    before.set(into, (await get(MEMORY, { path: { project, id: into } })).version);
  }
  const result = await decided(project, id, "accept");
  const undo = async () => {
    for (const union of unions) {
      if (!isRefused(result, union)) await parted(project, union, before.get(union.into) ?? 1);
    }
  };
  return { result, undo: result.done > 0 ? undo : null };
}

async function decided(project: string, id: string, decision: "accept" | "drop"): Promise<Result> {
  return (await call("post", REORGANISATION, { path: { project }, body: { id, decision } })).json;
}

function isRefused(result: Result, union: Union): boolean {
  return result.problems.some((problem) => problem.startsWith(`${union.into}:`));
}

async function parted(project: string, { into, others }: Union, version: number): Promise<void> {
  await call("post", `${MEMORY}/restore`, { path: { project, id: into }, body: { version } });
  for (const id of others) await call("post", `${MEMORY}/undo`, { path: { project, id }, body: {} });
}
