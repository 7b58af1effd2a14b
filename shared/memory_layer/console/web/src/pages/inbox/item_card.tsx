// The item that is looked at: what it says, who says it, why it waits, and what is in force beside it.

import type { ComponentChildren } from "preact";
import type { Memory } from "../../api/client.ts";
import { linkTo } from "../../app/router.ts";
import { Badge, CategoryMark, StandingMark } from "../../widgets/badge.tsx";
import { count, Moment, share } from "../../widgets/moment.tsx";
import { ProblemNotice } from "../../widgets/notice.tsx";
import { WordDiff } from "../../widgets/word_diff.tsx";
import { isOver, type Near, type Pair, placesOf, type Staged, type WaitingItem } from "./items.ts";
import type { Neighbours } from "./neighbours.ts";
import type { InboxQueue } from "./queue.ts";
import { KindBadge } from "./waiting_list.tsx";

interface CardProps {
  item: WaitingItem;
  queue: InboxQueue;
  beside: Neighbours;
  actions: ComponentChildren;
}

export function ItemCard({ item, queue, beside, actions }: CardProps) {
  const { near, proposals, problem } = beside;
  const newer = queue.newer.value.get(item.id);
  const refusal = newer === undefined ? queue.refusals.value.get(item.id) : undefined;
  return (
    <article class="card inbox-item" aria-label="Item" data-item={item.id}>
      <Who item={item} />
      {newer !== undefined && (
        <ChangedMeanwhile seen={item} newer={newer} look={() => queue.lookAtNewer(item.id)} />
      )}
      {refusal?.isStale && <ChangedBeside />}
      {refusal && !refusal.isStale && <ProblemNotice problem={refusal} />}
      {item.pair ? <BothWords pair={item.pair} /> : <p class="words inbox-words">{item.words}</p>}
      <Why item={item} />
      {actions}
      {item.memory && <Facts memory={item.memory} />}
      {item.staged && <Lesson staged={item.staged} />}
      {problem && <ProblemNotice problem={problem} />}
      {!problem && !proposals && <p class="soft">Reading what is proposed …</p>}
      {proposals && proposals.length > 0 && item.memory && (
        <Proposals memory={item.memory} proposals={proposals} />
      )}
      {!problem && !item.pair && proposals?.length === 0 && <Nearest item={item} near={near} />}
    </article>
  );
}

function Who({ item }: { item: WaitingItem }) {
  const since =
    item.memory?.doubted?.since ?? item.memory?.created_at ?? item.staged?.staged_at ?? item.pair?.found_at;
  return (
    <header class="memory-line-meta">
      <KindBadge kind={item.kind} />
      {item.memory && <StandingMark standing={item.memory.standing} />}
      {item.by && <strong>{item.by}</strong>}
      {item.staged && <strong>run {item.staged.run_id}</strong>}
      <span>
        waits since <Moment at={since} />
      </span>
      {item.memory && (
        <a href={linkTo("memories", {}, [item.id])}>
          <code>{item.id}</code>
        </a>
      )}
    </header>
  );
}

function Why({ item }: { item: WaitingItem }) {
  const doubt = item.memory?.doubted;
  const reasons = doubt ? doubt.reasons : [item.memory?.status_reason ?? item.pair?.reason].filter(Boolean);
  if (reasons.length === 0) return null;
  return (
    <div class="inbox-why">
      <h2>Why it waits</h2>
      <ul>
        {reasons.map((reason) => (
          <li key={reason}>{reason}</li>
        ))}
      </ul>
      {doubt && doubt.witnesses.length > 0 && (
        <p class="soft">
          It failed for {doubt.witnesses.join(", ")} in {count(doubt.runs.length)} runs
        </p>
      )}
    </div>
  );
}

interface ChangedProps {
  seen: WaitingItem;
  /** null: it waits no longer. */
  newer: WaitingItem | null;
  look: () => void;
}

function ChangedMeanwhile({ seen, newer, look }: ChangedProps) {
  return (
    <div class="notice" data-tone="warn" role="alert">
      <div class="notice-text">
        <h2>It has changed since you read it</h2>
        {newer ? <WhatChanged seen={seen} newer={newer} /> : <p>It waits no longer.</p>}
        <p>
          <button class="button" type="button" onClick={look}>
            {newer && !isOver(newer) ? "Look at it as it is now" : "Go on to the next"} <kbd>v</kbd>
          </button>
        </p>
      </div>
    </div>
  );
}

