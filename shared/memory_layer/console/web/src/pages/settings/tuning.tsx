// Tuning of contexts: the weights in force, what feedback has taught on top of them, and what it changed last.

import { type Answer, get, type Schemas } from "../../api/client.ts";
import { useChanges } from "../../api/events.ts";
import { useLoaded } from "../../api/load.ts";
import { place } from "../../app/router.ts";
import { count, Moment, share } from "../../widgets/moment.tsx";
import { ProblemNotice } from "../../widgets/notice.tsx";
import { type Column, Table } from "../../widgets/table.tsx";

type Tuning = Answer<"/v1/projects/{project}/context/tuning", "get">;
type Learned = Schemas["LearnedPriorityAnswer"];

interface OfClass {
  readonly name: string;
  readonly weights: Schemas["PriorityWeights"];
  readonly cooling: number;
}

interface Feature {
  readonly name: string;
  readonly weight: number;
}

const CHANGES_SHOWN = 5;
const weight = new Intl.NumberFormat([...navigator.languages], { maximumFractionDigits: 3 });
const signedWeight = new Intl.NumberFormat([...navigator.languages], {
  maximumFractionDigits: 3,
  signDisplay: "exceptZero",
});

const CLASS_COLUMNS: readonly Column<OfClass>[] = [
  { name: "class", title: "Of content", show: (row) => row.name },
  ...(["relevance", "recency", "credibility", "coherence"] as const).map((name) => ({
    name,
    title: name,
    show: (row: OfClass) => weight.format(row.weights[name] ?? 0),
    align: "end" as const,
  })),
  { name: "cooling", title: "Cooling", show: (row) => `${weight.format(row.cooling)} ×`, align: "end" },
];

const FEATURE_COLUMNS: readonly Column<Feature>[] = [
  { name: "name", title: "What counts", show: (row) => row.name },
  { name: "weight", title: "Moves a place by", show: (row) => signedWeight.format(row.weight), align: "end" },
];

export function ContextTuning() {
  const project = place.value.project ?? "";
  const found = useLoaded(project, (signal) =>
    get("/v1/projects/{project}/context/tuning", { path: { project }, signal }),
  );
  useChanges((event) => event.type === "settings.changed", found.refresh);
  const { value, problem } = found.state.value;
  if (problem) return <ProblemNotice problem={problem} retry={found.reload} />;
  if (!value) return null;
  return (
    <section class="page" aria-label="In force">
      <h3>In force</h3>
      <p class="soft">
        What is set by hand, else the product's weights as feedback has moved them. Cooling: times the hours
        after which the tier rules tell a memory in a line.
      </p>
      <Table
        caption="Weights in force by class of content"
        rows={classesOf(value)}
        columns={CLASS_COLUMNS}
        keyOf={(row) => row.name}
      />
      <LearnedPriority learned={value.learned} />
      <LastChanges history={value.history} />
    </section>
  );
}

function classesOf({ weights, cooling }: Tuning): OfClass[] {
  return Object.entries(weights).map(([name, of]) => ({ name, weights: of, cooling: cooling[name] ?? 1 }));
}

function LearnedPriority({ learned }: { learned: Learned }) {
  const features = Object.entries(learned.weights).map(([name, found]) => ({ name, weight: found }));
  return (
    <>
      <h3>Learned priority: {learned.on ? "on" : "off"}</h3>
      <p class="soft">{saidOf(learned)}</p>
      {features.length > 0 && (
        <Table
          caption="What readers' choices have taught"
          rows={features}
          columns={FEATURE_COLUMNS}
          keyOf={(row) => row.name}
        />
      )}
    </>
  );
}

function saidOf({ pages, held_out, learned, fixed, gained, lost }: Learned): string {
  if (pages === 0)
    return "It takes contexts of which feedback says which memories were used; there is none yet.";
  const fitted = `Fitted to ${count(pages)} contexts of which feedback says which memories were used.`;
  if (held_out === 0) return `${fitted} They are too few to try it on.`;
  return (
    `${fitted} Tried on the newest ${count(held_out)}: it puts a used memory before an unused one in ` +
    `${share(learned)} of the pairs, the weights alone in ${share(fixed)}; ${count(gained)} contexts are better ` +
    `by it, ${count(lost)} worse.`
  );
}

function LastChanges({ history }: { history: Tuning["history"] }) {
  const newest = history.slice(-CHANGES_SHOWN).reverse();
  return (
    <>
      <h3>Last changes by feedback</h3>
      {newest.length === 0 && <p class="soft">Nothing has tuned it yet.</p>}
      <ul>
        {newest.map((change) => (
          <li class="memory-line" key={change.at + change.why.join()}>
            <div class="memory-line-text">
              {change.why.join("; ")}
              <div class="memory-line-meta">
                <Moment at={change.at} />
                {change.by && <span>{change.by}</span>}
              </div>
            </div>
          </li>
        ))}
      </ul>
    </>
  );
}
