// What may be done with a memory: what the caller's rights and its status leave open. Buttons, keys and links go by it.

import type { Memory } from "../../api/client.ts";
import { mayChange, mayReview, type Owned } from "../../app/caller.ts";

type Status = Pick<Memory, "status">;
const ENDED: readonly Memory["status"][] = ["archived", "rejected", "superseded"];

/** It is out of use: the API takes an undo of that, and no other change. */
export function isOver({ status }: Status): boolean {
  return ENDED.includes(status);
}

/** Tells whether the caller may change what it says, and archive it. */
export function mayEdit(memory: Owned & Status): boolean {
  return mayChange(memory) && !isOver(memory);
}

export function mayApprove(memory: Status & Pick<Memory, "approved_by">): boolean {
  if (!mayReview() || isOver(memory)) return false;
  return memory.status !== "active" || !memory.approved_by;
}
