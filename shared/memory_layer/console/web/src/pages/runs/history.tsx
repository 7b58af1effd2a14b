// History of a run: each iteration as it was reported, and the lists that the run was shown.

import { useEffect, useMemo } from "preact/hooks";
import { type Answer, get } from "../../api/client.ts";
import { useLoaded } from "../../api/load.ts";
import { linkTo } from "../../app/router.ts";
import { Badge } from "../../widgets/badge.tsx";
import { count, Moment } from "../../widgets/moment.tsx";
import { EmptyState, ProblemNotice } from "../../widgets/notice.tsx";
import { readWords, wordsOf } from "../timeline/memory_words.ts";

type History = Answer<"/v1/projects/{project}/runs/{run_id}/history", "get">;
type ShownList = History["shown"][number];

const SECOND_MS = 1_000;

export function RunHistory({ id, project }: { id: string; project: string }) {
  const history = useLoaded(`${project} ${id}`, (signal) =>
    get("/v1/projects/{project}/runs/{run_id}/history", { path: { project, run_id: id }, signal }),
  );
  const { value, problem } = history.state.value;
  if (problem) return <ProblemNotice problem={problem} retry={history.reload} />;
  if (!value) return null;
  return (
    <>
      <Iterations iterations={value.iterations} />
      <Shown lists={value.shown} />
    </>
  );
}

function Iterations({ iterations }: { iterations: History["iterations"] }) {
  return (
    <section class="card" aria-labelledby="history">
      <h2 id="history">What it did</h2>
      {iterations?.map((one, place) => (
        <Iteration key={`${place}`} told={one} />
      ))}
      {!iterations?.length && (
        <EmptyState title={iterations ? "It told of no iteration" : "The run is older than histories are"} />
      )}
    </section>
  );
}

/** Iteration as a run reports it; what it left out is missing. */
interface Told {
  readonly number?: unknown;
  readonly status?: unknown;
  readonly duration?: unknown;
  readonly files_modified?: unknown;
  readonly filesModified?: unknown;
  readonly learnings?: unknown;
  readonly analysis?: { readonly errors?: unknown };
}

function Iteration({ told }: { told: Told }) {
  const status = String(told.status ?? "");
  const files = textsIn(told.files_modified ?? told.filesModified);
  const duration = Number(told.duration ?? 0);
  return (
    <div class="memory-line">
      <div class="memory-line-text">
        <div class="memory-line-meta">
          <span>iteration {String(told.number ?? "")}</span>
          <Badge tone={status === "completed" ? "good" : "bad"}>{status}</Badge>
          {duration > 0 && <span>{count(Math.round(duration / SECOND_MS))} s</span>}
          {files.map((file) => (
            <code key={file}>{file}</code>
          ))}
        </div>
        {textsIn(told.learnings).map((one) => (
          <p key={one}>{one}</p>
        ))}
        {textsIn(told.analysis?.errors).map((one, place) => (
          <p class="field-error" key={`${place}`}>
            {one}
          </p>
        ))}
      </div>
    </div>
  );
}

function textsIn(value: unknown): string[] {
  return Array.isArray(value) ? value.map(String) : [];
}

function Shown({ lists }: { lists: readonly ShownList[] }) {
  return (
    <section class="card" aria-labelledby="shown">
      <h2 id="shown">What it was shown</h2>
      {lists.map((list) => (
        <ShownMemories key={list.recall_id} list={list} />
      ))}
      {lists.length === 0 && (
        <EmptyState title="No list is known">
          <p>
            A recall that names the run's id, and a report that names the recall, say what a run was shown.
          </p>
        </EmptyState>
      )}
    </section>
  );
}

function ShownMemories({ list }: { list: ShownList }) {
  const memories = useMemo(() => list.memories.map((one) => ({ ...one, isPast: true })), [list]);
  useEffect(() => readWords(memories), [memories]);
  return (
    <>
      <p class="soft">
        <code>{list.recall_id}</code> <Moment at={list.at} />
      </p>
      {memories.map((memory) => (
        <div class="memory-line" key={memory.id}>
          <div class="memory-line-text">
            <a class="timeline-words" href={linkTo("memories", {}, [memory.id], memory.project)}>
              {wordsOf(memory) ?? memory.id}
            </a>
            <div class="memory-line-meta">
              <span>version {count(memory.version)}</span>
            </div>
          </div>
        </div>
      ))}
    </>
  );
}
