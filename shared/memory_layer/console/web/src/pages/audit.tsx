// Audit: every change and decision with who made it, and the check of the chain that they form.

import { useState } from "preact/hooks";
import { type Answer, get, type Schemas } from "../api/client.ts";
import { useChanges } from "../api/events.ts";
import { useLoaded } from "../api/load.ts";
import { type ApiProblem, asProblem } from "../api/problem.ts";
import { forwardPaging, PAGE, readPagePlace, seekBy } from "../app/paging.ts";
import { changeQuery, linkTo, place } from "../app/router.ts";
import { useShortcuts } from "../app/shortcuts.ts";
import { Badge } from "../widgets/badge.tsx";
import { Button } from "../widgets/button.tsx";
import { TextField } from "../widgets/field.tsx";
import { absoluteText, count } from "../widgets/moment.tsx";
import { EmptyState, ProblemNotice } from "../widgets/notice.tsx";
import { type Column, Pager, Table } from "../widgets/table.tsx";

type Entry = Schemas["AuditEntryAnswer"];
type Verification = Answer<"/v1/projects/{project}/audit/verify", "get">;

const NAMES = { principal: "Who", about: "About (id)", what: "What" } as const;
const DAYS = { since: "From day", until: "To day" } as const;

const COLUMNS: readonly Column<Entry>[] = [
  { name: "position", title: "No.", show: (row) => count(row.position), align: "end" },
  {
    name: "at",
    title: "When",
    show: (row) => <time dateTime={row.at}>{absoluteText(row.at)}</time>,
    class: "cell-short",
  },
  { name: "what", title: "What", show: (row) => <What entry={row} />, class: "cell-short" },
  { name: "principal", title: "Who", show: (row) => <Who entry={row} />, class: "audit-who" },
  { name: "about", title: "About", show: (row) => <About entry={row} />, class: "audit-about" },
  {
    name: "digest",
    title: "Digest",
    show: (row) => <code title={row.digest}>{row.digest.slice(0, 12)}</code>,
  },
];

export default function AuditPage() {
  const project = place.value.project ?? "";
  const { query } = place.value;
  const filters = readFilters(query);
  const at = readPagePlace(query);
  const { cursor } = at;
  const read = (limit: number, from: string | undefined, signal: AbortSignal) =>
    get("/v1/projects/{project}/audit", {
      path: { project },
      query: { ...filters, limit, cursor: from },
      signal,
    });
  const page = useLoaded(`${project} ${JSON.stringify(filters)} ${cursor}`, (signal) =>
    read(PAGE, cursor || undefined, signal),
  );
  useChanges(() => !cursor, page.refresh);
  const { value, problem, isLoading } = page.state.value;
  const entries = value?.entries ?? [];
  const next = value?.next_cursor ?? null;
  const seek = seekBy(async (...asked) => {
    const found = await read(...asked);
    return { rows: found.entries.length, next: found.next_cursor };
  });
  const paging = forwardPaging(at, entries.length, isLoading ? null : next, seek);
  useShortcuts([
    { keys: "n", does: "Older entries", run: () => paging.onNext?.() },
    { keys: "p", does: "Newer entries", run: () => paging.onPrevious?.() },
  ]);
  return (
    <div class="page">
      <header class="page-head">
        <h1>Audit</h1>
        <span class="page-note">newest first</span>
      </header>
      <Chain project={project} key={project} />
      <Filters query={query} />
      {problem && <ProblemNotice problem={problem} retry={page.reload} />}
      {entries.length > 0 && (
        <Table
          caption="Entries of the audit log, newest first"
          rows={entries}
          columns={COLUMNS}
          keyOf={(row) => String(row.position)}
          isBusy={isLoading}
        />
      )}
      {value && entries.length === 0 && (
        <EmptyState title={next ? "Nothing on this page" : "No entry matches"}>
          <p>{next ? "The next page may hold some." : "Every change and decision is entered here."}</p>
        </EmptyState>
      )}
      {value && <Pager {...paging} shown={entries.length} total={null} />}
    </div>
  );
}

function readFilters(query: URLSearchParams) {
  const [since, until] = [query.get("since"), query.get("until")];
  return {
    principal: query.get("principal") ?? undefined,
    about: query.get("about") ?? undefined,
    what: query.get("what") ?? undefined,
    since: since ? new Date(`${since}T00:00:00`).toISOString() : undefined,
    until: until ? new Date(`${until}T23:59:59.999`).toISOString() : undefined,
  };
}

