// Decisions on items that wait: what each asks of the API, at the version that was looked at, and its way back.

import { call, etagOf, type Memory, type Schemas } from "../../api/client.ts";
import * as changes from "../memories/changes.ts";
import { type Near, type Pair, targetsOf, type WaitingItem } from "./items.ts";

export interface Decision {
  /** What was done, for the line that tells of it. */
  readonly says: string;
  readonly send: () => Promise<changes.Undo | null>;
  /** Other items that it settles. */
  readonly settles?: readonly string[];
}

const MEMORY = "/v1/projects/{project}/memories/{id}";
const STAGED = "/v1/projects/{project}/staging/{id}";
const DECIDED_AT_ONCE = 100;

export function approve(item: WaitingItem): Decision | null {
  const { memory } = item;
  if (item.staged) return stagedDecision(item, "promote");
  if (!memory) return keepBoth(item);
  if (item.kind === "doubted") {
    return { says: "Still holds", send: () => changes.confirm(memory).then(() => null) };
  }
  if (item.kind === "stale") return { says: "Still holds", send: () => changes.confirm(memory) };
  return { says: "Approved", send: () => changes.approve(memory), settles: targetsOf(item) };
}

export function reject(item: WaitingItem): Decision | null {
  const { memory } = item;
  if (item.staged) return stagedDecision(item, "reject");
  return memory && { says: "Rejected", send: () => changes.reject(memory) };
}

export function archive({ memory }: WaitingItem): Decision | null {
  return memory && { says: "Archived", send: () => changes.archive(memory) };
}

function stagedDecision({ id, project }: WaitingItem, what: "promote" | "reject"): Decision {
  const send = async () => {
    const path = { project, id };
    if (what === "promote") await call("post", `${STAGED}/promote`, { path });
    else await call("post", `${STAGED}/reject`, { path, body: {} });
    return null;
  };
  return { says: what === "promote" ? "Promoted" : "Rejected", send };
}

function keepBoth({ pair, project }: WaitingItem): Decision | null {
  return pair && { says: "Both stay", send: () => resolved(project, pair, { resolution: "kept_both" }) };
}

/** One of a pair goes on, and the other is superseded by it. */
export function choose({ pair, project }: WaitingItem, place: 0 | 1): Decision | null {
  const winner = pair?.memories[place];
  const loser = pair?.memories[1 - place];
  if (!pair || !winner || !loser) return null;
  const send = async () => {
    await resolved(project, pair, { resolution: "superseded", winner: winner.id });
    return () => call("post", `${MEMORY}/undo`, { path: { project, id: loser.id }, body: {} });
  };
  return { says: place === 0 ? "The first stays" : "The second stays", send };
}

export function mergePair({ pair, project }: WaitingItem, content: string | null): Decision | null {
  if (!pair) return null;
  return { says: "Merged", send: () => resolved(project, pair, { resolution: "merge", content }) };
}

async function resolved(
  project: string,
  pair: Pair,
  body: { resolution: Schemas["PairDecision"]; winner?: string; content?: string | null },
): Promise<null> {
  await call("post", "/v1/projects/{project}/conflicts/{id}/resolve", {
    path: { project, id: pair.id },
    body,
  });
  return null;
}

/** A proposal takes the place of the memory that is doubted. */
export function acceptProposal(item: WaitingItem, proposal: Memory): Decision {
  const send = () => changes.approve(proposal);
  return { says: "Proposal taken", send, settles: [item.id, proposal.id] };
}

/** The memory that is near takes the item in. Args: content: what is said from now on; null: all that both say. */
export function mergeInto({ memory }: WaitingItem, near: Near, content: string | null): Decision | null {
  if (!memory) return null;
  const send = async () => {
    await inForce(memory);
    await call("post", `${MEMORY}/merge`, {
      path: { project: near.project, id: near.id },
      body: { ids: [memory.id], content },
      ifMatch: etagOf(near),
    });
    return async () => {
      const path = { project: near.project, id: near.id };
      await call("post", `${MEMORY}/restore`, { path, body: { version: near.version } });
      await call("post", `${MEMORY}/undo`, { path: { ...path, id: memory.id }, body: {} });
    };
  };
  return { says: "Merged", send };
}

/** The item takes the place of the memory that is near. */
export function takePlaceOf({ memory }: WaitingItem, near: Near): Decision | null {
  if (!memory) return null;
  const path = { project: near.project, id: near.id };
  const send = async () => {
    await inForce(memory);
    await call("post", `${MEMORY}/supersede`, { path, body: { id: memory.id } as Schemas["Supersession"] });
    return () => call("post", `${MEMORY}/undo`, { path, body: {} });
  };
  return { says: "Took its place", send };
}

/** What waits for approval is approved first: nothing out of use takes a place, or is taken in. */
async function inForce(memory: Memory): Promise<void> {
  if (memory.status !== "active") await changes.approve(memory);
}

/** New words take the place of the item's. */
export function correct({ memory }: WaitingItem, content: string): Decision | null {
  if (!memory) return null;
  const path = { project: memory.project, id: memory.id };
  const send = async () => {
    await call("post", `${MEMORY}/supersede`, { path, body: { content } as Schemas["Supersession"] });
    return () => call("post", `${MEMORY}/undo`, { path, body: {} });
  };
  return { says: "Corrected", send };
}

export function reword(item: WaitingItem, content: string): Decision | null {
  const { memory } = item;
  if (!memory) return null;
  const path = { project: memory.project, id: memory.id };
  const send = async () => {
    const { etag } = await call("patch", MEMORY, {
      path,
      body: { content } as never,
      ifMatch: etagOf(memory),
    });
    await call("patch", `${MEMORY}/approve`, { path, ifMatch: etag });
    return () => call("post", `${MEMORY}/undo`, { path, body: {} });
  };
  return { says: "Reworded and approved", send, settles: targetsOf(item) };
}

export interface Refused {
  readonly item: WaitingItem;
  readonly problem: Schemas["Problem"];
}

/** Decides on a group as one, at the versions that were looked at. Resolves to those that were refused. */
export async function decideGroup(
  items: readonly WaitingItem[],
  decision: "approve" | "reject",
): Promise<readonly Refused[]> {
  const refused: Refused[] = [];
  for (let start = 0; start < items.length; start += DECIDED_AT_ONCE) {
    const part = items.slice(start, start + DECIDED_AT_ONCE);
    const decisions = part.map(({ id, memory }) => ({ id, decision, version: memory?.version ?? null }));
    const { json } = await call("post", "/v1/projects/{project}/reviews:decide", {
      path: { project: part[0]?.project ?? "" },
      body: { decisions } as never,
    });
    for (const { line, problem } of json.results) {
      const item = part[line - 1];
      if (item && problem) refused.push({ item, problem: problem as Schemas["Problem"] });
    }
  }
  return refused;
}

/** Takes back the decision on each memory of a group; of learnings there is no way back. */
export async function undoGroup(items: readonly WaitingItem[]): Promise<void> {
  for (const { memory } of items) {
    if (!memory) continue;
    const path = { project: memory.project, id: memory.id };
    await call("post", `${MEMORY}/undo`, { path, body: {}, ifMatch: `"${memory.version + 1}"` });
  }
}
