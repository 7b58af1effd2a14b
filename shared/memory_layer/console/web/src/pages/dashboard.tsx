// Dashboard: what is known, what it is worth, what waits for a person, and what came last.

import { useMemo } from "preact/hooks";
import { type Answer, get, type Memory, type Schemas } from "../api/client.ts";
import { useChanges } from "../api/events.ts";
import { type Loading, useLoaded } from "../api/load.ts";
import { mayReview } from "../app/caller.ts";
import { pageOf } from "../app/navigation.ts";
import { linkTo, place, type QueryValue } from "../app/router.ts";
import { CategoryMark, MemoryMarks, StandingMark, seriesOf } from "../widgets/badge.tsx";
import { Bar } from "../widgets/bar.tsx";
import { Chart } from "../widgets/chart.tsx";
import { bytesText, count, Moment, share } from "../widgets/moment.tsx";
import { EmptyState, ProblemNotice } from "../widgets/notice.tsx";

type Stats = Schemas["StatsAnswer"];
type Daily = Answer<"/v1/projects/{project}/stats/days", "get">;

const RECENT = 8;
const WAITING_MAX = 200;

export default function DashboardPage() {
  const project = place.value.project ?? "";
  const stats = useLoaded(project, (signal) =>
    get("/v1/projects/{project}/stats", { path: { project }, signal }),
  );
  const daily = useLoaded(project, (signal) =>
    get("/v1/projects/{project}/stats/days", { path: { project }, signal }),
  );
  const recent = useLoaded(project, (signal) =>
    get("/v1/projects/{project}/memories", { path: { project }, query: { limit: RECENT }, signal }),
  );
  const waiting = useLoaded(mayReview() ? project : null, (signal) =>
    get("/v1/projects/{project}/reviews", { path: { project }, query: { limit: WAITING_MAX }, signal }),
  );
  useChanges(
    () => true,
    () => {
      stats.refresh();
      daily.refresh();
      recent.refresh();
      if (mayReview()) waiting.refresh();
    },
  );
  return (
    <div class="page">
      <header class="page-head">
        <h1>Dashboard</h1>
        <span class="page-note">
          {stats.state.value.value && (
            <>
              last change <Moment at={stats.state.value.value.last_updated_at} />
            </>
          )}
        </span>
      </header>
      <Shown of={stats}>
        {(found) => <Figures stats={found} waiting={waitingText(waiting.state.value.value)} />}
      </Shown>
      <Shown of={stats}>
        {(found) => (
          <div class="cards">
            <Counts title="Categories" field="category" counts={found.by.category ?? {}} isColoured />
            <div class="page">
              <Counts title="Types" field="type" counts={found.by.type ?? {}} />
              <Counts title="Statuses" field="status" counts={found.by.status ?? {}} />
            </div>
            <Outcomes stats={found} />
          </div>
        )}
      </Shown>
      <Shown of={daily}>{(found) => <Days counted={found} />}</Shown>
      <section class="card" aria-labelledby="recent">
        <div class="card-head">
          <h2 id="recent">Recent memories</h2>
          <a href={linkTo("memories")}>All memories</a>
        </div>
        <Shown of={recent}>{(found) => <Recent memories={found.memories} />}</Shown>
      </section>
    </div>
  );
}

function Shown<Value>({
  of,
  children,
}: {
  of: Loading<Value>;
  children: (value: Value) => preact.ComponentChild;
}) {
  const { value, problem } = of.state.value;
  if (problem) return <ProblemNotice problem={problem} retry={of.reload} />;
  return <>{value === undefined ? null : children(value)}</>;
}

function waitingText(found: Answer<"/v1/projects/{project}/reviews", "get"> | undefined): string | null {
  if (!found) return null;
  return found.next_cursor ? `${count(found.reviews.length)}+` : count(found.reviews.length);
}

function Figures({ stats, waiting }: { stats: Stats; waiting: string | null }) {
  const archived = stats.by.status?.archived ?? 0;
  return (
    <section class="figures" aria-label="In numbers">
      <Figure
        label="memories"
        value={count(stats.total)}
        note={bytesText(stats.bytes)}
        to={linkTo("memories", { status: "all" })}
      />
      <Figure label="active" value={count(stats.active)} to={linkTo("memories")} />
      <Figure label="archived" value={count(archived)} to={linkTo("memories", { status: "archived" })} />
      {waiting !== null && (
        <Figure
          label="wait for review"
          value={waiting}
          note={stats.waiting_long ? `${count(stats.waiting_long)} for 14 days or longer` : ""}
          to={pageOf("inbox") ? linkTo("inbox") : null}
        />
      )}
      <Figure label="found by meaning" value={share(stats.index_coverage)} note="index coverage" />
      <Figure label="mean confidence" value={share(stats.average_confidence)} />
    </section>
  );
}

