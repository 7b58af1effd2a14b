// Timeline: what changed, the newest first; new changes appear by the feed, or when one reads anew.

import { useEffect } from "preact/hooks";
import { get, type Schemas } from "../api/client.ts";
import { useChanges } from "../api/events.ts";
import { useLoaded } from "../api/load.ts";
import { changeQuery, linkTo, place } from "../app/router.ts";
import { useShortcuts } from "../app/shortcuts.ts";
import { Badge, StatusBadge } from "../widgets/badge.tsx";
import { Button } from "../widgets/button.tsx";
import { SelectField } from "../widgets/field.tsx";
import { Icon } from "../widgets/icon.tsx";
import { dayText } from "../widgets/moment.tsx";
import { EmptyState, ProblemNotice } from "../widgets/notice.tsx";
import { CHANGES, KINDS, kindOf, typesOf } from "./timeline/change_kinds.ts";
import { type NamedMemory, readWords, wordsOf } from "./timeline/memory_words.ts";

type ChangeEvent = Schemas["ChangeEvent"];

const PAGE = 40;

export default function TimelinePage() {
  const project = place.value.project ?? "";
  const { query } = place.value;
  const kind = query.get("kind") ?? "";
  const before = Number(query.get("before") ?? 0);
  const page = useLoaded(`${project} ${kind} ${before}`, (signal) =>
    get("/v1/projects/{project}/events", {
      path: { project },
      query: { before, type: typesOf(kind), limit: PAGE },
      signal,
    }),
  );
  useChanges(
    () => before === 0,
    () => page.refresh(),
  );
  useShortcuts([
    { keys: "r", does: "Read anew", run: page.reload },
    { keys: "n", does: "Older changes", run: () => older?.() },
  ]);
  const { value, problem, isLoading } = page.state.value;
  const events = value?.events ?? [];
  const next = value?.next_before;
  const older = next ? () => changeQuery({ before: next }) : null;
  useEffect(() => readWords(events.filter(isReadable).map(memoryOf)), [project, value]);
  return (
    <div class="page">
      <header class="page-head">
        <h1>Timeline</h1>
        <span class="page-note">{before ? "older changes" : "newest first"}</span>
      </header>
      <div class="toolbar">
        <div class="timeline-kind">
          <SelectField
            label="Changes"
            value={kind}
            options={[["", "all"], ...KINDS]}
            onChange={(chosen) => changeQuery({ kind: chosen, before: null })}
          />
        </div>
        <Button onClick={page.reload} disabled={isLoading}>
          <Icon name="refresh" /> Read anew
        </Button>
        {before > 0 && <Button onClick={() => changeQuery({ before: null })}>Newest changes</Button>}
        {older && <Button onClick={older}>Older changes</Button>}
      </div>
      {problem && <ProblemNotice problem={problem} retry={page.reload} />}
      {byDay(events).map(([day, ofDay]) => (
        <section class="card" key={day} aria-label={day}>
          <h2>{day}</h2>
          <ol class="timeline">
            {ofDay.map((event) => (
              <Change key={event.id} event={event} />
            ))}
          </ol>
        </section>
      ))}
      {value && events.length === 0 && (
        <EmptyState title={kind || before ? "No change of this kind here" : "Nothing has changed yet"}>
          {older && <p>Older ones may lie further back.</p>}
          {!older && (kind || before > 0) && (
            <p>
              <Button onClick={() => changeQuery({ kind: null, before: null })}>Show all changes</Button>
            </p>
          )}
          {!older && !kind && !before && (
            <p>
              Store a memory with <code>mem add</code>: its whole life is told here.
            </p>
          )}
        </EmptyState>
      )}
      {older && events.length > 0 && (
        <div class="toolbar">
          <Button onClick={older}>Older changes</Button>
        </div>
      )}
    </div>
  );
}

function Change({ event }: { event: ChangeEvent }) {
  const id = subjectOf(event);
  const { tone, does } = CHANGES[event.type];
  const now = event.data.now;
  return (
    <li class="timeline-change">
      <time class="timeline-at" dateTime={event.time}>
        {timeText(event.time)}
      </time>
      <span class="timeline-does">
        <Badge tone={tone}>{does}</Badge>
      </span>
      <div class="timeline-text">
        <Subject event={event} id={id} />
        <div class="memory-line-meta">
          {event.data.by && <span>{event.data.by}</span>}
          {event.data.version !== undefined && <span>version {event.data.version}</span>}
          {event.data.change !== does && <span>{event.data.change}</span>}
          {now && now.status !== "active" && (
            <span>
              now <StatusBadge status={now.status} />
            </span>
          )}
          {now?.doubted && <Badge tone="warn">doubted</Badge>}
        </div>
      </div>
    </li>
  );
}

function Subject({ event, id }: { event: ChangeEvent; id: string }) {
  const kind = kindOf(event.type);
  if (kind === "run" && event.type !== "run.erased") {
    return <a href={linkTo("runs", {}, [id])}>Run {id}</a>;
  }
  if (!isOfMemory(event)) return <span class="clamp">{id || "The project"}</span>;
  if (!isReadable(event)) return <code>{id}</code>;
  const words = wordsOf(memoryOf(event));
  return (
    <a class="timeline-words" href={linkTo("memories", {}, [id])}>
      {words ? <span class="clamp">{words}</span> : <code>{id}</code>}
    </a>
  );
}

function subjectOf(event: ChangeEvent): string {
  return event.subject ?? "";
}

/** The caller may read the memory; of one that is gone the feed tells the id alone. */
function isReadable(event: ChangeEvent): boolean {
  return isOfMemory(event) && event.data.now !== undefined;
}

function memoryOf(event: ChangeEvent): NamedMemory {
  return { project: place.peek().project ?? "", id: subjectOf(event), version: event.data.now?.version };
}

function isOfMemory(event: ChangeEvent): boolean {
  return ["memory", "verdict"].includes(kindOf(event.type)) && subjectOf(event) !== "";
}

function byDay(events: readonly ChangeEvent[]): [string, ChangeEvent[]][] {
  const days = new Map<string, ChangeEvent[]>();
  for (const event of events) {
    const day = dayText(event.time);
    days.set(day, [...(days.get(day) ?? []), event]);
  }
  return [...days];
}

const clock = new Intl.DateTimeFormat([...navigator.languages], { timeStyle: "medium" });

function timeText(at: string): string {
  return clock.format(new Date(at));
}
