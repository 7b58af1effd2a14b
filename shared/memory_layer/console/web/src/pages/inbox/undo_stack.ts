// Decisions that may be taken back, the last one first.

import { computed, signal } from "@preact/signals";
import type { WayBack } from "./decisions.ts";
import type { WaitingItem } from "./items.ts";

export interface Done {
  readonly says: string;
  readonly items: readonly WaitingItem[];
  /** There is no way back from it. */
  readonly isFinal: boolean;
  /** Resolves when the decision was sent; null: there was nothing to take back. */
  readonly sent: Promise<WayBack | null>;
}

export class UndoStack {
  private readonly done = signal<readonly Done[]>([]);

  /** The last decision has a way back. */
  readonly mayUndo = computed(() => {
    const last = this.done.value.at(-1);
    return last !== undefined && !last.isFinal;
  });

  push(done: Done): void {
    this.done.value = [...this.done.value, done];
  }

  pop(): Done | undefined {
    const last = this.done.value.at(-1);
    if (last) this.forget(last);
    return last;
  }

  /** Leaves out a decision that was refused, or that had nothing in it. */
  forget(done: Done): void {
    this.done.value = this.done.value.filter((one) => one !== done);
  }
}
