// A memory: what it says and may be done with it, who says so, how it did, and all that has happened to it.

import { useRef } from "preact/hooks";
import { get, type Memory } from "../../api/client.ts";
import { useChanges } from "../../api/events.ts";
import { useLoaded } from "../../api/load.ts";
import { mayAudit, mayReview } from "../../app/caller.ts";
import { changeQuery, linkTo, place } from "../../app/router.ts";
import { useShortcuts } from "../../app/shortcuts.ts";
import { CategoryMark, MemoryMarks, StandingMark, StatusBadge } from "../../widgets/badge.tsx";
import { Moment } from "../../widgets/moment.tsx";
import { ProblemNotice } from "../../widgets/notice.tsx";
import { Tabs } from "../../widgets/tabs.tsx";
import { MemoryActions } from "./actions.tsx";
import { EstimateView } from "./estimate.tsx";
import { AuditView, EventsView, RecallsView, VerdictsView } from "./evidence.tsx";
import { Facts, Measures } from "./facts.tsx";
import { EditForm, SupersedeForm } from "./forms.tsx";
import { mayEdit } from "./open_actions.ts";
import { PlacesNotice, usePlaces } from "./places.tsx";
import { GraphView } from "./surroundings.tsx";
import { type Version, VersionsView } from "./versions.tsx";

interface View {
  readonly name: string;
  readonly title: string;
  readonly isOpen?: () => boolean;
}

const VIEWS: readonly View[] = [
  { name: "record", title: "Record" },
  { name: "versions", title: "Versions" },
  { name: "verdicts", title: "Verdicts" },
  { name: "estimate", title: "Estimate" },
  { name: "recalls", title: "Shown to", isOpen: mayReview },
  { name: "graph", title: "Graph" },
  { name: "events", title: "Entity events" },
  { name: "audit", title: "Audit", isOpen: mayAudit },
];

export function MemoryDetail({ id }: { id: string }) {
  const project = place.value.project ?? "";
  const path = { project, id };
  const memory = useLoaded(`${project} ${id}`, (signal) =>
    get("/v1/projects/{project}/memories/{id}", { path, signal }),
  );
  const history = useLoaded(`${project} ${id}`, (signal) =>
    get("/v1/projects/{project}/memories/{id}/history", { path, signal }),
  );
  const reload = () => {
    memory.reload();
    history.reload();
  };
  const refresh = () => {
    memory.refresh();
    history.refresh();
  };
  useChanges((event) => event.subject === id, refresh);
  const { value, problem } = memory.state.value;
  return (
    <div class="page">
      <header class="page-head">
        <a href={linkTo("memories")}>Memories</a>
        <h1>Memory</h1>
        <code class="page-note">{id}</code>
      </header>
      {problem && <ProblemNotice problem={problem} retry={reload} />}
      {value && problem?.status !== 404 && (
        <Detail memory={value} versions={history.state.value.value?.versions ?? []} reload={reload} />
      )}
    </div>
  );
}

interface DetailProps {
  memory: Memory;
  versions: readonly Version[];
  reload: () => void;
}

function Detail({ memory, versions, reload }: DetailProps) {
  const views = VIEWS.filter((view) => view.isOpen?.() ?? true);
  const asked = place.value.query.get("view");
  const current = views.find((view) => view.name === asked)?.name ?? "record";
  const isOpen = mayEdit(memory);
  const form = useOpenForm(isOpen);
  const edit = { keys: "e", does: "Edit", run: () => changeQuery({ form: "edit" }) };
  useShortcuts([
    ...(isOpen ? [edit] : []),
    { keys: "]", does: "Next view", run: () => showView(views, current, 1) },
    { keys: "[", does: "Previous view", run: () => showView(views, current, -1) },
  ]);
  return (
    <>
      <Said memory={memory} versions={versions} reload={reload} />
      {form === "edit" && <EditForm memory={memory} reload={reload} />}
      {form === "supersede" && <SupersedeForm memory={memory} />}
      <Tabs
        label="Views of the memory"
        current={current}
        tabs={views.map(({ name, title }) => ({ name, title, link: viewLink(memory.id, name) }))}
      />
      <Shown view={current} memory={memory} versions={versions} reload={reload} />
    </>
  );
}

/** Form that the address names. Args: mayOpen: one that is open stays so, whatever becomes of the memory. */
function useOpenForm(mayOpen: boolean): string | null {
  const open = useRef<string | null>(null);
  const asked = place.value.query.get("form");
  if (asked !== open.current) open.current = mayOpen ? asked : null;
  return open.current;
}

function viewLink(id: string, view: string): string {
  const form = place.value.query.get("form");
  return linkTo("memories", { view: view === "record" ? null : view, form }, [id]);
}

function showView(views: readonly View[], current: string, step: number): void {
  const at = views.findIndex((view) => view.name === current) + step;
  const name = views[at]?.name;
  if (name) changeQuery({ view: name === "record" ? null : name });
}

function Said({ memory, versions, reload }: DetailProps) {
  const places = usePlaces(memory);
  const { waiting, problem } = places;
  const reloadBoth = () => {
    reload();
    places.reload();
  };
  return (
    <section class="card" aria-label="What it says">
      <div class="memory-line-meta">
        <StandingMark standing={memory.standing} />
        <CategoryMark category={memory.category} />
        <span>{memory.type}</span>
        {memory.status === "active" && <StatusBadge status={memory.status} />}
        <MemoryMarks memory={memory} />
        <span>
          version {memory.version}, changed <Moment at={memory.updated_at} />
        </span>
      </div>
      <p class="words memory-words">{memory.content}</p>
      {memory.status_reason && <p class="soft">{memory.status_reason}</p>}
      {memory.doubted && <Doubted memory={memory} />}
      {problem && <ProblemNotice problem={problem} retry={places.reload} />}
      {waiting && waiting.length > 0 && <PlacesNotice memory={memory} waiting={waiting} />}
      <MemoryActions memory={memory} versions={versions} places={places} reload={reloadBoth} />
    </section>
  );
}

function Doubted({ memory }: { memory: Memory }) {
  const doubt = memory.doubted;
  if (!doubt) return null;
  return (
    <div class="notice" data-tone="warn">
      <div class="notice-text">
        <p>
          Doubted by {doubt.by.join(", ")} <Moment at={doubt.since} />
        </p>
        {doubt.proposals.map((id) => (
          <p key={id}>
            Proposed instead: <MemoryLink id={id} />
          </p>
        ))}
      </div>
    </div>
  );
}

function MemoryLink({ id }: { id: string }) {
  return (
    <a href={linkTo("memories", {}, [id])}>
      <code>{id}</code>
    </a>
  );
}

function Shown({ view, memory, versions, reload }: DetailProps & { view: string }) {
  if (view === "versions") return <VersionsView memory={memory} versions={versions} reload={reload} />;
  if (view === "verdicts") return <VerdictsView memory={memory} />;
  if (view === "estimate") return <EstimateView memory={memory} />;
  if (view === "recalls") return <RecallsView memory={memory} />;
  if (view === "graph") return <GraphView memory={memory} />;
  if (view === "events") return <EventsView memory={memory} />;
  if (view === "audit") return <AuditView memory={memory} />;
  return (
    <div class="cards">
      <Facts memory={memory} />
      <Measures memory={memory} />
    </div>
  );
}