function Filters({ query }: { query: URLSearchParams }) {
  const change = (name: string, value: string) => changeQuery({ [name]: value, cursor: null, from: null });
  const set = [...Object.keys(NAMES), ...Object.keys(DAYS)].filter((name) => query.has(name));
  return (
    <section class="card" aria-label="Filters">
      <div class="filters">
        {Object.entries(NAMES).map(([name, label]) => (
          <TextField
            key={name}
            label={label}
            value={query.get(name) ?? ""}
            onChange={(v) => change(name, v)}
          />
        ))}
        {Object.entries(DAYS).map(([name, label]) => (
          <TextField
            key={name}
            label={label}
            type="date"
            value={query.get(name) ?? ""}
            onChange={(v) => change(name, v)}
          />
        ))}
      </div>
      {set.length > 0 && (
        <div class="toolbar">
          <Button onClick={() => changeQuery({ ...nothing(set), cursor: null, from: null })}>
            Clear the filters
          </Button>
        </div>
      )}
    </section>
  );
}

function nothing(names: readonly string[]): Record<string, null> {
  return Object.fromEntries(names.map((name) => [name, null]));
}

type Check = { found: Verification } | { problem: ApiProblem } | "running" | null;

function Chain({ project }: { project: string }) {
  const [check, setCheck] = useState<Check>(null);
  const verify = () => {
    setCheck("running");
    get("/v1/projects/{project}/audit/verify", { path: { project } }).then(
      (found) => setCheck({ found }),
      (error: unknown) => setCheck({ problem: asProblem(error) }),
    );
  };
  useShortcuts([{ keys: "v", does: "Check the chain", run: verify }]);
  return (
    <section class="card" aria-label="Chain of the log">
      <div class="card-head">
        <p>Each entry has the digest of the one before: what is changed afterwards is found.</p>
        <Button kind="primary" onClick={verify} disabled={check === "running"}>
          {check === "running" ? "Checking …" : "Check the chain"}
        </Button>
      </div>
      <div role="status">
        {check && check !== "running" && "found" in check && <Verdict found={check.found} />}
      </div>
      {check && check !== "running" && "problem" in check && (
        <ProblemNotice problem={check.problem} retry={verify} />
      )}
    </section>
  );
}

function Verdict({ found }: { found: Verification }) {
  const { broken } = found;
  return (
    <div class="notice" data-tone={found.is_valid ? "good" : "bad"}>
      <div class="notice-text">
        <h2>{found.is_valid ? "The chain holds" : `Entry ${count(broken?.position ?? 0)} does not hold`}</h2>
        <p>
          {count(found.entries)} entries are sound; the readable part of {count(found.erased)} is erased.
        </p>
        {broken && (
          <p class="audit-digest">
            Expected <code>{broken.expected}</code>, found <code>{broken.found}</code>. Restore a snapshot
            from before it, and ask who can write to the storage.
          </p>
        )}
        <p class="audit-digest">
          Head <code>{found.head}</code>: keep it elsewhere, and a chain that was made anew is noticed.
        </p>
      </div>
    </div>
  );
}

function What({ entry }: { entry: Entry }) {
  if (entry.is_erased) return <Badge>erased</Badge>;
  return (
    <>
      <Badge tone={entry.what === "refused" ? "bad" : "info"}>{entry.what}</Badge>
      {entry.after !== undefined && (
        <span class="soft">
          {" "}
          {entry.before ?? 0} → {entry.after}
        </span>
      )}
    </>
  );
}

function Who({ entry }: { entry: Entry }) {
  return (
    <>
      {entry.principal ?? <span class="soft">–</span>}
      {entry.user && <span class="soft"> for {entry.user}</span>}
    </>
  );
}

function About({ entry }: { entry: Entry }) {
  return (
    <>
      {entry.about ? (
        <a href={linkTo("audit", { about: entry.about })}>
          <code>{entry.about}</code>
        </a>
      ) : (
        <span class="soft">the project</span>
      )}
      {entry.detail && <div class="soft">{entry.detail}</div>}
      {entry.request_id && (
        <div class="soft">
          <code>{entry.request_id}</code>
        </div>
      )}
    </>
  );
}