function Figure(props: { label: string; value: string; note?: string; to?: string | null }) {
  const content = (
    <>
      <span class="figure-value">{props.value}</span>
      <span class="figure-label">{props.label}</span>
      {props.note && <span class="figure-note">{props.note}</span>}
    </>
  );
  return props.to ? (
    <a class="figure" href={props.to}>
      {content}
    </a>
  ) : (
    <div class="figure">{content}</div>
  );
}

interface CountsProps {
  title: string;
  field: string;
  counts: Readonly<Record<string, number>>;
  isColoured?: boolean;
}

function Counts({ title, field, counts, isColoured = false }: CountsProps) {
  const entries = Object.entries(counts).sort(([, one], [, other]) => other - one);
  const most = Math.max(...entries.map(([, number]) => number), 1);
  const status: Record<string, QueryValue> = field === "status" ? {} : { status: "all" };
  return (
    <section class="card" aria-label={title}>
      <h2>{title}</h2>
      <div class="bars">
        {entries.map(([name, number]) => (
          <a class="bars-row" key={name} href={linkTo("memories", { ...status, [field]: name })}>
            {isColoured ? <CategoryMark category={name} /> : <span class="bars-name">{name}</span>}
            <Bar part={number / most} series={isColoured ? seriesOf(name) : null} />
            <span class="bars-count">{count(number)}</span>
          </a>
        ))}
      </div>
    </section>
  );
}

function Outcomes({ stats }: { stats: Stats }) {
  const bands = stats.outcome_bands;
  const most = Math.max(...Object.values(bands), 1);
  return (
    <section class="card" aria-label="Outcomes">
      <h2>Outcomes</h2>
      <div class="bars">
        {["high", "neutral", "low"].map((band) => (
          <div class="bars-row" key={band}>
            <span class="bars-name">{band}</span>
            <Bar part={(bands[band] ?? 0) / most} series={{ high: 2, neutral: 8, low: 3 }[band] ?? null} />
            <span class="bars-count">{count(bands[band] ?? 0)}</span>
          </div>
        ))}
      </div>
      <p class="soft">
        Mean outcome score {stats.average_outcome_score ?? "–"}, mean success rate{" "}
        {share(stats.average_success_rate)}
      </p>
    </section>
  );
}

function Days({ counted }: { counted: Daily }) {
  const { days, stored, asked } = useMemo(() => seriesOfDays(counted), [counted]);
  return (
    <div class="cards">
      <section class="card" aria-label="Growth">
        <h2>Stored by day</h2>
        <Chart title="Memories stored by day" days={days} series={stored} />
      </section>
      <section class="card" aria-label="Recalls">
        <h2>Recalls by day</h2>
        <Chart title="Recalls by day" days={days} series={asked} />
        {counted.recalls_since && (
          <p class="soft">
            The newest are counted, from <Moment at={counted.recalls_since} /> on.
          </p>
        )}
      </section>
    </div>
  );
}

function seriesOfDays({ days }: Daily) {
  const values = (name: "created" | "recalls" | "abstained") => days.map((one) => one[name]);
  return {
    days: days.map((one) => `${one.day}T12:00:00`), // the same day in every zone
    stored: [{ title: "stored", values: values("created"), series: 1 }],
    asked: [
      { title: "answered", values: values("recalls"), series: 2 },
      { title: "nothing known", values: values("abstained"), series: 3 },
    ],
  };
}

function Recent({ memories }: { memories: readonly Memory[] }) {
  if (memories.length === 0) {
    return (
      <EmptyState title="Nothing is active here">
        <p>
          Store a memory with <code>mem add</code>, or let an agent do it over MCP.
        </p>
      </EmptyState>
    );
  }
  return (
    <ul>
      {memories.map((memory) => (
        <li class="memory-line" key={memory.id}>
          <StandingMark standing={memory.standing} />
          <div class="memory-line-text">
            <a class="timeline-words" href={linkTo("memories", {}, [memory.id])}>
              <span class="clamp">{memory.content}</span>
            </a>
            <div class="memory-line-meta">
              <CategoryMark category={memory.category} />
              <MemoryMarks memory={memory} />
              <span>{memory.created_by}</span>
              <Moment at={memory.created_at} />
            </div>
          </div>
        </li>
      ))}
    </ul>
  );
}
