// Actions on an item that waits, each with its key: those that its kind and what is beside it leave open.

import type { Memory } from "../../api/client.ts";
import * as decisions from "./decisions.ts";
import { type Near, placesOf, type WaitingItem } from "./items.ts";
import type { InboxQueue } from "./queue.ts";
import type { Wording } from "./wording_form.tsx";

export interface Action {
  readonly key: string;
  readonly says: string;
  readonly run: () => void;
  readonly isFirst?: boolean;
}

type Ask = (wording: Wording) => void;
type Make = (item: WaitingItem) => decisions.Decision | null;

export function actionsOn(
  item: WaitingItem,
  near: readonly Near[] | undefined,
  proposals: readonly Memory[],
  queue: InboxQueue,
  ask: Ask,
): Action[] {
  const act = (key: string, says: string, make: Make): Action => ({
    key,
    says,
    run: () => queue.decide(item, make),
  });
  if (item.pair) return pairActions(item, queue, ask, act);
  const approve = act("a", approvalOf(item, near), (one) => decisions.approve(one, near));
  const shared = [{ ...approve, isFirst: true }, act("r", "Reject", decisions.reject)];
  if (!item.memory) return shared;
  const taken = proposals.map((proposal, place) =>
    act(`${place + 1}`, `Take proposal ${place + 1}`, (one) => decisions.acceptProposal(one, proposal)),
  );
  return [...shared, ...taken, ...memoryActions(item, near, queue, ask, act)];
}

function approvalOf(item: WaitingItem, near: readonly Near[] | undefined): string {
  if (item.staged) return "Promote";
  if (placesOf(item, near).length > 0) return "Approve in its place";
  return item.kind === "doubted" || item.kind === "stale" ? "It still holds" : "Approve";
}

type Act = (key: string, says: string, make: Make) => Action;

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
  const worded = (words: string): Make => {
    return heldBack ? (one) => decisions.reword(one, words, near) : (one) => decisions.correct(one, words);
  };
  const edit = asking(ask, "e", "Edit", {
    title: heldBack ? "Edit, then approve" : "What is true instead",
    verb: heldBack ? "Save and approve" : "Put it in its place",
    words: item.words,
    save: (words) => queue.decide(item, worded(words)),
  });
  const put = act("x", "Archive", decisions.archive);
  if (!heldBack || !twin) return [edit, put];
  const merge = mergeAction(item, twin, queue, ask, act);
  if (places.includes(twin.id)) return [edit, merge, put]; // its approval takes the place already
  if (places.length > 0) return [edit, put]; // it would take another's place with its approval
  const take = act("s", "Supersede the nearest", (one) => decisions.takePlaceOf(one, twin));
  return [edit, merge, take, put];
}

function mergeAction(item: WaitingItem, twin: Near, queue: InboxQueue, ask: Ask, act: Act): Action {
  const isProposal = placesOf(item, [twin]).includes(twin.id);
  if (twin.verdict === "same" && !isProposal) {
    return act("m", "Merge with the nearest", (one) => decisions.mergeInto(one, twin, null));
  }
  const worded = (words: string): Make => {
    return isProposal
      ? (one) => decisions.reword(one, words, [twin])
      : (one) => decisions.mergeInto(one, twin, words);
  };
  return asking(ask, "m", "Merge with the nearest", {
    title: "What one memory says instead of both",
    verb: "Merge",
    words: `${twin.content}\n${item.words}`,
    save: (words) => queue.decide(item, worded(words)),
  });
}

function pairActions(item: WaitingItem, queue: InboxQueue, ask: Ask, act: Act): Action[] {
  const merge =
    item.kind === "duplicate"
      ? act("m", "Merge", (one) => decisions.mergePair(one, null))
      : asking(ask, "m", "Merge", {
          title: "What one memory says instead of both",
          verb: "Merge",
          words: item.pair?.memories.map((one) => one.content).join("\n") ?? "",
          save: (words) => queue.decide(item, (one) => decisions.mergePair(one, words)),
        });
  return [
    act("1", "Keep the first", (one) => decisions.choose(one, 0)),
    act("2", "Keep the second", (one) => decisions.choose(one, 1)),
    merge,
    act("a", "Keep both", (one) => decisions.approve(one)),
  ];
}

function asking(ask: Ask, key: string, says: string, wording: Wording): Action {
  return { key, says, run: () => ask(wording) };
}
