// Decisions on items that wait: what each asks of the API, at the versions that were looked at, and its way back, at the
// versions that it left.

import { call, etagOf, type Memory, type Schemas } from "../../api/client.ts";
import * as changes from "../memories/changes.ts";
import { type Near, type Pair, targetsOf, type WaitingItem } from "./items.ts";

/** Takes a decision back. Resolves to what is to be said of what stays; null: nothing does. */
export type WayBack = () => Promise<string | null>;

export interface Decision {
  /** What was done, for the line that tells of it. */
  readonly says: string;
  /** Resolves to the way back; null: there is none. */
  readonly send: () => Promise<WayBack | null>;
  /** Other items that it settles. */
  readonly settles?: readonly string[];
  /** There is no way back from it. */
  readonly isFinal?: boolean;
}

const MEMORY = "/v1/projects/{project}/memories/{id}";
const STAGED = "/v1/projects/{project}/staging/{id}";

/** Makes a way back of an undo after which nothing stays. */
function wayBack(undo: () => Promise<unknown>): WayBack {
  return () => undo().then(() => null);
}

/** Approves an item. Args: places: of a proposal, in whose place it goes, as they were looked at. */
export function approve(item: WaitingItem, places: readonly changes.SeenMemory[] = []): Decision | null {
  const { memory } = item;
  if (item.staged) return stagedDecision(item, "promote");
  if (!memory) return keepBoth(item);
  if (item.kind === "doubted") {
    return { says: "Still holds", send: () => changes.confirm(memory).then(() => null), isFinal: true };
  }
  if (item.kind === "stale") {
    return { says: "Still holds", send: () => changes.confirm(memory).then(wayBack) };
  }
  const send = () => changes.approve(memory, places).then(wayBack);
  return { says: "Approved", send, settles: targetsOf(item) };
}

export function reject(item: WaitingItem): Decision | null {
  const { memory } = item;
  if (item.staged) return stagedDecision(item, "reject");
  return memory && { says: "Rejected", send: () => changes.reject(memory).then(wayBack) };
}

export function archive({ memory }: WaitingItem): Decision | null {
  return memory && { says: "Archived", send: () => changes.archive(memory).then(wayBack) };
}

function stagedDecision({ id, project }: WaitingItem, what: "promote" | "reject"): Decision {
  const send = async () => {
    const path = { project, id };
    if (what === "promote") await call("post", `${STAGED}/promote`, { path });
    else await call("post", `${STAGED}/reject`, { path, body: {} });
    return null;
  };
  return { says: what === "promote" ? "Promoted" : "Rejected", send, isFinal: true };
}

function keepBoth({ pair, project }: WaitingItem): Decision | null {
  const send = async (of: Pair) => {
    await resolved(project, of, { resolution: "kept_both" });
    return null;
  };
  return pair && { says: "Both stay", send: () => send(pair), isFinal: true };
}

/** One of a pair goes on, and the other is superseded by it. */
export function choose({ pair, project }: WaitingItem, place: 0 | 1): Decision | null {
  const winner = pair?.memories[place];
  const loser = pair?.memories[1 - place];
  if (!pair || !winner || !loser) return null;
  const send = async () => {
    await resolved(project, pair, { resolution: "superseded", winner: winner.id });
    return async () => {
      await undone(project, loser.id, loser.version + 1);
      return BOTH_STAND;
    };
  };
  return { says: place === 0 ? "The first stays" : "The second stays", send };
}

const BOTH_STAND = "Taken back: both stand, until the two are compared again";

export function mergePair({ pair, project }: WaitingItem, content: string | null): Decision | null {
  if (!pair) return null;
  const send = async () => {
    const { winner } = await resolved(project, pair, { resolution: "merge", content });
    const into = pair.memories.find((one) => one.id === winner);
    const other = pair.memories.find((one) => one.id !== winner);
    if (!into || !other) return null;
    return async () => {
      await parted(project, into, `"${into.version + 1}"`, { id: other.id, version: other.version + 1 });
      return BOTH_STAND;
    };
  };
  return { says: "Merged", send };
}

async function resolved(
  project: string,
  pair: Pair,
  body: { resolution: Schemas["PairDecision"]; winner?: string; content?: string | null },
): Promise<{ winner: string | null }> {
  const path = { project, id: pair.id };
  const asked = { path, body, ifMatch: pair.etag };
  return (await call("post", "/v1/projects/{project}/conflicts/{id}/resolve", asked)).json;
}

