// Estimate of how well a memory serves, and the evidence that it rests on.

import { type Answer, get, type Memory, type Schemas } from "../../api/client.ts";
import { useLoaded } from "../../api/load.ts";
import { Bar } from "../../widgets/bar.tsx";
import { count, share } from "../../widgets/moment.tsx";
import { ProblemNotice } from "../../widgets/notice.tsx";
import { type Column, Table } from "../../widgets/table.tsx";
import { Fact } from "./facts.tsx";

type Estimate = Answer<"/v1/projects/{project}/memories/{id}/outcome", "get">;
type OfKind = Estimate["by_task_type"][number];

/** Range from which on hardly more is known than at the beginning, when it is .95. */
const UNKNOWN_RANGE = 0.7;

const KINDS: readonly Column<OfKind>[] = [
  { name: "task_type", title: "Task", show: (row) => row.task_type },
  { name: "mean", title: "Serves", show: (row) => share(row.mean), align: "end" },
  { name: "deviation", title: "Give or take", show: (row) => share(row.deviation), align: "end" },
];

export function EstimateView({ memory }: { memory: Memory }) {
  const { project, id, version } = memory;
  const found = useLoaded(`${project} ${id} ${version}`, (signal) =>
    get("/v1/projects/{project}/memories/{id}/outcome", { path: { project, id }, signal }),
  );
  const { value, problem } = found.state.value;
  if (problem) return <ProblemNotice problem={problem} retry={found.reload} />;
  if (!value) return null;
  return (
    <section class="card" aria-label="Estimate">
      <h2>How well it serves</h2>
      <p>
        {share(value.mean)} likely to serve whoever is shown it next. {certaintyOf(value)}
      </p>
      <Bar part={value.mean} series={1} />
      <p class="soft">
        By runs that were shown it and cited nothing. {explored(value.exploration)} What verdicts that named
        it have taught stands apart, and nothing of this moves it.
      </p>
      <dl class="facts">
        <Fact name="Runs of yours">{evidence(value.own)}</Fact>
        <Fact name="Runs of others">
          {evidence(value.others)}, of {count(value.voices)} callers
        </Fact>
        <Fact name="Inherited">{evidence(value.inherited)}, of what it replaced or was copied from</Fact>
        <Fact name="Outcome score">{value.outcome_score}</Fact>
        <Fact name="Verdicts">
          {count(value.worked)} worked, {count(value.partial)} in part, {count(value.failed)} failed
        </Fact>
      </dl>
      {value.by_task_type.length > 0 && (
        <Table
          caption="By kind of task"
          rows={value.by_task_type}
          columns={KINDS}
          keyOf={(row) => row.task_type}
        />
      )}
    </section>
  );
}

/** How sure the chance is: the range that holds nine tenths of what it may be. */
function certaintyOf({ low, high }: Estimate): string {
  const range = `from ${share(low)} to ${share(high)}`;
  if (high - low > UNKNOWN_RANGE)
    return `That is a guess: too little is known yet, and it may be anything ${range}.`;
  return `How sure that is: nine chances in ten that the true figure lies ${range}.`;
}

function explored(exploration: number): string {
  if (exploration === 0) return "Lists do not go by it: the setting for it is 0.";
  return `Lists try it out by this, as far as the setting says: ${exploration}.`;
}

const parts = new Intl.NumberFormat([...navigator.languages], { maximumFractionDigits: 1 });

function evidence({ worked, failed }: Schemas["EvidenceAnswer"]): string {
  return `${parts.format(worked)} for it, ${parts.format(failed)} against it`;
}
