// What is on record about a memory: verdicts, recalls that showed it, events of its entities, entries of the audit log.

import type { ComponentChildren } from "preact";
import { type Answer, get, type Memory, type Schemas } from "../../api/client.ts";
import { type Loading, useLoaded } from "../../api/load.ts";
import { pageOf } from "../../app/navigation.ts";
import { linkTo } from "../../app/router.ts";
import { Badge, type Tone } from "../../widgets/badge.tsx";
import { count, Moment } from "../../widgets/moment.tsx";
import { EmptyState, ProblemNotice } from "../../widgets/notice.tsx";
import { type Column, Table } from "../../widgets/table.tsx";

type Verdict = Answer<"/v1/projects/{project}/memories/{id}/verdicts", "get">["verdicts"][number];
type ShowingRecall = Answer<"/v1/projects/{project}/memories/{id}/recalls", "get">["recalls"][number];
type EntityEvent = Answer<"/v1/projects/{project}/entity-events", "get">["events"][number];
type AuditEntry = Answer<"/v1/projects/{project}/audit", "get">["entries"][number];

const TONES: Record<Schemas["OutcomeResult"], Tone> = { worked: "good", partial: "info", failed: "bad" };
const ENTITIES_MAX = 10;
const EVENTS_MAX = 200;
const AUDIT_MAX = 100;

const VERDICTS: readonly Column<Verdict>[] = [
  { name: "at", title: "When", show: (row) => <Moment at={row.at} />, class: "cell-short" },
  { name: "principal", title: "Who", show: (row) => row.principal, class: "cell-short" },
  {
    name: "result",
    title: "Verdict",
    show: (row) => (
      <>
        <Badge tone={TONES[row.result]}>{row.result}</Badge>
        {!row.is_in_force && <Badge>replaced</Badge>}
      </>
    ),
    class: "cell-short",
  },
  { name: "score_moved", title: "Score", show: (row) => moved(row.score_moved), align: "end" },
  { name: "confidence_moved", title: "Confidence", show: (row) => moved(row.confidence_moved), align: "end" },
  { name: "note", title: "Why", show: (row) => row.note ?? "–", class: "cell-words" },
  { name: "run_id", title: "Run", show: (row) => <RunName run={row.run_id} /> },
];

const RECALLS: readonly Column<ShowingRecall>[] = [
  { name: "at", title: "When", show: (row) => <Moment at={row.at} />, class: "cell-short" },
  { name: "principal", title: "Who", show: (row) => row.principal },
  {
    name: "place",
    title: "Place",
    show: (row) => `${count(row.place)} of ${count(row.shown)}`,
    class: "cell-short",
  },
  { name: "recall_id", title: "Recall", show: (row) => <code>{row.recall_id}</code> },
];

const EVENTS: readonly Column<EntityEvent>[] = [
  { name: "occurred_at", title: "When", show: (row) => <Moment at={row.occurred_at} />, class: "cell-short" },
  {
    name: "event",
    title: "Event",
    show: (row) => <Badge tone={row.marked > 0 ? "warn" : "quiet"}>{row.event.replaceAll("_", " ")}</Badge>,
    class: "cell-short",
  },
  { name: "urn", title: "Entity", show: (row) => <code>{row.urn}</code>, class: "cell-words" },
  { name: "target", title: "To", show: (row) => row.target ?? "–" },
  { name: "marked", title: "Went stale", show: (row) => count(row.marked), align: "end" },
  { name: "created_by", title: "Told by", show: (row) => row.created_by },
];

const ENTRIES: readonly Column<AuditEntry>[] = [
  { name: "position", title: "#", show: (row) => count(row.position), align: "end" },
  { name: "at", title: "When", show: (row) => <Moment at={row.at} />, class: "cell-short" },
  {
    name: "what",
    title: "What",
    show: (row) => <Badge tone={row.what === "refused" ? "bad" : "quiet"}>{row.what ?? "erased"}</Badge>,
    class: "cell-short",
  },
  { name: "principal", title: "Who", show: (row) => row.user ?? row.principal ?? "–" },
  { name: "versions", title: "Versions", show: versionsOf, class: "cell-short" },
  { name: "detail", title: "Detail", show: (row) => row.detail ?? "–", class: "cell-words" },
  { name: "request_id", title: "Request", show: (row) => <code>{row.request_id ?? "–"}</code> },
];

