// Toasts: what was just done, and the way back. Undo stands where a question "are you sure" would.
// What can be taken back, or was refused, stays until it is dismissed or newer ones take its place; the rest goes by
// itself, but not while somebody points at it or has the focus in it.

import { signal } from "@preact/signals";
import { asProblem } from "../api/problem.ts";
import { Button, IconButton } from "./button.tsx";

interface Toast {
  readonly id: number;
  readonly text: string;
  readonly undo: (() => Promise<unknown>) | null;
}

const SHOWN_MS = 8_000;
const SHOWN_MAX = 3;
const toasts = signal<readonly Toast[]>([]);
let made = 0;

export function toast(text: string, undo: (() => Promise<unknown>) | null = null): void {
  const one = show(text, undo);
  if (!undo) leaveLater(one);
}

/** Tells of a refusal in one line. */
export function toastProblem(error: unknown): void {
  const { title, detail, requestId } = asProblem(error);
  show(`${title}: ${detail}${requestId ? ` (request ${requestId})` : ""}`, null);
}

function show(text: string, undo: Toast["undo"]): Toast {
  const one = { id: ++made, text, undo };
  toasts.value = [...makeRoom(toasts.value), one];
  return one;
}

/** Those that stay beside a newer one: what can be taken back makes way last. */
function makeRoom(shown: readonly Toast[]): readonly Toast[] {
  if (shown.length < SHOWN_MAX) return shown;
  const leaves = shown.find((one) => !one.undo) ?? shown[0];
  return shown.filter((one) => one !== leaves);
}

function leaveLater(one: Toast): void {
  const isHeld = () => document.querySelector(".toasts:is(:hover, :focus-within)") !== null;
  setTimeout(() => (isHeld() ? leaveLater(one) : dismiss(one)), SHOWN_MS);
}

function dismiss(one: Toast): void {
  toasts.value = toasts.value.filter((other) => other.id !== one.id);
}

/** Takes back what the newest toast tells of; the shortcut `z`. */
export function undoNewest(): void {
  const one = [...toasts.value].reverse().find((shown) => shown.undo);
  if (one) void takeBack(one);
}

async function takeBack(one: Toast): Promise<void> {
  dismiss(one);
  try {
    await one.undo?.();
    toast("Taken back");
  } catch (error) {
    toastProblem(error);
  }
}

export function Toasts() {
  return (
    <div class="toasts" role="status" aria-live="polite">
      {toasts.value.map((one) => (
        <div class="toast" key={one.id}>
          <span>{one.text}</span>
          {one.undo && <Button onClick={() => void takeBack(one)}>Undo</Button>}
          <IconButton icon="close" label="Dismiss" onClick={() => dismiss(one)} />
        </div>
      ))}
    </div>
  );
}
