// Registry of keyboard shortcuts: a page adds its own while it is shown, and the help lists what holds now.

import { signal } from "@preact/signals";
import { useLayoutEffect, useRef } from "preact/hooks";
import { signIn } from "./session.ts";

export interface Shortcut {
  /** One key ("j", "?", "Escape"), or two in a row ("g m"). */
  readonly keys: string;
  readonly does: string;
  readonly run: () => void;
}

const PAIR_MS = 1_000;
const registered = new Set<{ current: readonly Shortcut[] }>();

export const isHelpShown = signal(false);

export function useShortcuts(shortcuts: readonly Shortcut[]): void {
  const held = useRef(shortcuts);
  held.current = shortcuts;
  useLayoutEffect(() => {
    registered.add(held);
    return () => {
      registered.delete(held);
    };
  }, []);
}

/** Shortcuts that hold now; of two with the same keys, that of the innermost part. */
export function heldShortcuts(): readonly Shortcut[] {
  const byKeys = new Map<string, Shortcut>();
  for (const { current } of registered) for (const one of current) byKeys.set(one.keys, one);
  return [...byKeys.values()];
}

let first = "";
let firstAt = 0;

function pressed(event: KeyboardEvent): void {
  if (signIn.value.state === "needed" || event.ctrlKey || event.metaKey || event.altKey || isTyping(event))
    return;
  const key = event.key;
  const pair = performance.now() - firstAt < PAIR_MS ? `${first} ${key}` : "";
  const held = heldShortcuts();
  const found = held.find((one) => one.keys === pair) ?? held.find((one) => one.keys === key);
  first = found ? "" : key;
  firstAt = performance.now();
  if (!found) return;
  event.preventDefault();
  found.run();
}

function isTyping(event: KeyboardEvent): boolean {
  const target = event.target;
  if (event.key === "Escape" || !(target instanceof HTMLElement)) return false;
  const dialog = target.closest("dialog");
  if (dialog) return dialog.open; // one that was just closed has the focus until the next frame
  const isText =
    /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName) &&
    !target.matches("[type=checkbox], [type=radio], [type=range]");
  return target.isContentEditable || isText;
}

export function listenToKeys(): () => void {
  addEventListener("keydown", pressed);
  return () => removeEventListener("keydown", pressed);
}
