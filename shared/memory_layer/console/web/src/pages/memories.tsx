// Memories: the list, filtered by every field, page by page in both directions; or the one that the address names.

import { useState } from "preact/hooks";
import { get, type Memory, type Schemas } from "../api/client.ts";
import { useChanges } from "../api/events.ts";
import { useLoaded } from "../api/load.ts";
import { changeQuery, goTo, linkTo, place } from "../app/router.ts";
import { useShortcuts } from "../app/shortcuts.ts";
import { CategoryMark, MemoryMarks, StandingMark } from "../widgets/badge.tsx";
import { Button } from "../widgets/button.tsx";
import { count, Moment, share } from "../widgets/moment.tsx";
import { EmptyState, ProblemNotice } from "../widgets/notice.tsx";
import { type Column, Pager, Table, toggled } from "../widgets/table.tsx";
import { BulkActions } from "./memories/bulk.tsx";
import { MemoryDetail } from "./memories/detail.tsx";
import { type ListFilters, MemoryFilters, readFilters } from "./memories/filters.tsx";

const PAGE = 50;
const NONE: ReadonlySet<string> = new Set();

/** Cursor of the page before, by the cursor of a page: the API itself pages forward. */
const pageBefore = new Map<string, string>();

const COLUMNS: readonly Column<Memory>[] = [
  {
    name: "standing",
    title: "",
    show: (row) => <StandingMark standing={row.standing} />,
    class: "cell-short",
  },
  { name: "content", title: "Memory", show: (row) => <Words memory={row} />, class: "cell-wide" },
  { name: "type", title: "Type", show: (row) => row.type, class: "cell-short" },
  {
    name: "category",
    title: "Category",
    show: (row) => <CategoryMark category={row.category} />,
    class: "cell-short",
  },
  { name: "outcome_score", title: "Outcome", show: (row) => signed(row.outcome_score), align: "end" },
  { name: "confidence", title: "Confidence", show: (row) => share(row.confidence), align: "end" },
  { name: "use_count", title: "Uses", show: (row) => count(row.use_count), align: "end" },
  { name: "created_by", title: "By", show: (row) => row.created_by, class: "cell-short" },
  {
    name: "created_at",
    title: "Created",
    show: (row) => <Moment at={row.created_at} />,
    class: "cell-short",
  },
];

export default function MemoriesPage() {
  const [id] = place.value.rest;
  return id ? <MemoryDetail key={id} id={id} /> : <MemoryList />;
}

function MemoryList() {
  const project = place.value.project ?? "";
  const query = place.value.query;
  const filters = readFilters(query);
  const cursor = query.get("cursor") ?? "";
  const first = Number(query.get("from") ?? 1);
  const [selected, setSelected] = useState(NONE);
  const [current, setCurrent] = useState(0);

  const page = useLoaded(`${project} ${JSON.stringify(filters)} ${cursor}`, (signal) =>
    get("/v1/projects/{project}/memories", {
      path: { project },
      query: { ...filters, limit: PAGE, cursor: cursor || undefined },
      signal,
    }),
  );
  const stats = useLoaded(project, (signal) =>
    get("/v1/projects/{project}/stats", { path: { project }, signal }),
  );
  useChanges(
    (event) => event.type.startsWith("memory."),
    () => {
      page.reload();
      stats.reload();
    },
  );

  const { value, problem, isLoading } = page.state.value;
  const rows = value?.memories ?? [];
  const next = value?.next_cursor ?? null;
  const move = (to: string, from: number) => {
    setSelected(NONE);
    setCurrent(0);
    changeQuery({ cursor: to, from: from > 1 ? from : null });
  };
  const forward = next
    ? () => {
        pageBefore.set(next, cursor);
        move(next, first + rows.length);
      }
    : null;
  const back = cursor
    ? () => move(pageBefore.get(cursor) ?? "", pageBefore.has(cursor) ? Math.max(1, first - PAGE) : 1)
    : null;
  const chosen = rows.filter((row) => selected.has(row.id));
  const currentId = rows[current]?.id ?? null;
  const afterChange = () => {
    setSelected(NONE);
    page.reload();
    stats.reload();
  };

  useShortcuts([
    { keys: "j", does: "Next row", run: () => setCurrent(Math.min(current + 1, rows.length - 1)) },
    { keys: "k", does: "Previous row", run: () => setCurrent(Math.max(current - 1, 0)) },
    { keys: "o", does: "Open the memory", run: () => currentId && goTo(linkTo("memories", {}, [currentId])) },
    { keys: "x", does: "Select the row", run: () => currentId && setSelected(toggled(selected, currentId)) },
    { keys: "n", does: "Next page", run: () => forward?.() },
    { keys: "p", does: "Previous page", run: () => back?.() },
  ]);

  return (
    <div class="page">
      <header class="page-head">
        <h1>Memories</h1>
        <span class="page-note">newest first</span>
      </header>
      <MemoryFilters query={query} />
      {problem && <ProblemNotice problem={problem} retry={page.reload} />}
      {chosen.length > 0 && (
        <BulkActions memories={chosen} done={afterChange} clear={() => setSelected(NONE)} />
      )}
      {rows.length > 0 && (
        <Table
          caption="Memories, newest first"
          rows={rows}
          columns={COLUMNS}
          keyOf={(row) => row.id}
          isBusy={isLoading}
          selected={selected}
          onSelect={setSelected}
          current={currentId}
        />
      )}
      {value && rows.length === 0 && (
        <EmptyState title="No memory matches">
          <p>
            <Button onClick={() => changeQuery(withoutAll(query))}>Clear the filters</Button>
          </p>
        </EmptyState>
      )}
      {value && (
        <Pager
          first={first}
          shown={rows.length}
          total={totalOf(filters, stats.state.value.value)}
          onFirst={cursor ? () => move("", 1) : null}
          onPrevious={back}
          onNext={forward}
        />
      )}
    </div>
  );
}

function Words({ memory }: { memory: Memory }) {
  return (
    <>
      <p class="clamp">{memory.content}</p>
      <div class="memory-line-meta">
        <MemoryMarks memory={memory} />
        <a href={linkTo("memories", {}, [memory.id])}>
          <code>{memory.id}</code>
        </a>
      </div>
    </>
  );
}

function signed(score: number): string {
  return score > 0 ? `+${score}` : String(score);
}

function withoutAll(query: URLSearchParams): Record<string, null> {
  return Object.fromEntries([...query.keys()].map((name) => [name, null]));
}

/** Number of all rows, where the project's counts tell it: without filters but one. */
function totalOf(filters: ListFilters, stats: Schemas["StatsAnswer"] | undefined): number | null {
  if (!stats) return null;
  const { status, ...others } = filters;
  const set = Object.entries(others).filter(([, value]) => value !== undefined && value.length > 0);
  if (set.length > 0) return null;
  if (!status) return stats.active;
  return status.reduce((sum, one) => sum + (stats.by.status?.[one] ?? 0), 0);
}
