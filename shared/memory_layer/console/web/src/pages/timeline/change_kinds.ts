// Kinds of changes: what each type of the feed is called, and which types a choice of the page stands for.

import type { Schemas } from "../../api/client.ts";
import type { Tone } from "../../widgets/badge.tsx";

type ChangeType = Schemas["ChangeType"];
export type ChangeKind = "memory" | "verdict" | "run" | "other";

export const CHANGES: Record<ChangeType, { does: string; tone: Tone; kind: ChangeKind }> = {
  "memory.created": { does: "created", tone: "good", kind: "memory" },
  "memory.edited": { does: "edited", tone: "info", kind: "memory" },
  "memory.approved": { does: "approved", tone: "good", kind: "verdict" },
  "memory.rejected": { does: "rejected", tone: "bad", kind: "verdict" },
  "memory.confirmed": { does: "confirmed", tone: "good", kind: "verdict" },
  "memory.superseded": { does: "superseded", tone: "warn", kind: "memory" },
  "memory.doubted": { does: "doubted", tone: "warn", kind: "verdict" },
  "memory.stale": { does: "stale", tone: "warn", kind: "memory" },
  "memory.quarantined": { does: "quarantined", tone: "bad", kind: "memory" },
  "memory.judged": { does: "judged", tone: "info", kind: "verdict" },
  "memory.archived": { does: "archived", tone: "quiet", kind: "memory" },
  "memory.deactivated": { does: "deactivated", tone: "quiet", kind: "memory" },
  "memory.restored": { does: "restored", tone: "info", kind: "memory" },
  "memory.moved": { does: "moved", tone: "quiet", kind: "memory" },
  "memory.changed": { does: "changed", tone: "info", kind: "memory" },
  "memory.erased": { does: "erased", tone: "bad", kind: "memory" },
  "knowledge.applied": { does: "applied", tone: "good", kind: "verdict" },
  "run.reported": { does: "run reported", tone: "info", kind: "run" },
  "run.erased": { does: "run erased", tone: "bad", kind: "run" },
  "learning.changed": { does: "learning", tone: "info", kind: "other" },
  "settings.changed": { does: "settings", tone: "warn", kind: "other" },
  "person.erased": { does: "person erased", tone: "bad", kind: "other" },
  "project.erased": { does: "project erased", tone: "bad", kind: "other" },
};

export const KINDS: readonly (readonly [ChangeKind, string])[] = [
  ["memory", "of memories"],
  ["verdict", "verdicts"],
  ["run", "of runs"],
  ["other", "of settings and people"],
];

export function kindOf(type: ChangeType): ChangeKind {
  return CHANGES[type].kind;
}

/** Types that a choice stands for; none: every one. */
export function typesOf(kind: string): ChangeType[] {
  const types = Object.keys(CHANGES) as ChangeType[];
  return kind ? types.filter((type) => kindOf(type) === kind) : [];
}
