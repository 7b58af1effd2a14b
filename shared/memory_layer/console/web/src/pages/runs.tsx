// Runs: what agents reported, what each run taught, and which memories it was credited to.

import { get, type Schemas } from "../api/client.ts";
import { useChanges } from "../api/events.ts";
import { useLoaded } from "../api/load.ts";
import { forwardPaging, PAGE, readPagePlace, seekBy } from "../app/paging.ts";
import { linkTo, place } from "../app/router.ts";
import { useShortcuts } from "../app/shortcuts.ts";
import { count, Moment } from "../widgets/moment.tsx";
import { EmptyState, ProblemNotice } from "../widgets/notice.tsx";
import { type Column, Pager, Table } from "../widgets/table.tsx";
import { RunDetail } from "./runs/detail.tsx";
import { RunMarks } from "./runs/marks.tsx";

type Run = Schemas["RunAnswer"];

const COLUMNS: readonly Column<Run>[] = [
  { name: "objective", title: "Run", show: (row) => <Objective run={row} />, class: "cell-wide" },
  { name: "status", title: "Ended", show: (row) => <RunMarks run={row} />, class: "cell-short" },
  { name: "taught", title: "Taught", show: (row) => counted(row.promoted, row.merged), align: "end" },
  { name: "waits", title: "Staged", show: (row) => counted(row.staged), align: "end" },
  { name: "rejected", title: "Rejected", show: (row) => counted(row.rejected), align: "end" },
  { name: "used", title: "Used", show: (row) => count(row.memories_used.length), align: "end" },
  { name: "credited", title: "Credited", show: (row) => counted(row.credited), align: "end" },
  { name: "by", title: "By", show: (row) => row.created_by, class: "cell-short" },
  { name: "at", title: "Reported", show: (row) => <Moment at={row.received_at} />, class: "cell-short" },
];

export default function RunsPage() {
  const [id] = place.value.rest;
  return id ? <RunDetail id={id} key={id} /> : <RunList />;
}

function RunList() {
  const project = place.value.project ?? "";
  const at = readPagePlace(place.value.query);
  const { cursor } = at;
  const read = (limit: number, from: string | undefined, signal: AbortSignal) =>
    get("/v1/projects/{project}/runs", { path: { project }, query: { limit, cursor: from }, signal });
  const page = useLoaded(`${project} ${cursor}`, (signal) => read(PAGE, cursor || undefined, signal));
  useChanges((event) => event.type.startsWith("run.") || event.type === "learning.changed", page.refresh);
  const { value, problem, isLoading } = page.state.value;
  const runs = value?.runs ?? [];
  const seek = seekBy(async (...asked) => {
    const found = await read(...asked);
    return { rows: found.runs.length, next: found.next_cursor };
  });
  const paging = forwardPaging(at, runs.length, isLoading ? null : (value?.next_cursor ?? null), seek);
  useShortcuts([
    { keys: "n", does: "Older runs", run: () => paging.onNext?.() },
    { keys: "p", does: "Newer runs", run: () => paging.onPrevious?.() },
  ]);
  return (
    <div class="page">
      <header class="page-head">
        <h1>Runs</h1>
        <span class="page-note">newest first</span>
      </header>
      {problem && <ProblemNotice problem={problem} retry={page.reload} />}
      {runs.length > 0 && (
        <Table
          caption="Runs, newest first"
          rows={runs}
          columns={COLUMNS}
          keyOf={(row) => row.run_id}
          isBusy={isLoading}
        />
      )}
      {value && runs.length === 0 && (
        <EmptyState title="No run was reported yet">
          <p>
            Coding agents that <code>mem connect</code> has connected report theirs by themselves; others send{" "}
            <code>POST /v1/projects/{project}/runs</code>.
          </p>
        </EmptyState>
      )}
      {value && runs.length > 0 && <Pager {...paging} shown={runs.length} total={null} />}
    </div>
  );
}

function Objective({ run }: { run: Run }) {
  return (
    <>
      <a class="clamp" href={linkTo("runs", {}, [run.run_id])}>
        {run.objective || run.run_id}
      </a>
      <div class="memory-line-meta">
        <span>{run.task_type}</span>
        {run.iterations > 0 && <span>{count(run.iterations)} iterations</span>}
        <code>{run.run_id}</code>
      </div>
    </>
  );
}

/** Sum of counts; those of a run that is still being learned from are missing. */
function counted(...parts: (number | undefined)[]): string {
  if (parts.every((part) => part === undefined)) return "…";
  return count(parts.reduce<number>((sum, part) => sum + (part ?? 0), 0));
}
