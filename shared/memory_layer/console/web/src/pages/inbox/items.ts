// Items that wait for a person: memories, staged learnings and pairs, read as one shape and grouped by who and why.

import { type Answer, get, type Memory, type Schemas } from "../../api/client.ts";
import type { SeenMemory } from "../memories/changes.ts";
import { proposedFor, waitsFor } from "../memories/places.tsx";

export type Near = Answer<"/v1/projects/{project}/reviews/{id}/near", "get">["near"][number];
export type Pair = Schemas["PairAnswer"];
export type Staged = Schemas["StagedLearning"];
type Page = Answer<"/v1/projects/{project}/reviews", "get">;
type Review = Page["reviews"][number];

export const KINDS = {
  quarantined: "Quarantined",
  pending: "Pending",
  unapproved: "Not approved",
  doubted: "Doubted",
  stale: "Stale",
  conflict: "Contradictions",
  duplicate: "Say the same",
  staged: "Learned by runs",
} as const;
export type Kind = keyof typeof KINDS;

/** Whose an item is by the token, or who doubts it; those with one key are decided on as one. */
export interface ItemGroup {
  readonly principal: string;
  readonly key: string;
}

export interface WaitingItem {
  readonly id: string;
  readonly project: string;
  readonly kind: Kind;
  /** Who wrote it; empty: nobody in particular. */
  readonly by: string;
  readonly words: string;
  readonly ageDays: number;
  readonly memory: Memory | null;
  readonly staged: Staged | null;
  readonly pair: Pair | null;
  /** null: it is decided on by itself, or with others of its author. */
  readonly group: ItemGroup | null;
}

export interface WaitingGroup {
  readonly key: string;
  readonly kind: Kind;
  readonly by: string;
  readonly items: readonly WaitingItem[];
}

/** Members of an item that move with its version, or with the day. */
const MOVING: readonly string[] = ["version", "updated_at", "kind", "age_days"];

/** Statuses of memories that are out of use. */
const OVER: readonly string[] = ["rejected", "archived", "superseded"];

/** Members in which a learning grows when another run teaches it again: its words and its standing stay. */
const EVIDENCE: readonly string[] = ["source_runs", "detail", "expires_at"];

/** Members of a learning's detail that name who taught it, and say nothing. */
const NAMES: readonly string[] = ["run", "voices"];
const PAGE = 200;
const PAGES_MAX = 10;

export interface WaitingItems {
  readonly items: readonly WaitingItem[];
  /** There are more than one visit takes. */
  readonly hasMore: boolean;
}

/** Reads all that waits, the oldest first, up to 2,000 items. */
export async function readWaiting(project: string, signal: AbortSignal): Promise<WaitingItems> {
  const found: WaitingItem[] = [];
  let cursor: string | null | undefined;
  for (let page = 0; page < PAGES_MAX; page++) {
    const query = { limit: PAGE, cursor: cursor ?? undefined };
    const answer = await get("/v1/projects/{project}/reviews", { path: { project }, query, signal });
    const groups = itemGroups(answer.groups);
    found.push(...answer.reviews.map((review) => itemOf(project, review, groups)));
    cursor = answer.next_cursor;
    if (!cursor) break;
  }
  return { items: found, hasMore: !!cursor };
}

function itemGroups(groups: Page["groups"]): ReadonlyMap<string, ItemGroup> {
  const found = new Map<string, ItemGroup>();
  for (const { principal, runs, reasons, seen } of groups)
    for (const { id } of seen ?? [])
      found.set(id, { principal, key: JSON.stringify([principal, runs, reasons]) });
  return found;
}

function itemOf(project: string, review: Review, groups: ReadonlyMap<string, ItemGroup>): WaitingItem {
  const { id, kind, age_days: ageDays } = review as { id: string; kind: Kind; age_days: number };
  const group = groups.get(id) ?? null;
  const shared = { id, project, kind, ageDays, memory: null, staged: null, pair: null, group };
  if ("memories" in review) {
    const pair = review as Pair;
    return { ...shared, by: "", words: pair.memories.map((one) => one.content).join(" · "), pair };
  }
  if ("learning" in review) {
    const staged = review as Staged;
    return { ...shared, by: "", words: staged.learning.content, staged };
  }
  return ofMemory(shared, review as Memory);
}

function ofMemory(shared: Omit<WaitingItem, "by" | "words">, memory: Memory): WaitingItem {
  return { ...shared, by: memory.created_by, words: memory.content, memory };
}

/** The item as its memory is now; others may doubt it by now, so that it is decided on by itself. */
export function withMemory(item: WaitingItem, memory: Memory): WaitingItem {
  return ofMemory({ ...item, group: item.kind === "doubted" ? null : item.group }, memory);
}