/** Parts what was merged: the one says what it said, and the other is back as it was, or as its version `backTo` was. */
async function parted(
  project: string,
  into: Pick<Memory, "id" | "version">,
  etag: string | null,
  other: Pick<Memory, "id" | "version">,
  backTo: number | null = null,
): Promise<void> {
  const path = { project, id: into.id };
  await call("post", `${MEMORY}/restore`, { path, body: { version: into.version }, ifMatch: etag });
  await undone(project, other.id, other.version, backTo);
}

async function undone(
  project: string,
  id: string,
  version: number,
  backTo: number | null = null,
): Promise<void> {
  const body = { back_to: backTo };
  await call("post", `${MEMORY}/undo`, { path: { project, id }, body, ifMatch: `"${version}"` });
}

/** A proposal takes the place of the memory that is doubted. */
export function acceptProposal(item: WaitingItem, proposal: Memory): Decision {
  const targets = item.memory ? [item.memory] : [];
  const send = () => changes.approve(proposal, targets).then(wayBack);
  return { says: "Proposal taken", send, settles: [item.id, proposal.id] };
}

/** The memory that is near takes the item in. Args: content: what is said from now on; null: all that both say. */
export function mergeInto({ memory }: WaitingItem, near: Near, content: string | null): Decision | null {
  if (!memory) return null;
  const send = async () => {
    const path = { project: near.project, id: near.id };
    const merging = { path, body: { ids: [memory.id], content }, ifMatch: etagOf(near) };
    const approval = await changes.approve(memory);
    const { etag } = await orTakenBack(approval, () => call("post", `${MEMORY}/merge`, merging));
    return async () => {
      const merged = { id: memory.id, version: memory.version + APPROVED_AND_RETIRED };
      await parted(near.project, near, etag, merged, memory.version);
      return null;
    };
  };
  return { says: "Merged", send };
}

const APPROVED_AND_RETIRED = 2;

/** The item takes the place of the memory that is near: approved first, for nothing out of use takes a place. */
export function takePlaceOf({ memory }: WaitingItem, near: Near): Decision | null {
  if (!memory) return null;
  const send = async () => {
    const approval = await changes.approve(memory);
    const said = { id: memory.id } as Schemas["Supersession"];
    const { undo } = await orTakenBack(approval, () => changes.supersede(near, said));
    return async () => {
      await undo();
      await undone(memory.project, memory.id, memory.version + APPROVED_LINKED_AND_CUT);
      return null;
    };
  };
  return { says: "Took its place", send };
}

const APPROVED_LINKED_AND_CUT = 3;

/** Does the second step of a decision; where it is refused the first one is taken back, and nothing was decided. */
async function orTakenBack<Result>(first: changes.Undo, second: () => Promise<Result>): Promise<Result> {
  try {
    return await second();
  } catch (error) {
    await first();
    throw error;
  }
}

/** New words take the place of the item's. */
export function correct({ memory }: WaitingItem, content: string): Decision | null {
  if (!memory) return null;
  const said = { content } as Schemas["Supersession"];
  const send = () => changes.supersede(memory, said).then(({ undo }) => wayBack(undo));
  return { says: "Corrected", send };
}

/** Rewords an item, and approves it. Args: places: as of `approve`. */
export function reword(
  item: WaitingItem,
  content: string,
  places: readonly changes.SeenMemory[] = [],
): Decision | null {
  const { memory } = item;
  if (!memory) return null;
  const path = { project: memory.project, id: memory.id };
  const send = async () => {
    const rewording = { path, body: { content } as never, ifMatch: etagOf(memory) };
    const { json } = await call("patch", MEMORY, rewording);
    const reworded = { ...memory, version: json.version };
    const wordsBack = (version: number) => () =>
      call("patch", MEMORY, { path, body: { content: memory.content } as never, ifMatch: `"${version}"` });
    const approval = await orTakenBack(wordsBack(json.version), () => changes.approve(reworded, places));
    return async () => {
      const { etag } = await approval();
      await call("patch", MEMORY, { path, body: { content: memory.content } as never, ifMatch: etag });
      return null;
    };
  };
  return { says: "Reworded and approved", send, settles: targetsOf(item) };
}
