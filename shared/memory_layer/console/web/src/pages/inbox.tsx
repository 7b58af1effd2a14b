// Inbox: all that waits for a person, with what is near to it, decided by key. The keys stand on the buttons and in the help.

import "./inbox.css";
import { useEffect, useMemo, useState } from "preact/hooks";
import { useChanges } from "../api/events.ts";
import { waitedFor } from "../api/under_way.ts";
import { mayReview } from "../app/caller.ts";
import { changeQuery, linkTo, place } from "../app/router.ts";
import { useShortcuts } from "../app/shortcuts.ts";
import { UnsavedQuestion } from "../app/unsaved.tsx";
import { Button } from "../widgets/button.tsx";
import { count } from "../widgets/moment.tsx";
import { EmptyState, ProblemNotice } from "../widgets/notice.tsx";
import { type Tab, Tabs } from "../widgets/tabs.tsx";
import { actionsOn } from "./inbox/actions.ts";
import { ItemCard } from "./inbox/item_card.tsx";
import { groupKey, isGroupable, KINDS, type Kind, principalOf, type WaitingItem } from "./inbox/items.ts";
import { useNeighbours } from "./inbox/neighbours.ts";
import { InboxQueue } from "./inbox/queue.ts";
import { ReorganisedSet } from "./inbox/reorganised_set.tsx";
import { WaitingList } from "./inbox/waiting_list.tsx";
import { type Wording, WordingForm } from "./inbox/wording_form.tsx";

/** Browsers slow a page down that changes its address at each key. */
const ADDRESS_MS = 300;

export default function InboxPage() {
  const project = place.value.project ?? "";
  const queue = useMemo(() => new InboxQueue(project, place.value.query.get("at")), [project]);
  const [wording, setWording] = useState<Wording | null>(null);
  useReading(queue);
  const { kind, by } = filterOf(place.value.query);
  queue.shown.value = shownBy(kind, by);
  const items = queue.ordered();
  const item = queue.currentItem();
  const beside = useNeighbours(item, queue.refused.value);
  const actions = item ? actionsOn(item, beside, queue, setWording) : [];
  const ofGroup = item && isGroupable(item) ? items.filter((one) => groupKey(one) === groupKey(item)) : [];
  useAddress(queue, item);
  useShortcuts([
    { keys: "j", does: "Next item", run: () => queue.move(1) },
    { keys: "k", does: "Previous item", run: () => queue.move(-1) },
    ...actions.map(({ key, says, run }) => ({ keys: key, does: says, run })),
    { keys: "A", does: "Approve the whole group", run: () => queue.decideGroup(ofGroup, "approve") },
    { keys: "R", does: "Reject the whole group", run: () => queue.decideGroup(ofGroup, "reject") },
    { keys: "v", does: "Look at what somebody has changed", run: () => item && queue.lookAtNewer(item.id) },
    { keys: "z", does: "Take the last decision back", run: () => void queue.undo() },
  ]);
  return (
    <div class="page">
      <header class="page-head">
        <h1>Inbox</h1>
        <span class="page-note">
          {queue.items.value && `${count(queue.items.value.length)}${queue.hasMore.value ? "+" : ""} wait`}
        </span>
      </header>
      {queue.problem.value && <ProblemNotice problem={queue.problem.value} retry={() => void read(queue)} />}
      {mayReview() && <ReorganisedSet project={project} />}
      <KindTabs items={queue.items.value ?? []} kind={kind} by={by} />
      <LastDecision queue={queue} />
      {item ? (
        <div class="inbox">
          <WaitingList queue={queue} items={items} />
          <ItemCard
            key={item.id}
            item={item}
            queue={queue}
            beside={beside}
            actions={
              <div class="toolbar" role="toolbar" aria-label="Decide">
                {actions.map(({ key, says, run, isFirst }) => (
                  <Button key={key} kind={isFirst ? "primary" : "plain"} onClick={run}>
                    {says} <kbd>{key}</kbd>
                  </Button>
                ))}
              </div>
            }
          />
        </div>
      ) : (
        queue.items.value && <NothingWaits isFiltered={kind !== null || by !== null} />
      )}
      <UnsavedQuestion isEdited={queue.unsent.value.size > 0} />
      {wording && <WordingForm wording={wording} close={() => setWording(null)} />}
    </div>
  );
}

function read(queue: InboxQueue): Promise<void> {
  return queue.load(new AbortController().signal);
}

/** Reads what waits, and again when the feed tells of a change. */
function useReading(queue: InboxQueue): void {
  useEffect(() => {
    const stop = new AbortController();
    void waitedFor(queue.load(stop.signal));
    return () => stop.abort();
  }, [queue]);
  useChanges(
    (event) => event.type.startsWith("memory."),
    () => void read(queue),
  );
}

/** Keeps the item that is looked at in the address. */
function useAddress(queue: InboxQueue, item: WaitingItem | null): void {
  const id = item?.id ?? null;
  useEffect(() => {
    if (queue.items.value === null) return;
    const waiting = setTimeout(() => changeQuery({ at: id }, { replace: true }), ADDRESS_MS);
    return () => clearTimeout(waiting);
  }, [queue, id]);
}

function filterOf(query: URLSearchParams): { kind: Kind | null; by: string | null } {
  const kind = query.get("kind");
  return { kind: kind !== null && kind in KINDS ? (kind as Kind) : null, by: query.get("by") };
}

function shownBy(kind: Kind | null, by: string | null): (item: WaitingItem) => boolean {
  return (item) =>
    (kind === null || item.kind === kind) && (by === null || [item.by, principalOf(item)].includes(by));
}

function KindTabs({
  items,
  kind,
  by,
}: {
  items: readonly WaitingItem[];
  kind: Kind | null;
  by: string | null;
}) {
  const kinds = (Object.keys(KINDS) as Kind[]).filter(
    (one) => one === kind || items.some((item) => item.kind === one),
  );
  const tabOf = (name: Kind | null, title: string): Tab => ({
    name: name ?? "all",
    title: `${title} ${count(items.filter(shownBy(name, by)).length)}`,
    link: linkTo("inbox", { kind: name, by }),
  });
  return (
    <Tabs
      label="Kinds"
      tabs={[tabOf(null, "All"), ...kinds.map((one) => tabOf(one, KINDS[one]))]}
      current={kind ?? "all"}
    />
  );
}

function LastDecision({ queue }: { queue: InboxQueue }) {
  return (
    <div class="inbox-told" role="status">
      <span class="soft">{count(queue.decided.value)} decided</span>
      <span class="inbox-told-text">{queue.told.value}</span>
      {queue.decisions.mayUndo.value && (
        <Button kind="quiet" onClick={() => void queue.undo()}>
          Undo <kbd>z</kbd>
        </Button>
      )}
    </div>
  );
}

function NothingWaits({ isFiltered }: { isFiltered: boolean }) {
  if (isFiltered) {
    return (
      <EmptyState title="Nothing of this kind waits">
        <p>
          <a href={linkTo("inbox")}>Show all that waits</a>
        </p>
      </EmptyState>
    );
  }
  return (
    <EmptyState title="Nothing waits for you">
      <p>Texts that are held back, doubts, contradictions and what runs learned will stand here.</p>
      <p>
        <a href={linkTo("agent")}>See what an agent would get</a>
      </p>
    </EmptyState>
  );
}