/** Tells whether an item that was read again is out of use, so that nothing of it is left to decide on. */
export function isOver({ memory }: WaitingItem): boolean {
  return memory !== null && OVER.includes(memory.status);
}

export function groupKey({ kind, by, group }: WaitingItem): string {
  return `${kind} ${group?.key ?? by}`;
}

/** Who an item is of: the token that wrote it, or who doubts it; else its author. */
export function principalOf({ by, group }: WaitingItem): string {
  return group?.principal ?? by;
}

/** Groups by kind and principal, doubts by who raised them, each where its oldest item stands. */
export function groupsOf(items: readonly WaitingItem[]): WaitingGroup[] {
  const found = new Map<string, WaitingItem[]>();
  for (const item of items) {
    const group = found.get(groupKey(item));
    if (group) group.push(item);
    else found.set(groupKey(item), [item]);
  }
  return [...found].flatMap(([key, members]) => {
    const [first] = members;
    return first ? [{ key, kind: first.kind, by: principalOf(first), items: members }] : [];
  });
}

/** Versions of the memory, or of both of a pair; a learning of a run has none. */
export function versionsOf({ memory, pair }: WaitingItem): readonly number[] {
  return (memory ? [memory] : (pair?.memories ?? [])).map((one) => one.version);
}

/** Mark of what was looked at: a later reading with another one was changed by somebody. */
export function stampOf(item: WaitingItem): string {
  return item.staged ? `${item.staged.status} ${item.words}` : versionsOf(item).join(" ");
}

/** Tells whether two readings of a memory differ in nothing but the version, since what was done to it was taken back, or
    in the runs that taught it: a reviewer's own approvals of what several runs taught alike change one learning in turn. */
export function isSameAgain(one: WaitingItem, other: WaitingItem): boolean {
  const [before, after] = [one.memory, other.memory];
  if (!before || !after) return false;
  const names = (Object.keys(before) as (keyof Memory)[]).filter((name) => !MOVING.includes(name));
  const changed = names.filter((name) => JSON.stringify(before[name]) !== JSON.stringify(after[name]));
  if (changed.length === 0) return true;
  return isTaughtAnew(before, after) && changed.every((name) => EVIDENCE.includes(name));
}

/** Tells whether another run has joined those that taught a memory, and neither brought words nor moved the figure that
    agents are shown beside it. */
function isTaughtAnew(before: Memory, after: Memory): boolean {
  const hasJoined = (after.source_runs ?? []).some((run) => !before.source_runs?.includes(run));
  const known = new Set(textsIn(before.detail));
  const isUnmoved = before.detail.effectiveness === after.detail.effectiveness;
  return hasJoined && isUnmoved && textsIn(after.detail).every((text) => known.has(text));
}

function textsIn(told: unknown): string[] {
  if (typeof told === "string") return [told];
  if (Array.isArray(told)) return told.flatMap(textsIn);
  const members = Object.entries(told && typeof told === "object" ? told : {});
  return members.flatMap(([name, one]) => (NAMES.includes(name) ? [] : textsIn(one)));
}

/** Memories in whose place an item goes with its approval: as they are shown beside it, else as the list has them. */
export function seenPlaces(
  { id }: WaitingItem,
  listed: readonly WaitingItem[],
  near: readonly Near[] = [],
): SeenMemory[] {
  const unshown = listed.flatMap(({ memory }) =>
    memory && near.every((one) => one.id !== memory.id) ? [memory] : [],
  );
  return [...near, ...unshown].filter((one) => waitsFor(one, id));
}

/** Memories proposed for an item's place. */
export function proposalsOf(item: WaitingItem): readonly string[] {
  return item.memory?.doubted?.proposals ?? [];
}

/** Memories for whose place an item is proposed. */
export function targetsOf(item: WaitingItem): readonly string[] {
  return item.memory ? proposedFor(item.memory) : [];
}

/** Memories whose place an item takes with its approval: those for which it is proposed, unless one is seen to wait for it
    no more. */
export function placesOf(item: WaitingItem, near: readonly Near[] = []): readonly string[] {
  const settled = near.filter((one) => !one.doubted?.proposals.includes(item.id)).map((one) => one.id);
  return targetsOf(item).filter((id) => !settled.includes(id));
}

/** A group of them is decided on as one: texts held back for the same reason, learnings of runs, or what the same ones
    doubt alike. */
export function isGroupable({ kind, group }: WaitingItem): boolean {
  if (kind === "doubted") return group !== null;
  return kind === "pending" || kind === "quarantined" || kind === "unapproved" || kind === "staged";
}

export function withoutItems(items: readonly WaitingItem[], ids: ReadonlySet<string>): WaitingItem[] {
  return items.filter((item) => !ids.has(item.id));
}
