// What stands beside an item: what is in force and near to it, and what is proposed in its place.

import { get, type Memory } from "../../api/client.ts";
import { useLoaded } from "../../api/load.ts";
import type { ApiProblem } from "../../api/problem.ts";
import { isOver } from "../memories/open_actions.ts";
import { readMemory } from "../memories/read_memory.ts";
import { type Near, proposalsOf, type WaitingItem } from "./items.ts";

export interface Neighbours {
  /** What is near to the item; undefined: it is being looked for. */
  readonly near: readonly Near[] | undefined;
  /** What may be taken in the item's place; undefined: it is being read. */
  readonly proposals: readonly Memory[] | undefined;
  /** Why they could not be read. */
  readonly problem: ApiProblem | null;
}

/** Reads what stands beside an item. Args: readings: it is read again when this changes. */
export function useNeighbours(item: WaitingItem | null, readings: number): Neighbours {
  const project = item?.project ?? "";
  const id = item && !item.pair ? item.id : null;
  const asked = item ? proposalsOf(item).join(" ") : "";
  const near = useLoaded(id && `${id} ${readings}`, (signal) => readNear(project, id ?? "", signal));
  const proposals = useLoaded(asked ? `${asked} ${readings}` : null, (signal) =>
    readProposals(project, asked, signal),
  );
  const found = near.state.value.value;
  const proposed = proposals.state.value.value;
  return {
    near: found?.id === id ? found?.near : undefined,
    proposals: asked === "" ? [] : proposed?.asked === asked ? proposed.open : undefined,
    problem: near.state.value.problem ?? proposals.state.value.problem,
  };
}

/** Reads proposals by their ids. One that is out of use is named by the doubt still, and takes no place any more. */
async function readProposals(project: string, asked: string, signal: AbortSignal) {
  const found = await Promise.all(asked.split(" ").map((id) => readMemory(project, id, signal)));
  return { asked, open: found.filter((one) => one !== null).filter((one) => !isOver(one)) };
}

async function readNear(project: string, id: string, signal: AbortSignal) {
  const { near } = await get("/v1/projects/{project}/reviews/{id}/near", { path: { project, id }, signal });
  return { id, near };
}
