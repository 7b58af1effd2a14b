// Task as a memory of category todo tells it: `mem tasks --sync` writes "Task ID (state, priority N): title", and tags it
// with its keeper and its labels. Any other to-do is a task by its first line.

import type { Memory } from "../../api/client.ts";
import type { Tone } from "../../widgets/badge.tsx";

export interface Task {
  readonly memory: Memory;
  readonly id: string | null;
  readonly state: string | null;
  /** 0 is the most urgent. */
  readonly priority: number | null;
  readonly title: string;
  readonly description: string;
  readonly keeper: string | null;
  readonly labels: readonly string[];
  /** Entity by which memories are about it. */
  readonly urn: string | null;
}

/** Tools that keep tasks, by their tags. */
export const KEEPERS: Readonly<Record<string, string>> = { beads: "Beads", claude: "Claude Code" };

export const STATE_TONES: Readonly<Record<string, Tone>> = {
  open: "info",
  "in progress": "good",
  blocked: "warn",
};

const TOLD = /^Task (\S+) \((open|in progress|blocked|done)(?:, priority (\d+))?\): /;

export function taskOf(memory: Memory): Task {
  const told = TOLD.exec(memory.content);
  const [title = "", ...rest] = memory.content.slice(told?.[0].length ?? 0).split("\n");
  const own = new Set(["task", ...Object.keys(KEEPERS)]);
  return {
    memory,
    id: told?.[1] ?? null,
    state: told?.[2] ?? null,
    priority: told?.[3] === undefined ? null : Number(told[3]),
    title,
    description: rest.join("\n").trim(),
    keeper: memory.tags.find((tag) => tag in KEEPERS) ?? null,
    labels: memory.tags.filter((tag) => !own.has(tag)),
    urn: memory.entities.find((entity) => entity.startsWith("urn:task:")) ?? memory.entities[0] ?? null,
  };
}
