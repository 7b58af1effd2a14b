// An answer of a search: what it says, who says it, why it was found, and how it did.

import type { ComponentChildren } from "preact";
import type { Schemas } from "../../api/client.ts";
import { linkTo } from "../../app/router.ts";
import { Badge, CategoryMark, MemoryMarks, StandingMark } from "../../widgets/badge.tsx";
import { Bar } from "../../widgets/bar.tsx";
import { count, Moment, share } from "../../widgets/moment.tsx";

export type Result = Schemas["OutcomeResult"];
type Hit = Schemas["RecalledMemory"];

const SIGNALS = [
  ["semantic", "fits the question"],
  ["lexical", "of it by words"],
  ["outcome", "has worked"],
  ["confidence", "confidence"],
  ["recency", "recency"],
  ["frequency", "often used"],
] as const;

const SIGNAL_SERIES = 7;

const PLACED = {
  relevance: null,
  trust: "before unreviewed ones, by trust",
  fold: "behind one that says alike",
  correction: "proposed in place of the one above, which agents doubt",
  exploration: "tried out: verdicts do not tell it apart yet",
  record: "lower: others found lines of its author wrong",
  file: "in the order of its file",
  release: "by its release: the newest stands first",
} as const;

const RESULTS: readonly [Result, string][] = [
  ["worked", "Worked"],
  ["partial", "In part"],
  ["failed", "Failed"],
];

interface HitProps {
  hit: Hit;
  number: number;
  isCurrent: boolean;
  reported: Result | null;
  report: (result: Result) => void;
}

export function SearchHit({ hit, number, isCurrent, reported, report }: HitProps) {
  return (
    <li class="card hit" data-current={isCurrent}>
      <div class="hit-said">
        <div class="memory-line-meta">
          <strong>{number}</strong>
          <StandingMark standing={hit.standing} />
          <CategoryMark category={hit.category} />
          <MemoryMarks memory={hit} />
          {PLACED[hit.placed_by] && <Badge>{PLACED[hit.placed_by]}</Badge>}
        </div>
        <p class="words">{hit.content}</p>
        <Matches hit={hit} />
        <Provenance hit={hit} />
        <fieldset class="toolbar outcome-buttons">
          <legend class="visually-hidden">Did memory {number} help?</legend>
          {RESULTS.map(([result, words]) => (
            <button
              class="button"
              key={result}
              type="button"
              aria-pressed={reported === result}
              onClick={() => report(result)}
            >
              {words}
            </button>
          ))}
        </fieldset>
      </div>
      <Signals hit={hit} />
    </li>
  );
}

/** Words and entities of the question that the memory says. */
function Matches({ hit }: { hit: Hit }) {
  const { words = [], entities = [] } = hit.matched ?? {};
  if (words.length + entities.length === 0) {
    return <p class="soft">No word of the question: found by its meaning or its ties.</p>;
  }
  return (
    <p class="chips">
      <span class="soft">Matched</span>
      {words.map((word) => (
        <Badge key={word} tone="info">
          {word}
        </Badge>
      ))}
      {entities.map((entity) => (
        <Badge key={entity} tone="good">
          {entity}
        </Badge>
      ))}
    </p>
  );
}

function Provenance({ hit }: { hit: Hit }) {
  return (
    <div class="memory-line-meta">
      <span>
        {hit.source} {hit.created_by}
      </span>
      <Moment at={hit.created_at} />
      {hit.approved_by && <span>approved by {hit.approved_by}</span>}
      {hit.source_runs.length > 0 && <span>taught by {count(hit.source_runs.length)} runs</span>}
      <a href={linkTo("memories", {}, [hit.id])}>
        <code>{hit.id}</code>
      </a>
    </div>
  );
}

function Signals({ hit }: { hit: Hit }) {
  return (
    <div class="bars hit-signals">
      <SignalRow name="relevance" value={hit.relevance} series={null} />
      {SIGNALS.map(([name, words]) => (
        <SignalRow key={name} name={words} value={hit.signals[name]} series={SIGNAL_SERIES} />
      ))}
      {hit.signals.boost !== 1 && (
        <div class="bars-row">
          <span class="bars-name">boost for the task</span>
          <span />
          <span class="bars-count">× {hit.signals.boost}</span>
        </div>
      )}
    </div>
  );
}

function SignalRow(props: { name: ComponentChildren; value: number; series: number | null }) {
  return (
    <div class="bars-row">
      <span class="bars-name">{props.name}</span>
      <Bar part={Math.min(1, props.value)} series={props.series} />
      <span class="bars-count">{share(props.value)}</span>
    </div>
  );
}
