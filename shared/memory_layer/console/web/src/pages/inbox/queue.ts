// Queue of the inbox: a decision takes its item out of sight at once and is sent behind it, one after the other. What is
// refused comes back with the reason; what somebody has changed meanwhile comes back as it is now, to be looked at.

import { type Signal, signal } from "@preact/signals";
import { type ApiProblem, asProblem } from "../../api/problem.ts";
import { readMemory } from "../memories/read_memory.ts";
import type { Decision, WayBack } from "./decisions.ts";
import { decideGroup, type GroupDecision, groupWayBack } from "./group_decisions.ts";
import {
  groupsOf,
  isOver,
  isSameAgain,
  principalOf,
  readWaiting,
  stampOf,
  versionsOf,
  type WaitingItem,
  withMemory,
  withoutItems,
} from "./items.ts";
import { type Done, UndoStack } from "./undo_stack.ts";

/** How long a list that was read may still show what was decided on since. */
const BEHIND_MS = 3_000;
const CHANGED = "It has changed meanwhile, nothing was decided";
const CHANGED_BESIDE = "What stands beside it has changed meanwhile, nothing was decided";

export class InboxQueue {
  readonly items: Signal<readonly WaitingItem[] | null> = signal(null);
  readonly hasMore = signal(false);
  readonly problem: Signal<ApiProblem | null> = signal(null);
  readonly decided = signal(0);
  /** What was done last. */
  readonly told: Signal<string | null> = signal(null);
  readonly current: Signal<string | null>;
  readonly shown: Signal<(item: WaitingItem) => boolean> = signal(() => true);
  /** Why a decision on an item was refused, by its id. */
  readonly refusals: Signal<ReadonlyMap<string, ApiProblem>> = signal(new Map());
  /** Items as they are now, where somebody has changed them since they were read, by id; null: they wait no longer. */
  readonly newer: Signal<ReadonlyMap<string, WaitingItem | null>> = signal(new Map());
  /** Decisions that were refused; after each, what stands beside an item is read again. */
  readonly refused = signal(0);
  /** Words that were written, by item and key: no refusal loses them. */
  readonly drafts = new Map<string, string>();
  /** Of these, the ones that no decision was sent with. */
  readonly unsent: Signal<ReadonlySet<string>> = signal(new Set());
  readonly decisions = new UndoStack();

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

  /** Takes a list that was read: what is looked at, and what a decision was refused on, stays in sight as it was, and that
      it is newer, or gone, is told. */
  private take(found: readonly WaitingItem[], asked: number): void {
    const known = new Map((this.items.value ?? []).map((item) => [item.id, item]));
    const open = found.filter(
      (item) =>
        asked > (this.settledAt.get(item.id) ?? Number.NEGATIVE_INFINITY) + BEHIND_MS || known.has(item.id),
    );
    const looking = this.currentItem();
    const newer = new Map<string, WaitingItem | null>();
    const kept = open.map((item) => {
      const seen = known.get(item.id);
      if (seen && isEarlier(item, seen)) return seen;
      if (!seen || stampOf(seen) === stampOf(item) || isSameAgain(seen, item)) return item;
      newer.set(item.id, item);
      return seen;
    });
    const listed = new Set(open.map((item) => item.id));
    for (const [place, item] of [...known.values()].entries()) {
      if (listed.has(item.id) || (item.id !== looking?.id && !this.refusals.value.has(item.id))) continue;
      newer.set(item.id, this.newer.value.get(item.id) ?? null);
      kept.splice(place, 0, item);
    }
    this.newer.value = newer;
    this.items.value = kept;
    this.current.value = looking?.id ?? this.current.value;
  }

  /** Takes note of what somebody has changed: from now on decisions are on the newer one; what is gone goes. */
  lookAtNewer(id: string): void {
    const item = this.newer.value.get(id);
    if (item === undefined) return;
    const ids = new Set([id]);
    this.newer.value = without(this.newer.value, ids);
    this.refusals.value = without(this.refusals.value, ids);
    if (item === null || isOver(item)) this.drop(ids);
    else this.items.value = (this.items.value ?? []).map((one) => (one.id === id ? item : one));
  }

  decide(item: WaitingItem, decision: Decision | null): void {
    if (!decision) return;
    if (this.newer.value.has(item.id)) {
      this.told.value = `${CHANGED}: ${item.words}`;
      return;
    }
    const settled = [item.id, ...(decision.settles ?? [])];
    const gone = (this.items.value ?? []).filter((one) => settled.includes(one.id));
    this.takeOut(gone, `${decision.says}: ${item.words}`, decision.isFinal ?? false, async () => {
      try {
        return await decision.send();
      } catch (error) {
        await this.refuse(item, gone, asProblem(error));
        throw error;
      }
    });
  }

  /** Keeps words that were written. Args: words: null: there are none any more. */
  keepDraft(place: string, words: string | null, { isSent = false } = {}): void {
    if (words === null) this.drafts.delete(place);
    else this.drafts.set(place, words);
    const others = [...this.unsent.value].filter((one) => one !== place);
    this.unsent.value = new Set(words === null || isSent ? others : [...others, place]);
  }

