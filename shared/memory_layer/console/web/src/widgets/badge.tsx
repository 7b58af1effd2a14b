// Marks of a memory: its status, who speaks in it, its category, whether somebody doubts it.

import type { Memory, Schemas } from "../api/client.ts";
import { Icon } from "./icon.tsx";

export type Tone = "good" | "warn" | "bad" | "info" | "quiet";

const TONES: Record<Schemas["MemoryStatus"], Tone> = {
  active: "good",
  pending: "info",
  quarantined: "bad",
  rejected: "bad",
  stale: "warn",
  superseded: "quiet",
  archived: "quiet",
  inactive: "quiet",
};

/** Series by category: eight hues for fifteen; the name stands beside each. */
const SERIES: Record<Schemas["Category"], number> = {
  architecture: 1,
  decision: 1,
  convention: 2,
  coding_style: 2,
  gotcha: 3,
  troubleshooting: 3,
  workaround: 3,
  pattern: 4,
  preference: 5,
  tool_preference: 5,
  command: 6,
  dependency: 7,
  environment: 7,
  context: 8,
  todo: 8,
  general: 8,
};

export function Badge({ tone = "quiet", children }: { tone?: Tone; children: preact.ComponentChildren }) {
  return (
    <span class="badge" data-tone={tone}>
      {children}
    </span>
  );
}

export function StatusBadge({ status }: { status: Schemas["MemoryStatus"] }) {
  return <Badge tone={TONES[status]}>{status}</Badge>;
}

/** Who speaks: a person or approved words, or words that nobody has reviewed. */
export function StandingMark({ standing }: { standing: Schemas["Standing"] | undefined }) {
  const isTrusted = standing === "trusted";
  const words = isTrusted ? "Trusted: a person said it or a reviewer approved it" : "Unreviewed";
  return (
    <span class="mark" data-standing={standing} title={words}>
      <Icon name={isTrusted ? "person" : "machine"} />
      <span class="visually-hidden">{words}</span>
    </span>
  );
}

export function CategoryMark({ category }: { category: string }) {
  return (
    <span class="bars-name">
      <span class="dot" data-series={seriesOf(category)} />
      {category.replaceAll("_", " ")}
    </span>
  );
}

export function seriesOf(category: string): number {
  return SERIES[category as Schemas["Category"]] ?? 8;
}

/** All marks of a memory in one line. */
export function MemoryMarks({ memory }: { memory: Pick<Memory, "status" | "doubted" | "pinned"> }) {
  return (
    <>
      {memory.status !== "active" && <StatusBadge status={memory.status} />}
      {memory.doubted && <Badge tone="warn">doubted</Badge>}
      {memory.pinned && (
        <Badge tone="info">
          <Icon name="pin" size={12} /> pinned
        </Badge>
      )}
    </>
  );
}
