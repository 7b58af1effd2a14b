// The list of all pages, in the order of the navigation. A page is shown as soon as src/pages/<name>.tsx exists.

import { builtPages } from "built-pages";
import type { IconName } from "../widgets/icon.tsx";

export interface PageEntry {
  readonly name: string;
  readonly title: string;
  readonly icon: IconName;
  /** Second key of the shortcut `g x`. */
  readonly key: string;
  readonly group: "know" | "decide" | "run";
  /** Right without which the page would be refused. */
  readonly needs?: "review" | "audit" | "administer";
}

const ALL_PAGES: readonly PageEntry[] = [
  { name: "dashboard", title: "Dashboard", icon: "dashboard", key: "d", group: "know" },
  { name: "memories", title: "Memories", icon: "list", key: "m", group: "know" },
  { name: "search", title: "Search", icon: "search", key: "s", group: "know" },
  { name: "graph", title: "Graph", icon: "graph", key: "g", group: "know" },
  { name: "playbook", title: "Playbook", icon: "book", key: "p", group: "know" },
  { name: "timeline", title: "Timeline", icon: "clock", key: "t", group: "know" },
  { name: "inbox", title: "Inbox", icon: "inbox", key: "i", group: "decide", needs: "review" },
  { name: "authors", title: "Authors", icon: "person", key: "w", group: "decide", needs: "audit" },
  { name: "agent", title: "What an agent would get", icon: "page", key: "a", group: "decide" },
  { name: "runs", title: "Runs", icon: "run", key: "r", group: "run" },
  { name: "tasks", title: "Tasks", icon: "check", key: "k", group: "run" },
  { name: "lifecycle", title: "Lifecycle", icon: "layers", key: "l", group: "run" },
  { name: "audit", title: "Audit", icon: "shield", key: "u", group: "run", needs: "audit" },
  { name: "settings", title: "Settings", icon: "sliders", key: "e", group: "run", needs: "administer" },
];

export const pages: readonly PageEntry[] = ALL_PAGES.filter((page) => builtPages[page.name]);

export function pageOf(name: string): PageEntry | undefined {
  return pages.find((page) => page.name === name);
}
