// Decisions on a whole group: as one, at the versions that were looked at, and taken back one by one.

import { call, get, type Schemas } from "../../api/client.ts";
import { ApiProblem, asProblem } from "../../api/problem.ts";
import { count } from "../../widgets/moment.tsx";
import type { WayBack } from "./decisions.ts";
import { principalOf, seenPlaces, targetsOf, type WaitingItem } from "./items.ts";

export type GroupDecision = "approve" | "reject";

/** Items that no decision was made on, and why. */
export interface Refused {
  readonly items: readonly WaitingItem[];
  readonly problem: ApiProblem;
}

const MEMORY = "/v1/projects/{project}/memories/{id}";
const DECIDED_AT_ONCE = 100;

/** Decides on each at the version that was looked at. Resolves to those that were refused. A later request that fails as
    a whole, with those that were not sent, is among them: what was decided before it stays decided.
    Args: listed: all that waits, as it was looked at: those among it whose places proposals take. */
export async function decideGroup(
  items: readonly WaitingItem[],
  decision: GroupDecision,
  listed: readonly WaitingItem[],
): Promise<readonly Refused[]> {
  const refused: Refused[] = [];
  for (let start = 0; start < items.length; start += DECIDED_AT_ONCE) {
    try {
      refused.push(...(await decidePart(items.slice(start, start + DECIDED_AT_ONCE), decision, listed)));
    } catch (error) {
      if (start === 0) throw error;
      return [...refused, { items: items.slice(start), problem: asProblem(error) }];
    }
  }
  return refused;
}

async function decidePart(
  part: readonly WaitingItem[],
  decision: GroupDecision,
  listed: readonly WaitingItem[],
): Promise<readonly Refused[]> {
  const body = onDoubts(part, decision) ?? {
    decisions: part.map((item) => decisionOn(item, decision, listed)),
  };
  const { json } = await call("post", "/v1/projects/{project}/reviews:decide", {
    path: { project: part[0]?.project ?? "" },
    body: body as never,
  });
  return json.results.flatMap(({ id, problem: told }) => {
    const item = part.find((one) => one.id === id);
    if (!item || !told) return [];
    const problem = told as Schemas["Problem"];
    return [{ items: [item], problem: ApiProblem.of(problem.status, problem.instance ?? "", problem) }];
  });
}

/** Decision on what the same ones doubt alike; null: these are no doubts. */
function onDoubts([first, ...others]: readonly WaitingItem[], decision: GroupDecision) {
  if (first?.kind !== "doubted") return null;
  const seen = [first, ...others].map(({ id, memory }) => ({ id, version: memory?.version }));
  const does = decision === "approve" ? "confirm" : decision;
  return { group: { principal: principalOf(first), kind: first.kind, decision: does, seen } };
}

function decisionOn(item: WaitingItem, decision: GroupDecision, listed: readonly WaitingItem[]) {
  const { id, memory } = item;
  if (!memory) return { id, decision };
  const { version } = memory;
  if (decision === "reject") return { id, decision, version };
  const seen = seenPlaces(item, listed).map((one) => ({ id: one.id, version: one.version }));
  return { id, decision, version, seen };
}

/** Way back of a decision on memories of a group; null: all are learnings of runs, and of these there is none. */
export function groupWayBack(items: readonly WaitingItem[]): WayBack | null {
  const memories = items.filter((item) => item.memory);
  if (memories.length === 0) return null;
  return async () => {
    const kept: WaitingItem[] = [];
    for (const item of memories) if (!(await isTakenBack(item))) kept.push(item);
    if (kept.length === 0) return null;
    const back = memories.length - kept.length;
    return `${count(back)} taken back; ${count(kept.length)} were changed since, and stay as they are`;
  };
}

/** Takes one decision back, as long as nothing else has happened; false: something has, and it stays. */
async function isTakenBack(item: WaitingItem): Promise<boolean> {
  const { id, project, memory } = item;
  try {
    const freed = await placesGivenBack(item);
    const version = (memory?.version ?? 0) + 1 + freed;
    await call("post", `${MEMORY}/undo`, { path: { project, id }, body: {}, ifMatch: `"${version}"` });
    return true;
  } catch (error) {
    if (asProblem(error).isStale) return false;
    throw error;
  }
}

/** Gives back the places that an approved proposal has taken. Resolves to how many. */
async function placesGivenBack(item: WaitingItem): Promise<number> {
  let freed = 0;
  for (const target of targetsOf(item)) {
    const path = { project: item.project, id: target };
    const { superseded_by: by, version } = await get(MEMORY, { path });
    if (by !== item.id) continue;
    await call("post", `${MEMORY}/undo`, { path, body: {}, ifMatch: `"${version}"` });
    freed += 1;
  }
  return freed;
}
