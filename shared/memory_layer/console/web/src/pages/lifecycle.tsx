// Lifecycle: where memories lie and what that takes, what ends next, and the sweeps that see to it.

import { type Answer, get, type Memory, type Schemas } from "../api/client.ts";
import { useChanges } from "../api/events.ts";
import { useLoaded } from "../api/load.ts";
import { mayAdminister } from "../app/caller.ts";
import { linkTo, place } from "../app/router.ts";
import { CategoryMark, MemoryMarks } from "../widgets/badge.tsx";
import { Bar } from "../widgets/bar.tsx";
import { bytesText, count, dayText, Moment } from "../widgets/moment.tsx";
import { EmptyState, ProblemNotice } from "../widgets/notice.tsx";
import { type Column, Table } from "../widgets/table.tsx";
import { SweepTable } from "./lifecycle/sweeps.tsx";

type Stats = Answer<"/v1/projects/{project}/stats", "get">;
type Tier = Schemas["Tier"];

const NEXT = 15;
const TIERS: Record<Tier, string> = {
  hot: "recalled, with all its words at hand",
  warm: "recalled; long words lie apart",
  cold: "listed, not recalled",
  frozen: "for admins alone",
};
const SERIES: Record<Tier, number> = { hot: 3, warm: 5, cold: 1, frozen: 7 };

const COLUMNS: readonly Column<Memory>[] = [
  { name: "expires", title: "Ends", show: (row) => <Ends memory={row} />, class: "cell-short" },
  { name: "content", title: "Memory", show: (row) => <Words memory={row} />, class: "cell-wide" },
  { name: "type", title: "Type", show: (row) => row.type, class: "cell-short" },
  {
    name: "category",
    title: "Category",
    show: (row) => <CategoryMark category={row.category} />,
    class: "cell-short",
  },
];

export default function LifecyclePage() {
  const project = place.value.project ?? "";
  const stats = useLoaded(project, (signal) =>
    get("/v1/projects/{project}/stats", { path: { project }, signal }),
  );
  const ending = useLoaded(project, (signal) =>
    get("/v1/projects/{project}/memories", {
      path: { project },
      query: { sort: "expires_at", limit: NEXT },
      signal,
    }),
  );
  useChanges(
    (event) => event.type.startsWith("memory."),
    () => {
      stats.refresh();
      ending.refresh();
    },
  );
  const problem = stats.state.value.problem ?? ending.state.value.problem;
  const found = stats.state.value.value;
  const dated = ending.state.value.value?.memories.filter((memory) => memory.expires_at);
  return (
    <div class="page">
      <header class="page-head">
        <h1>Lifecycle</h1>
        <span class="page-note">{found && `${count(found.total)} memories, ${bytesText(found.bytes)}`}</span>
      </header>
      {problem && (
        <ProblemNotice
          problem={problem}
          retry={() => {
            stats.reload();
            ending.reload();
          }}
        />
      )}
      {found && <Tiers stats={found} />}
      <section class="card" aria-labelledby="ends">
        <div class="card-head">
          <h2 id="ends">What ends next</h2>
          <a href={linkTo("memories", { sort: "expires_at" })}>In the list</a>
        </div>
        {dated && dated.length > 0 && (
          <Table caption="Memories that end next" rows={dated} columns={COLUMNS} keyOf={(row) => row.id} />
        )}
        {dated?.length === 0 && (
          <EmptyState title="Nothing ends by itself">
            <p>
              The settings say after how many days a memory of each type ends; a memory may name its own day.
            </p>
          </EmptyState>
        )}
      </section>
      {mayAdminister() && <SweepTable />}
    </div>
  );
}

function Tiers({ stats }: { stats: Stats }) {
  const most = Math.max(...Object.values(stats.tiers).map((tier) => tier.records), 1);
  return (
    <section class="card" aria-labelledby="tiers">
      <h2 id="tiers">Tiers</h2>
      <div class="tiers">
        {(Object.keys(TIERS) as Tier[]).map((name) => {
          const tier = stats.tiers[name] ?? { records: 0, bytes: 0, body_bytes: 0, usd_per_month: 0 };
          return (
            <a class="tier" key={name} href={linkTo("memories", { tier: name, status: "all" })}>
              <span class="tier-name">
                <span class="dot" data-series={SERIES[name]} /> {name}
              </span>
              <span class="figure-value">{count(tier.records)}</span>
              <Bar part={tier.records / most} series={SERIES[name]} />
              <span class="figure-note">
                {bytesText(tier.bytes)}
                {tier.body_bytes > 0 && `, of these ${bytesText(tier.body_bytes)} in blobs`}
              </span>
              <span class="figure-note">{costText(tier.usd_per_month)} a month in the cloud</span>
              <span class="figure-note">{TIERS[name]}</span>
            </a>
          );
        })}
      </div>
    </section>
  );
}

const dollars = new Intl.NumberFormat([...navigator.languages], {
  style: "currency",
  currency: "USD",
  maximumFractionDigits: 4,
});

function costText(usd: number): string {
  return dollars.format(usd);
}

function Ends({ memory }: { memory: Memory }) {
  const at = memory.expires_at ?? "";
  return (
    <>
      {dayText(at)}
      <div class="soft">
        <Moment at={at} />
      </div>
    </>
  );
}

function Words({ memory }: { memory: Memory }) {
  return (
    <>
      <a class="clamp timeline-words" href={linkTo("memories", {}, [memory.id])}>
        {memory.content}
      </a>
      <div class="memory-line-meta">
        <MemoryMarks memory={memory} />
        <code>{memory.id}</code>
      </div>
    </>
  );
}
