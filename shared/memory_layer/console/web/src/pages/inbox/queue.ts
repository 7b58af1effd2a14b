// Queue of the inbox: a decision takes its item out of sight at once and is sent behind it, one after the other. What is
// refused comes back with the reason; what somebody has changed meanwhile comes back as it is now, to be looked at.

import { type Signal, signal } from "@preact/signals";
import { get, type Memory } from "../../api/client.ts";
import { ApiProblem, asProblem } from "../../api/problem.ts";
import type { Undo } from "../memories/changes.ts";
import { type Decision, decideGroup, undoGroup } from "./decisions.ts";
import { groupsOf, readWaiting, type WaitingItem, withMemory } from "./items.ts";

interface Done {
  readonly says: string;
  readonly items: readonly WaitingItem[];
  /** Resolves when the decision was sent; null: there is no way back. */
  readonly sent: Promise<Undo | null>;
}

export interface Told {
  readonly text: string;
  readonly mayUndo: boolean;
}

/** How long a list that was read may still show what was decided on since. */
const BEHIND_MS = 3_000;

export class InboxQueue {
  readonly items: Signal<readonly WaitingItem[] | null> = signal(null);
  readonly hasMore = signal(false);
  readonly problem: Signal<ApiProblem | null> = signal(null);
  readonly decided = signal(0);
  readonly told: Signal<Told | null> = signal(null);
  readonly current: Signal<string | null>;
  readonly shown: Signal<(item: WaitingItem) => boolean> = signal(() => true);
  /** Why a decision on an item was refused, by its id. */
  readonly refusals: Signal<ReadonlyMap<string, ApiProblem>> = signal(new Map());
  /** Memories as they are now, where somebody has changed them since they were read, by id. */
  readonly newer: Signal<ReadonlyMap<string, Memory>> = signal(new Map());

  private readonly done: Done[] = [];
  private readonly settledAt = new Map<string, number>();
  private sending: Promise<unknown> = Promise.resolve();

  constructor(
    private readonly project: string,
    current: string | null,
  ) {
    this.current = signal(current);
  }

  /** Items in the order in which they are shown: group by group. */
  ordered(): readonly WaitingItem[] {
    const all = (this.items.value ?? []).filter((item) => this.shown.value(item));
    return groupsOf(all).flatMap((group) => group.items);
  }

  currentItem(): WaitingItem | null {
    const all = this.ordered();
    return all.find((item) => item.id === this.current.value) ?? all[0] ?? null;
  }

  move(step: number): void {
    const all = this.ordered();
    const place = all.findIndex((item) => item.id === this.currentItem()?.id);
    this.current.value = all[Math.min(Math.max(place + step, 0), all.length - 1)]?.id ?? null;
  }

  async load(signal: AbortSignal): Promise<void> {
    const asked = performance.now();
    try {
      const { items, hasMore } = await readWaiting(this.project, signal);
      this.take(items, asked);
      this.hasMore.value = hasMore;
      this.problem.value = null;
    } catch (error) {
      if (!signal.aborted) this.problem.value = asProblem(error);
    }
  }

  /** Takes a list that was read: an item that is looked at keeps the version in sight, and a newer one is told. */
  private take(found: readonly WaitingItem[], asked: number): void {
    const known = new Map((this.items.value ?? []).map((item) => [item.id, item]));
    const open = found.filter(
      (item) =>
        asked > (this.settledAt.get(item.id) ?? Number.NEGATIVE_INFINITY) + BEHIND_MS || known.has(item.id),
    );
    const newer = new Map(this.newer.value);
    for (const { memory } of open) {
      const seen = memory && known.get(memory.id)?.memory;
      if (memory && seen && seen.version < memory.version) newer.set(memory.id, memory);
    }
    this.newer.value = newer;
    this.items.value = open.map((item) => known.get(item.id) ?? item);
  }

  /** Takes note of what somebody has changed: from now on decisions are on the newer version. */
  lookAtNewer(id: string): void {
    const memory = this.newer.value.get(id);
    if (!memory) return;
    this.items.value = (this.items.value ?? []).map((item) =>
      item.id === id ? withMemory(item, memory) : item,
    );
    this.newer.value = without(this.newer.value, id);
    this.refusals.value = without(this.refusals.value, id);
  }

