// Places that a proposal takes with its approval: the memories that wait for it, shown beside it as they are looked at.

import type { Memory } from "../../api/client.ts";
import { useChanges } from "../../api/events.ts";
import { useLoaded } from "../../api/load.ts";
import type { ApiProblem } from "../../api/problem.ts";
import { linkTo } from "../../app/router.ts";
import { WordDiff } from "../../widgets/word_diff.tsx";
import { isOver, mayApprove } from "./open_actions.ts";
import { readMemory } from "./read_memory.ts";

/** Memories for whose place one is proposed, as it says itself. */
export function proposedFor({ relations }: Pick<Memory, "relations">): string[] {
  return (relations ?? []).filter((link) => link.type === "proposed_for").map((link) => link.target);
}

/** Tells whether a memory waits for a decision on a proposal for its place. */
export function waitsFor(memory: Pick<Memory, "status" | "doubted">, proposal: string): boolean {
  return !isOver(memory) && (memory.doubted?.proposals.includes(proposal) ?? false);
}

export interface Places {
  /** Memories that wait for the proposal; undefined: they are being read. */
  readonly waiting: readonly Memory[] | undefined;
  readonly problem: ApiProblem | null;
  readonly reload: () => void;
}

/** Reads the memories whose place a memory takes with its approval, and again when the feed tells of a change of one. */
export function usePlaces(memory: Memory): Places {
  const targets = mayApprove(memory) ? proposedFor(memory) : [];
  const key = [memory.project, memory.id, ...targets].join(" ");
  const read = useLoaded(targets.length > 0 ? key : null, async (signal) => ({
    of: key,
    waiting: await readWaiting(memory, targets, signal),
  }));
  useChanges(({ subject }) => subject !== undefined && targets.includes(subject), read.refresh);
  const { value, problem } = read.state.value;
  if (targets.length === 0) return { waiting: [], problem: null, reload: () => undefined };
  return { waiting: value?.of === key ? value.waiting : undefined, problem, reload: read.reload };
}

async function readWaiting(
  { project, id }: Memory,
  targets: readonly string[],
  signal: AbortSignal,
): Promise<Memory[]> {
  const found = await Promise.all(targets.map((target) => readMemory(project, target, signal)));
  return found.filter((one) => one !== null).filter((one) => waitsFor(one, id));
}

export function PlacesNotice({ memory, waiting }: { memory: Memory; waiting: readonly Memory[] }) {
  return (
    <section class="notice" data-tone="info" aria-label="Place that it would take">
      <div class="notice-text">
        {waiting.map((one) => (
          <div key={one.id}>
            <p>
              With its approval it takes the place of{" "}
              <a href={linkTo("memories", {}, [one.id])}>
                <code>{one.id}</code>
              </a>
            </p>
            <WordDiff before={one.content} after={memory.content} />
          </div>
        ))}
      </div>
    </section>
  );
}
