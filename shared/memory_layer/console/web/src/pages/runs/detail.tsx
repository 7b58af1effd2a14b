// One run: its facts, the learnings found in it with what became of each, and the memories that it had.

import { useEffect } from "preact/hooks";
import { get, type Schemas } from "../../api/client.ts";
import { useChanges } from "../../api/events.ts";
import { useLoaded } from "../../api/load.ts";
import { mayReview } from "../../app/caller.ts";
import { linkTo, place } from "../../app/router.ts";
import { Badge, type Tone } from "../../widgets/badge.tsx";
import { count, Moment, share } from "../../widgets/moment.tsx";
import { EmptyState, ProblemNotice } from "../../widgets/notice.tsx";
import { type NamedMemory, readWords, wordsOf } from "../timeline/memory_words.ts";
import { RunHistory } from "./history.tsx";
import { RunMarks } from "./marks.tsx";

type Run = Schemas["RunAnswer"];
type Staged = Schemas["StagedLearning"];

const AT_ONCE = 200;
const PAGES_MAX = 20;
const TONES: Record<Schemas["StagedStatus"], Tone> = {
  pending: "info",
  validated: "info",
  promoted: "good",
  rejected: "bad",
};

export function RunDetail({ id }: { id: string }) {
  const project = place.value.project ?? "";
  const run = useLoaded(`${project} ${id}`, (signal) =>
    get("/v1/projects/{project}/runs/{run_id}", { path: { project, run_id: id }, signal }),
  );
  const learnings = useLoaded(mayReview() ? `${project} ${id}` : null, (signal) =>
    learningsOf(project, id, signal),
  );
  useChanges(
    (event) => event.subject === id || event.type === "learning.changed",
    () => {
      run.refresh();
      if (mayReview()) learnings.refresh();
    },
  );
  const { value, problem } = run.state.value;
  return (
    <div class="page">
      <header class="page-head">
        <h1>{value?.objective || id}</h1>
        <a href={linkTo("runs")}>All runs</a>
      </header>
      {problem && <ProblemNotice problem={problem} retry={run.reload} />}
      {value && <Facts run={value} />}
      {value && <Taught run={value} learnings={learnings.state.value.value} />}
      {learnings.state.value.problem && (
        <ProblemNotice problem={learnings.state.value.problem} retry={learnings.reload} />
      )}
      {value && <Used run={value} project={project} />}
      {value && <RunHistory id={id} project={project} key={value.finished_at} />}
    </div>
  );
}

/** Learnings of one run among those that the staging area still lists. */
async function learningsOf(project: string, run: string, signal: AbortSignal): Promise<Staged[]> {
  const found: Staged[] = [];
  let cursor: string | null | undefined;
  for (let page = 0; page < PAGES_MAX && cursor !== null; page++) {
    const query = { limit: AT_ONCE, cursor };
    const answer = await get("/v1/projects/{project}/staging", { path: { project }, query, signal });
    found.push(...answer.staged.filter((one) => one.run_id === run));
    cursor = answer.next_cursor;
  }
  return found;
}

function Facts({ run }: { run: Run }) {
  return (
    <section class="card" aria-label="The run">
      <RunMarks run={run} />
      <div class="memory-line-meta">
        <code>{run.run_id}</code>
        <span>{run.task_type}</span>
        <span>{run.mode === "staged" ? "learnings wait for a person" : "learns by itself"}</span>
        {run.iterations > 0 && <span>{count(run.iterations)} iterations</span>}
        <span>{run.created_by}</span>
        {run.persona && <span>for {run.persona} alone</span>}
        <span>
          reported <Moment at={run.received_at} />
        </span>
      </div>
      <Counts run={run} />
    </section>
  );
}

function Counts({ run }: { run: Run }) {
  const counts = [
    ["learnings found", run.extracted],
    ["staged", run.staged],
    ["passed", run.validated],
    ["rejected", run.rejected],
    ["became memories", run.promoted],
    ["taken in by known ones", run.merged],
    ["memories used", run.memories_used.length],
    ["credited", run.credited],
  ] as const;
  return (
    <div class="figures">
      {counts.map(([label, number]) => (
        <div class="run-figure" key={label}>
          <span class="figure-value">{number === undefined ? "…" : count(number)}</span>
          <span class="figure-label">{label}</span>
        </div>
      ))}
    </div>
  );
}

function Taught({ run, learnings }: { run: Run; learnings: readonly Staged[] | undefined }) {
  const isEmpty = learnings?.length === 0 || (!mayReview() && !run.extracted);
  return (
    <section class="card" aria-labelledby="taught">
      <h2 id="taught">What it taught</h2>
      {learnings?.map((one) => (
        <Learning key={one.id} staged={one} />
      ))}
      {isEmpty && (
        <EmptyState title={run.extracted ? "Its learnings are no longer listed" : "It taught nothing"}>
          <p>
            {run.extracted ? (
              <>
                What was decided on is listed for 30 days.{" "}
                <a href={linkTo("graph", { entity: run.run_id })}>The graph</a> shows the memories that were
                learned in it.
              </>
            ) : (
              "No learning was found in its report."
            )}
          </p>
        </EmptyState>
      )}
      {!mayReview() && Boolean(run.extracted) && (
        <p class="soft">{count(run.extracted ?? 0)} learnings; a reviewer sees their words.</p>
      )}
    </section>
  );
}

function Learning({ staged }: { staged: Staged }) {
  const { learning } = staged;
  return (
    <div class="memory-line">
      <div class="memory-line-text">
        <p>{learning.content}</p>
        <div class="memory-line-meta">
          <Badge tone={TONES[staged.status]}>{staged.status}</Badge>
          <span>{learning.type}</span>
          <span>confidence {share(learning.confidence)}</span>
          {staged.memory_id && <a href={linkTo("memories", {}, [staged.memory_id])}>the memory</a>}
          {staged.rejection_reason && <span>{staged.rejection_reason}</span>}
          {staged.decided_by && <span>{staged.decided_by}</span>}
        </div>
      </div>
    </div>
  );
}

function Used({ run, project }: { run: Run; project: string }) {
  const ids = run.memories_used;
  useEffect(() => readWords(ids.map((id) => ({ project, id }))), [project, ids]);
  return (
    <section class="card" aria-labelledby="used">
      <div class="card-head">
        <h2 id="used">Memories that it had</h2>
        <span class="soft">
          {run.credited === undefined ? "" : `${count(run.credited)} of ${count(ids.length)} credited`}
        </span>
      </div>
      {ids.map((id) => (
        <div class="memory-line" key={id}>
          <a class="timeline-words memory-line-text" href={linkTo("memories", {}, [id])}>
            <Words memory={{ project, id }} />
          </a>
        </div>
      ))}
      {ids.length === 0 && (
        <EmptyState title="It had none">
          <p>A run that recalls names the memories that it used, and its verdict counts for them.</p>
        </EmptyState>
      )}
    </section>
  );
}

function Words({ memory }: { memory: NamedMemory }) {
  const words = wordsOf(memory);
  return words ? <span class="clamp">{words}</span> : <code>{memory.id}</code>;
}
