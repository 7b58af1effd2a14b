// What stands beside an item: what is in force and near to it, and what is proposed in its place.

import { get, type Memory } from "../../api/client.ts";
import { type Loading, useLoaded } from "../../api/load.ts";
import type { ApiProblem } from "../../api/problem.ts";
import { isOver } from "../memories/open_actions.ts";
import { readMemory } from "../memories/read_memory.ts";
import { type Near, proposalsOf, stampOf, type WaitingItem } from "./items.ts";

export interface Neighbours {
  /** What is near to the item; undefined: it is being looked for. */
  readonly near: readonly Near[] | undefined;
  /** What may be taken in the item's place; undefined: it is being read. */
  readonly proposals: readonly Memory[] | undefined;
  /** Why they could not be read. */
  readonly problem: ApiProblem | null;
}

/** Reads what stands beside an item, anew when the item changes: what was read before takes no decision with it.
    Args: readings: it is read again when this changes. */
export function useNeighbours(item: WaitingItem | null, readings: number): Neighbours {
  const project = item?.project ?? "";
  const proposed = item ? proposalsOf(item) : [];
  const look = item && `${item.id} ${stampOf(item)} ${readings}`;
  const hasNear = item !== null && !item.pair;
  const hasProposals = proposed.length > 0;
  const near = useLoaded(hasNear ? look : null, (signal) =>
    readNear(project, item?.id ?? "", signal).then(of(look)),
  );
  const proposals = useLoaded(hasProposals ? look : null, (signal) =>
    readProposals(project, proposed, signal).then(of(look)),
  );
  return {
    near: hasNear ? foundBy(look, near) : undefined,
    proposals: hasProposals ? foundBy(look, proposals) : [],
    problem: near.state.value.problem ?? proposals.state.value.problem,
  };
}

/** What was read, with the look that asked for it. */
interface Found<Value> {
  readonly look: string | null;
  readonly value: Value;
}

const of =
  (look: string | null) =>
  <Value>(value: Value): Found<Value> => ({ look, value });

function foundBy<Value>(look: string | null, { state }: Loading<Found<Value>>): Value | undefined {
  const found = state.value.value;
  return found?.look === look ? found.value : undefined;
}

/** Reads proposals by their ids. One that is out of use is named by the doubt still, and takes no place any more. */
async function readProposals(project: string, ids: readonly string[], signal: AbortSignal) {
  const found = await Promise.all(ids.map((id) => readMemory(project, id, signal)));
  return found.filter((one) => one !== null).filter((one) => !isOver(one));
}

async function readNear(project: string, id: string, signal: AbortSignal) {
  return (await get("/v1/projects/{project}/reviews/{id}/near", { path: { project, id }, signal })).near;
}
