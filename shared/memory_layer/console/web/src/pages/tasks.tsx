// Tasks: what agents have to do (memories of category todo, those of Beads and Claude Code among them), each with the
// memories about it.

import { get, type Memory } from "../api/client.ts";
import { useChanges } from "../api/events.ts";
import { useLoaded } from "../api/load.ts";
import { changeQuery, linkTo, place } from "../app/router.ts";
import { useShortcuts } from "../app/shortcuts.ts";
import { Badge, CategoryMark, MemoryMarks, StandingMark } from "../widgets/badge.tsx";
import { Button } from "../widgets/button.tsx";
import { SelectField } from "../widgets/field.tsx";
import { Moment } from "../widgets/moment.tsx";
import { EmptyState, ProblemNotice } from "../widgets/notice.tsx";
import { KEEPERS, STATE_TONES, type Task, taskOf } from "./tasks/task.ts";

const PAGE = 50;
const LINKED_MAX = 20;

export default function TasksPage() {
  const project = place.value.project ?? "";
  const { query, rest } = place.value;
  const isDone = query.get("show") === "done";
  const keeper = query.get("keeper") ?? "";
  const cursor = query.get("cursor") ?? "";
  const page = useLoaded(`${project} ${isDone} ${keeper} ${cursor}`, (signal) =>
    get("/v1/projects/{project}/memories", {
      path: { project },
      query: {
        category: ["todo"],
        status: [isDone ? "archived" : "active"],
        ...(keeper ? { tags: [keeper] } : {}),
        limit: PAGE,
        cursor: cursor || undefined,
      },
      signal,
    }),
  );
  useChanges((event) => event.type.startsWith("memory."), page.refresh);
  const { value, problem } = page.state.value;
  const tasks = value?.memories.map(taskOf) ?? [];
  const [openId] = rest;
  const next = value?.next_cursor;
  useShortcuts([
    { keys: "j", does: "Next task", run: () => step(tasks, openId, 1) },
    { keys: "k", does: "Previous task", run: () => step(tasks, openId, -1) },
  ]);
  return (
    <div class="page">
      <header class="page-head">
        <h1>Tasks</h1>
        <span class="page-note">{isDone ? "done and archived" : "open"}</span>
      </header>
      <div class="filters">
        <SelectField
          label="Show"
          value={isDone ? "done" : ""}
          options={[
            ["", "open"],
            ["done", "done and archived"],
          ]}
          onChange={(show) => changeQuery({ show, cursor: null })}
        />
        <SelectField
          label="Kept by"
          value={keeper}
          options={[["", "anyone"], ...Object.entries(KEEPERS)]}
          onChange={(chosen) => changeQuery({ keeper: chosen, cursor: null })}
        />
      </div>
      {problem && <ProblemNotice problem={problem} retry={page.reload} />}
      {tasks.length > 0 && (
        <ul class="card">
          {tasks.map((task) => (
            <TaskLine key={task.memory.id} task={task} isOpen={task.memory.id === openId} />
          ))}
        </ul>
      )}
      {value && tasks.length === 0 && (
        <EmptyState title={isDone ? "No task is done" : "No task is open"}>
          <p>
            <code>mem tasks --sync</code> has a memory stand for each open task of Beads and of Claude Code;
            any memory of category todo is shown here.
          </p>
        </EmptyState>
      )}
      <div class="toolbar">
        {cursor && <Button onClick={() => changeQuery({ cursor: null })}>First page</Button>}
        {next && <Button onClick={() => changeQuery({ cursor: next })}>Next page</Button>}
      </div>
    </div>
  );
}

function step(tasks: readonly Task[], openId: string | undefined, by: number): void {
  const at = tasks.findIndex((task) => task.memory.id === openId);
  const next = tasks[Math.max(0, Math.min(at + by, tasks.length - 1))];
  if (next) location.hash = addressOf(next.memory.id);
}

function addressOf(id: string | null): string {
  const { query } = place.peek();
  return linkTo("tasks", Object.fromEntries(query), id ? [id] : []);
}

function TaskLine({ task, isOpen }: { task: Task; isOpen: boolean }) {
  const { memory } = task;
  return (
    <li class="memory-line">
      <StandingMark standing={memory.standing} />
      <div class="memory-line-text">
        <a class="task-title" href={addressOf(isOpen ? null : memory.id)} aria-expanded={isOpen}>
          {task.title}
        </a>
        <div class="memory-line-meta">
          {task.state && <Badge tone={STATE_TONES[task.state] ?? "quiet"}>{task.state}</Badge>}
          {task.priority !== null && (
            <Badge tone={task.priority === 0 ? "bad" : task.priority === 1 ? "warn" : "quiet"}>
              priority {task.priority}
            </Badge>
          )}
          {task.keeper && <Badge>{KEEPERS[task.keeper]}</Badge>}
          {task.labels.map((label) => (
            <Badge key={label}>{label}</Badge>
          ))}
          <MemoryMarks memory={memory} />
          <span>{memory.created_by}</span>
          <Moment at={memory.updated_at} />
          {task.id && <code>{task.id}</code>}
        </div>
        {isOpen && <TaskDetail task={task} />}
      </div>
    </li>
  );
}

function TaskDetail({ task }: { task: Task }) {
  const project = place.value.project ?? "";
  const linked = useLoaded(task.urn && `${project} ${task.urn}`, (signal) =>
    get("/v1/projects/{project}/memories", {
      path: { project },
      query: { entities: [task.urn ?? ""], limit: LINKED_MAX },
      signal,
    }),
  );
  const { value, problem } = linked.state.value;
  const others = value?.memories.filter((memory) => memory.id !== task.memory.id) ?? [];
  return (
    <div class="task-detail">
      {task.description && <p class="task-words">{task.description}</p>}
      <p>
        <a href={linkTo("memories", {}, [task.memory.id])}>The memory that stands for it</a>
        {task.urn && (
          <>
            {" · "}
            <a href={linkTo("graph", { entity: task.urn })}>The graph around it</a>
          </>
        )}
      </p>
      <h2>Memories about it</h2>
      {problem && <ProblemNotice problem={problem} retry={linked.reload} />}
      {others.map((memory) => (
        <Linked key={memory.id} memory={memory} />
      ))}
      {(!task.urn || (value && others.length === 0)) && (
        <p class="soft">
          None yet.{" "}
          {task.urn && (
            <>
              One is linked by its entity <code>{task.urn}</code>.
            </>
          )}
        </p>
      )}
    </div>
  );
}

function Linked({ memory }: { memory: Memory }) {
  return (
    <div class="memory-line">
      <div class="memory-line-text">
        <a class="timeline-words" href={linkTo("memories", {}, [memory.id])}>
          <span class="clamp">{memory.content}</span>
        </a>
        <div class="memory-line-meta">
          <CategoryMark category={memory.category} />
          <MemoryMarks memory={memory} />
        </div>
      </div>
    </div>
  );
}