  /** Decides on a group as one. What was changed meanwhile, or is no longer there to decide on, comes back. */
  decideGroup(items: readonly WaitingItem[], decision: GroupDecision): void {
    const open = items.filter((item) => !this.newer.value.has(item.id));
    const [first] = open;
    const listed = this.items.value ?? [];
    if (!first) return;
    const holds = first.kind === "doubted" && decision === "approve";
    const done = holds ? "Still hold" : decision === "approve" ? "Approved" : "Rejected";
    const says = `${done}: ${open.length} of ${principalOf(first) || "runs"}`;
    this.takeOut(open, says, holds || !open.some((item) => item.memory), async () => {
      const refused = await decideGroup(open, decision, listed).catch(async (error: unknown) => {
        await this.refuse(first, open, asProblem(error));
        throw error;
      });
      for (const { items: left, problem } of refused) await this.refuse(left[0] ?? first, left, problem);
      const undecided = new Set(refused.flatMap(({ items: left }) => left.map((item) => item.id)));
      return holds ? null : groupWayBack(withoutItems(open, undecided));
    });
  }

  private takeOut(
    gone: readonly WaitingItem[],
    says: string,
    isFinal: boolean,
    send: () => Promise<WayBack | null>,
  ): void {
    const ids = new Set(gone.map((item) => item.id));
    for (const id of ids) this.settledAt.set(id, Number.POSITIVE_INFINITY);
    this.refusals.value = without(this.refusals.value, ids);
    this.drop(ids);
    this.decided.value += gone.length;
    const sent = this.sending.then(send);
    const done = { says, items: gone, isFinal, sent };
    this.decisions.push(done);
    this.told.value = says;
    this.sending = sent.then(
      (back) => this.settled(ids, done, back),
      () => this.decisions.forget(done),
    );
  }

  /** Takes items out of sight; the next one is looked at, else the one before. */
  private drop(ids: ReadonlySet<string>): void {
    const all = this.ordered();
    const place = all.findIndex((item) => ids.has(item.id));
    const next =
      all.slice(place).find((item) => !ids.has(item.id)) ??
      [...all.slice(0, place)].reverse().find((item) => !ids.has(item.id));
    this.items.value = withoutItems(this.items.value ?? [], ids);
    this.unsent.value = new Set([...this.unsent.value].filter((one) => !ids.has(itemOfDraft(one))));
    this.current.value = next?.id ?? null;
  }

  private settled(ids: ReadonlySet<string>, done: Done, back: WayBack | null): void {
    for (const id of ids) if (this.settledAt.has(id)) this.settledAt.set(id, performance.now());
    if (!back && !done.isFinal) this.decisions.forget(done);
  }

  private async refuse(item: WaitingItem, gone: readonly WaitingItem[], problem: ApiProblem): Promise<void> {
    this.putBack(gone);
    this.refusals.value = new Map(this.refusals.value).set(item.id, problem);
    this.refused.value += 1;
    this.told.value = `${problem.detail}: ${item.words}`;
    if (!problem.isStale) return item.memory ? undefined : this.load(new AbortController().signal);
    const isItself = await this.isNewer(item);
    this.told.value = `${isItself ? CHANGED : CHANGED_BESIDE}: ${item.words}`;
  }

  /** Reads an item again. Resolves to false where it shows the same: what stands beside it was changed then. */
  private async isNewer(item: WaitingItem): Promise<boolean> {
    const now = await readAgain(item);
    if (now && isSameAgain(item, now)) {
      this.items.value = (this.items.value ?? []).map((one) => (one.id === item.id ? now : one));
      return false;
    }
    this.newer.value = new Map(this.newer.value).set(item.id, now);
    return true;
  }

  private putBack(items: readonly WaitingItem[]): void {
    const known = this.items.value ?? [];
    for (const { id } of items) this.settledAt.delete(id);
    const drafts = [...this.drafts.keys()].filter((one) => items.some(({ id }) => id === itemOfDraft(one)));
    this.unsent.value = new Set([...this.unsent.value, ...drafts]);
    this.items.value = [...items.filter((item) => !known.some((one) => one.id === item.id)), ...known];
    this.decided.value -= items.length;
  }

  /** Takes back the last decision, and reads what waits anew. */
  async undo(): Promise<void> {
    const done = this.decisions.pop();
    if (!done) return;
    try {
      const back = await done.sent;
      const stays = await back?.();
      if (back) await this.bringBack(done);
      const says = back ? (stays ?? "Taken back") : "There is no way back from this";
      this.told.value = `${says}. ${done.says}`;
    } catch (error) {
      const problem = asProblem(error);
      const why = problem.isStale ? "It has changed since, and stays as it is" : problem.detail;
      this.told.value = `${why}. ${done.says}`;
    }
  }

  private async bringBack({ items }: Done): Promise<void> {
    for (const { id } of items) if (this.settledAt.delete(id)) this.decided.value -= 1; // the others were refused
    await this.load(new AbortController().signal);
    this.current.value = items[0]?.id ?? null;
  }
}

function itemOfDraft(place: string): string {
  return place.split(" ", 1)[0] ?? "";
}

/** Tells a list that lags behind from a newer one. */
function isEarlier(item: WaitingItem, seen: WaitingItem): boolean {
  const versions = versionsOf(seen);
  return versionsOf(item).some((version, place) => version < (versions[place] ?? 0));
}

/** Reads an item as it is now; null: it is gone, or waits no longer. */
async function readAgain(item: WaitingItem): Promise<WaitingItem | null> {
  const { memory, project, id } = item;
  if (!memory) {
    const { items } = await readWaiting(project, new AbortController().signal);
    return items.find((one) => one.id === id) ?? null;
  }
  const now = await readMemory(project, id);
  return now && withMemory(item, now);
}

function without<Value>(
  map: ReadonlyMap<string, Value>,
  ids: ReadonlySet<string>,
): ReadonlyMap<string, Value> {
  return new Map([...map].filter(([id]) => !ids.has(id)));
}
