// What somebody waits for: what pages load, and changes that are on their way to the server.

import { signal } from "@preact/signals";

const underWay = new Set<object>();

export const isAnyUnderWay = signal(false);

export function begun(work: object): void {
  underWay.add(work);
  isAnyUnderWay.value = true;
}

export function ended(work: object): void {
  underWay.delete(work);
  isAnyUnderWay.value = underWay.size > 0;
}

/** Counts work until it has ended, however it ends. */
export async function waitedFor<Result>(work: Promise<Result>): Promise<Result> {
  begun(work);
  try {
    return await work;
  } finally {
    ended(work);
  }
}
