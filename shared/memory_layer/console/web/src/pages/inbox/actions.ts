// Actions on an item that waits, each with its key: those that its kind and what is beside it leave open.

import * as decisions from "./decisions.ts";
import { type Near, placesOf, seenPlaces, type WaitingItem } from "./items.ts";
import type { Neighbours } from "./neighbours.ts";
import type { InboxQueue } from "./queue.ts";
import type { Wording } from "./wording_form.tsx";

export interface Action {
  readonly key: string;
  readonly says: string;
  readonly run: () => void;
  readonly isFirst?: boolean;
}

type Ask = (wording: Wording) => void;

interface Named extends Omit<Wording, "save" | "keep"> {
  readonly says: string;
  readonly decision: (words: string) => decisions.Decision | null;
}

export function actionsOn(
  item: WaitingItem,
  { near, proposals = [] }: Neighbours,
  queue: InboxQueue,
  ask: Ask,
): Action[] {
  const act = (key: string, says: string, decision: decisions.Decision | null): Action => ({
    key,
    says,
    run: () => queue.decide(item, decision),
  });
  if (item.pair) return pairActions(item, queue, ask, act);
  const places = seenPlaces(item, queue.items.value ?? [], near);
  const approve = act("a", approvalOf(item, near), decisions.approve(item, places));
  const shared = [{ ...approve, isFirst: true }, act("r", "Reject", decisions.reject(item))];
  if (!item.memory) return shared;
  const taken = proposals.map((proposal, place) =>
    act(`${place + 1}`, `Take proposal ${place + 1}`, decisions.acceptProposal(item, proposal)),
  );
  return [...shared, ...taken, ...memoryActions(item, near, queue, ask, act)];
}

function approvalOf(item: WaitingItem, near: readonly Near[] | undefined): string {
  if (item.staged) return "Promote";
  if (placesOf(item, near).length > 0) return "Approve in its place";
  return item.kind === "doubted" || item.kind === "stale" ? "It still holds" : "Approve";
}

type Act = (key: string, says: string, decision: decisions.Decision | null) => Action;

function memoryActions(
  item: WaitingItem,
  near: readonly Near[] | undefined,
  queue: InboxQueue,
  ask: Ask,
  act: Act,
): Action[] {
  const heldBack = item.kind === "pending" || item.kind === "quarantined";
  const places = placesOf(item, near);
  const twin = near?.find((one) => places.includes(one.id)) ?? near?.[0];
  const edit = asking(item, queue, ask, "e", {
    says: "Edit",
    title: heldBack ? "Edit, then approve" : "What is true instead",
    verb: heldBack ? "Save and approve" : "Put it in its place",
    words: item.words,
    decision: (words) =>
      heldBack
        ? decisions.reword(item, words, seenPlaces(item, queue.items.value ?? [], near))
        : decisions.correct(item, words),
  });
  const put = act("x", "Archive", decisions.archive(item));
  if (!heldBack || !twin) return [edit, put];
  const merge = mergeAction(item, twin, queue, ask, act);
  if (places.includes(twin.id)) return [edit, merge, put]; // its approval takes the place already
  if (places.length > 0) return [edit, put]; // it would take another's place with its approval
  const take = act("s", "Supersede the nearest", decisions.takePlaceOf(item, twin));
  return [edit, merge, take, put];
}

function mergeAction(item: WaitingItem, twin: Near, queue: InboxQueue, ask: Ask, act: Act): Action {
  const isProposal = placesOf(item, [twin]).includes(twin.id);
  if (twin.verdict === "same" && !isProposal) {
    return act("m", "Merge with the nearest", decisions.mergeInto(item, twin, null));
  }
  return asking(item, queue, ask, "m", {
    says: "Merge with the nearest",
    title: "What one memory says instead of both",
    verb: "Merge",
    words: `${twin.content}\n${item.words}`,
    decision: (words) =>
      isProposal ? decisions.reword(item, words, [twin]) : decisions.mergeInto(item, twin, words),
  });
}

function pairActions(item: WaitingItem, queue: InboxQueue, ask: Ask, act: Act): Action[] {
  const merge =
    item.kind === "duplicate"
      ? act("m", "Merge", decisions.mergePair(item, null))
      : asking(item, queue, ask, "m", {
          says: "Merge",
          title: "What one memory says instead of both",
          verb: "Merge",
          words: item.pair?.memories.map((one) => one.content).join("\n") ?? "",
          decision: (words) => decisions.mergePair(item, words),
        });
  return [
    act("1", "Keep the first", decisions.choose(item, 0)),
    act("2", "Keep the second", decisions.choose(item, 1)),
    merge,
    act("a", "Keep both", decisions.approve(item)),
  ];
}

/** Action that asks for words first, and keeps what was written. */
function asking(item: WaitingItem, queue: InboxQueue, ask: Ask, key: string, wording: Named): Action {
  const place = `${item.id} ${key}`;
  const save = (words: string) => {
    queue.keepDraft(place, words, { isSent: true });
    queue.decide(item, wording.decision(words));
  };
  const keep = (words: string | null) => queue.keepDraft(place, words);
  const run = () => ask({ ...wording, draft: queue.drafts.get(place), keep, save });
  return { key, says: wording.says, run };
}