function WhatChanged({ seen, newer }: { seen: WaitingItem; newer: WaitingItem }) {
  const status = newer.memory?.status === seen.memory?.status ? null : newer.memory?.status;
  return (
    <>
      {status && (
        <p>
          It is {status} now{newer.memory?.status_reason && `: ${newer.memory.status_reason}`}
        </p>
      )}
      {seen.words === newer.words ? (
        <p>Its words are the same.</p>
      ) : (
        <WordDiff before={seen.words} after={newer.words} />
      )}
    </>
  );
}

function ChangedBeside() {
  return (
    <div class="notice" data-tone="warn" role="alert">
      <p class="notice-text">
        What stands beside it has changed, so nothing was decided. It is shown as it is now.
      </p>
    </div>
  );
}

function BothWords({ pair }: { pair: Pair }) {
  const [one, other] = pair.memories;
  if (!one || !other) return null;
  return (
    <>
      <ol class="pair">
        {[one, other].map((memory, place) => (
          <li key={memory.id} class="pair-side">
            <div class="memory-line-meta">
              <kbd>{place + 1}</kbd>
              <StandingMark standing={memory.standing} />
              <Badge>{share(memory.confidence)}</Badge>
              <Moment at={memory.updated_at} />
              <a href={linkTo("memories", {}, [memory.id])}>
                <code>{memory.id}</code>
              </a>
            </div>
            <p class="words inbox-words">{memory.content}</p>
          </li>
        ))}
      </ol>
      <div>
        <h2>From the first to the second</h2>
        <WordDiff before={one.content} after={other.content} />
      </div>
    </>
  );
}

function Facts({ memory }: { memory: Memory }) {
  return (
    <div class="memory-line-meta">
      <CategoryMark category={memory.category} />
      <span>{memory.type}</span>
      <span>confidence {share(memory.confidence)}</span>
      {memory.source_run_id && <span>run {memory.source_run_id}</span>}
      {memory.persona && <Badge>for {memory.persona}</Badge>}
      {memory.entities.map((entity) => (
        <code key={entity}>{entity}</code>
      ))}
    </div>
  );
}

function Lesson({ staged }: { staged: Staged }) {
  const { learning } = staged;
  return (
    <div class="memory-line-meta">
      <span>{learning.type}</span>
      <span>confidence {share(learning.confidence)}</span>
      {learning.success_rate !== null && <span>worked in {share(learning.success_rate)}</span>}
      <Badge>{staged.status}</Badge>
    </div>
  );
}

/** Words that agents propose for the memory's place, each as its difference. */
function Proposals({ memory, proposals }: { memory: Memory; proposals: readonly Memory[] }) {
  return (
    <section>
      <h2>Proposed instead</h2>
      <ol class="pair">
        {proposals.map((proposal, place) => (
          <li key={proposal.id} class="pair-side">
            <div class="memory-line-meta">
              <kbd>{place + 1}</kbd>
              <strong>{proposal.created_by}</strong>
              <Moment at={proposal.created_at} />
            </div>
            <WordDiff before={memory.content} after={proposal.content} />
          </li>
        ))}
      </ol>
    </section>
  );
}

const SAYS = { same: "says the same", otherwise: "says otherwise", related: "is related" } as const;
const TONES = { same: "good", otherwise: "bad", related: "quiet" } as const;

/** What is in force and nearest to the item; of a proposal, the memory whose place it would take. */
function Nearest({ item, near }: { item: WaitingItem; near: readonly Near[] | undefined }) {
  const places = placesOf(item, near);
  const first = near?.find((one) => places.includes(one.id)) ?? near?.[0];
  if (!near) return <p class="soft">Looking for what is near …</p>;
  if (!first) return <p class="soft">Nothing in force is near to it.</p>;
  return (
    <section class="nearest">
      <div class="memory-line-meta">
        <h2>Nearest in force</h2>
        <Badge tone={TONES[first.verdict]}>{SAYS[first.verdict]}</Badge>
        {places.includes(first.id) && <Badge tone="info">would take its place</Badge>}
        <span>{share(first.similarity)}</span>
        <StandingMark standing={first.standing} />
        <span>{first.created_by}</span>
        <a href={linkTo("memories", {}, [first.id])}>
          <code>{first.id}</code>
        </a>
      </div>
      {first.verdict === "otherwise" && first.difference && <p>{first.difference}</p>}
      <p class="words">{first.content}</p>
      <h3>From it to the item</h3>
      <WordDiff before={first.content} after={item.words} />
    </section>
  );
}
