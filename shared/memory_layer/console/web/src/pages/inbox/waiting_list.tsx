// List of what waits, grouped by kind and by who wrote it; a group of held-back texts is decided on as one.

import { useEffect, useRef } from "preact/hooks";
import { Badge, type Tone } from "../../widgets/badge.tsx";
import { Button } from "../../widgets/button.tsx";
import { count } from "../../widgets/moment.tsx";
import { groupsOf, isGroupable, KINDS, type Kind, type WaitingGroup, type WaitingItem } from "./items.ts";
import type { InboxQueue } from "./queue.ts";

const TONES: Record<Kind, Tone> = {
  quarantined: "bad",
  pending: "info",
  unapproved: "info",
  doubted: "warn",
  stale: "warn",
  conflict: "bad",
  duplicate: "quiet",
  staged: "good",
};

export function KindBadge({ kind }: { kind: Kind }) {
  return <Badge tone={TONES[kind]}>{KINDS[kind]}</Badge>;
}

export function WaitingList({ queue, items }: { queue: InboxQueue; items: readonly WaitingItem[] }) {
  const current = queue.currentItem()?.id ?? null;
  return (
    <nav class="waiting" aria-label="What waits">
      {groupsOf(items).map((group) => (
        <Group key={group.key} group={group} queue={queue} current={current} />
      ))}
    </nav>
  );
}

interface GroupProps {
  group: WaitingGroup;
  queue: InboxQueue;
  current: string | null;
}

function Group({ group, queue, current }: GroupProps) {
  const isMany = group.items.length > 1 && group.items.every(isGroupable);
  return (
    <section class="waiting-group" aria-label={`${KINDS[group.kind]} ${group.by}`}>
      <header class="waiting-head">
        <KindBadge kind={group.kind} />
        <span class="waiting-by">{group.by}</span>
        <span class="soft">{count(group.items.length)}</span>
        {isMany && (
          <span class="waiting-acts">
            <Button kind="quiet" onClick={() => queue.decideGroup(group.items, "approve")}>
              {group.kind === "doubted" ? "All still hold" : "Approve all"}
            </Button>
            <Button kind="quiet" onClick={() => queue.decideGroup(group.items, "reject")}>
              Reject all
            </Button>
          </span>
        )}
      </header>
      <ul>
        {group.items.map((item) => (
          <Line key={item.id} item={item} queue={queue} isCurrent={item.id === current} />
        ))}
      </ul>
    </section>
  );
}

function Line({ item, queue, isCurrent }: { item: WaitingItem; queue: InboxQueue; isCurrent: boolean }) {
  const held = useRef<HTMLLIElement>(null);
  useEffect(() => {
    if (isCurrent) held.current?.scrollIntoView({ block: "nearest" });
  }, [isCurrent]);
  const isNewer = queue.newer.value.has(item.id);
  return (
    <li ref={held}>
      <button
        type="button"
        class="waiting-line"
        aria-current={isCurrent ? "true" : undefined}
        onClick={() => {
          queue.current.value = item.id;
        }}
      >
        <span class="clamp">{item.words}</span>
        {isNewer && <Badge tone="warn">changed meanwhile</Badge>}
        {!isNewer && queue.refusals.value.has(item.id) && <Badge tone="bad">refused</Badge>}
      </button>
    </li>
  );
}