const pathOf = ({ project, id }: Memory) => ({ project, id });
const keyOf = ({ project, id, version }: Memory) => `${project} ${id} ${version}`;

export function VerdictsView({ memory }: { memory: Memory }) {
  const found = useLoaded(keyOf(memory), async (signal) => {
    const path = pathOf(memory);
    return (await get("/v1/projects/{project}/memories/{id}/verdicts", { path, signal })).verdicts;
  });
  return (
    <Records of={found} caption="Verdicts" columns={VERDICTS} keyOf={(row) => row.id}>
      <EmptyState title="Nobody has judged it yet">
        <p>Who used it says whether it worked, with the buttons above; agents do so over MCP.</p>
      </EmptyState>
    </Records>
  );
}

export function RecallsView({ memory }: { memory: Memory }) {
  const found = useLoaded(keyOf(memory), async (signal) => {
    const path = pathOf(memory);
    return (await get("/v1/projects/{project}/memories/{id}/recalls", { path, signal })).recalls;
  });
  return (
    <Records of={found} caption="Who was shown it" columns={RECALLS} keyOf={(row) => row.recall_id}>
      <EmptyState title="Nobody was shown it lately">
        <p>
          None of the project's last 1,000 recalls that you may know of has it.{" "}
          <a href={linkTo("search")}>Search</a> as an agent would.
        </p>
      </EmptyState>
    </Records>
  );
}

export function EventsView({ memory }: { memory: Memory }) {
  const urns = memory.entities.slice(0, ENTITIES_MAX);
  const found = useLoaded(`${keyOf(memory)} ${urns.join(" ")}`, (signal) =>
    eventsOf(memory.project, urns, signal),
  );
  return (
    <Records of={found} caption="What happened to its entities" columns={EVENTS} keyOf={(row) => row.id}>
      <EmptyState title={urns.length > 0 ? "Nothing was told of its entities" : "It names no entity"}>
        <p>What happens to an entity that a memory names makes the memory stale. Edit it to name one.</p>
      </EmptyState>
    </Records>
  );
}

async function eventsOf(
  project: string,
  urns: readonly string[],
  signal: AbortSignal,
): Promise<EntityEvent[]> {
  const pages = await Promise.all(
    urns.map((urn) =>
      get("/v1/projects/{project}/entity-events", {
        path: { project },
        query: { urn, limit: EVENTS_MAX },
        signal,
      }),
    ),
  );
  const byId = new Map(pages.flatMap((page) => page.events).map((event) => [event.id, event]));
  return [...byId.values()].sort((one, other) => other.occurred_at.localeCompare(one.occurred_at));
}

export function AuditView({ memory }: { memory: Memory }) {
  const found = useLoaded(keyOf(memory), async (signal) => {
    const query = { about: memory.id, limit: AUDIT_MAX };
    const { project } = memory;
    return (await get("/v1/projects/{project}/audit", { path: { project }, query, signal })).entries;
  });
  return (
    <>
      <Records of={found} caption="Audit entries" columns={ENTRIES} keyOf={(row) => String(row.position)}>
        <EmptyState title="The log has no entry about it" />
      </Records>
      {pageOf("audit") && (
        <p>
          <a href={linkTo("audit", { about: memory.id })}>Open it in the audit log</a>
        </p>
      )}
    </>
  );
}

interface RecordsProps<Row> {
  of: Loading<Row[]>;
  caption: string;
  columns: readonly Column<Row>[];
  keyOf: (row: Row) => string;
  /** What is shown where there is none. */
  children: ComponentChildren;
}

function Records<Row>({ of, caption, columns, keyOf, children }: RecordsProps<Row>) {
  const { value, problem, isLoading } = of.state.value;
  if (problem) return <ProblemNotice problem={problem} retry={of.reload} />;
  if (!value) return null;
  if (value.length === 0) return <>{children}</>;
  return <Table caption={caption} rows={value} columns={columns} keyOf={keyOf} isBusy={isLoading} />;
}

function RunName({ run }: { run: string | null }) {
  if (!run) return <span class="soft">–</span>;
  return pageOf("runs") ? <a href={linkTo("runs", {}, [run])}>{run}</a> : <code>{run}</code>;
}

function moved(by: number): string {
  return by > 0 ? `+${by}` : String(by);
}

function versionsOf(row: AuditEntry): string {
  return row.after === undefined ? "–" : `${row.before ?? 0} → ${row.after}`;
}