  decide(item: WaitingItem, decision: Decision | null): void {
    if (!decision || this.newer.value.has(item.id)) return;
    const settled = [item.id, ...(decision.settles ?? [])];
    const gone = (this.items.value ?? []).filter((one) => settled.includes(one.id));
    this.takeOut(gone, `${decision.says}: ${item.words}`, async () => {
      try {
        return await decision.send();
      } catch (error) {
        await this.refuse(item, gone, asProblem(error));
        throw error;
      }
    });
  }

  /** Decides on a group as one. What was changed meanwhile, or is no longer there to decide on, comes back. */
  decideGroup(items: readonly WaitingItem[], decision: "approve" | "reject"): void {
    const open = items.filter((item) => !this.newer.value.has(item.id));
    const [first] = open;
    if (!first) return;
    const verb = decision === "approve" ? "Approved" : "Rejected";
    this.takeOut(open, `${verb}: ${open.length} of ${first.by || "runs"}`, async () => {
      const refused = await decideGroup(open, decision).catch(async (error: unknown) => {
        this.putBack(open);
        this.refusals.value = new Map(this.refusals.value).set(first.id, asProblem(error));
        throw error;
      });
      for (const { item, problem } of refused) {
        await this.refuse(item, [item], ApiProblem.of(problem.status, problem.instance ?? "", problem));
      }
      const kept = open.filter((item) => !refused.some((one) => one.item.id === item.id));
      return kept.some((item) => item.memory) ? () => undoGroup(kept) : null;
    });
  }

  private takeOut(gone: readonly WaitingItem[], says: string, send: () => Promise<Undo | null>): void {
    const ids = new Set(gone.map((item) => item.id));
    const all = this.ordered();
    const place = all.findIndex((item) => ids.has(item.id));
    const next =
      all.slice(place).find((item) => !ids.has(item.id)) ??
      [...all.slice(0, place)].reverse().find((item) => !ids.has(item.id));
    for (const id of ids) this.settledAt.set(id, Number.POSITIVE_INFINITY);
    this.items.value = (this.items.value ?? []).filter((item) => !ids.has(item.id));
    this.current.value = next?.id ?? null;
    this.decided.value += gone.length;
    const sent = this.sending.then(send);
    const done = { says, items: gone, sent };
    this.done.push(done);
    this.told.value = { text: says, mayUndo: true };
    this.sending = sent.then(
      () => this.settled(ids),
      () => this.forget(done),
    );
  }

  private settled(ids: ReadonlySet<string>): void {
    for (const id of ids) this.settledAt.set(id, performance.now());
  }

  private forget(done: Done): void {
    const place = this.done.indexOf(done);
    if (place >= 0) this.done.splice(place, 1);
  }

  private async refuse(item: WaitingItem, gone: readonly WaitingItem[], problem: ApiProblem): Promise<void> {
    this.putBack(gone);
    this.refusals.value = new Map(this.refusals.value).set(item.id, problem);
    if (problem.isStale && item.memory) await this.readNewer(item.memory);
    const why = problem.isStale ? "Somebody has changed it meanwhile, nothing was decided" : problem.detail;
    this.tell(`${why}: ${item.words}`);
  }

  private async readNewer({ project, id }: Memory): Promise<void> {
    const memory = await get("/v1/projects/{project}/memories/{id}", { path: { project, id } });
    this.newer.value = new Map(this.newer.value).set(id, memory);
  }

  private putBack(items: readonly WaitingItem[]): void {
    const known = this.items.value ?? [];
    for (const { id } of items) this.settledAt.delete(id);
    this.items.value = [...items.filter((item) => !known.some((one) => one.id === item.id)), ...known];
    this.decided.value -= items.length;
  }

  /** Takes back the last decision, and reads what waits anew. */
  async undo(): Promise<void> {
    const done = this.done.pop();
    if (!done) return;
    try {
      const undo = await done.sent;
      await undo?.();
      if (undo) await this.bringBack(done);
      this.tell(undo ? `Taken back. ${done.says}` : `There is no way back from this. ${done.says}`);
    } catch (error) {
      this.tell(asProblem(error).detail);
    }
  }

  private async bringBack({ items }: Done): Promise<void> {
    for (const { id } of items) this.settledAt.delete(id);
    this.decided.value -= items.length;
    await this.load(new AbortController().signal);
    this.current.value = items[0]?.id ?? null;
  }

  private tell(text: string): void {
    this.told.value = { text, mayUndo: this.done.length > 0 };
  }
}

function without<Value>(map: ReadonlyMap<string, Value>, id: string): ReadonlyMap<string, Value> {
  const found = new Map(map);
  found.delete(id);
  return found;
}
