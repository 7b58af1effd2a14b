// Beginnings of a walk: the entities that recent memories name most, and the memories that are used most.

import { useEffect } from "preact/hooks";
import { get, type Memory } from "../../api/client.ts";
import { useLoaded } from "../../api/load.ts";
import { linkTo, place } from "../../app/router.ts";
import { count } from "../../widgets/moment.tsx";
import { EmptyState, ProblemNotice } from "../../widgets/notice.tsx";
import { readWords, wordsOf } from "../timeline/memory_words.ts";

const LOOKED_AT = 200;
const SHOWN = 16;

export function Beginnings() {
  const project = place.value.project ?? "";
  const recent = useLoaded(project, (signal) =>
    get("/v1/projects/{project}/memories", { path: { project }, query: { limit: LOOKED_AT }, signal }),
  );
  const stats = useLoaded(project, (signal) =>
    get("/v1/projects/{project}/stats", { path: { project }, signal }),
  );
  const used = stats.state.value.value?.most_used ?? [];
  useEffect(() => readWords(used.map(({ id }) => ({ project, id }))), [project, stats.state.value.value]);
  const { value, problem } = recent.state.value;
  if (problem) return <ProblemNotice problem={problem} retry={recent.reload} />;
  if (!value) return null;
  const entities = mostNamed(value.memories);
  const memories = used.length ? used.map((one) => one.id) : value.memories.slice(0, 8).map((one) => one.id);
  if (memories.length === 0) {
    return (
      <EmptyState title="Nothing to walk through yet">
        <p>
          Memories are tied by what they name. Store some with <code>mem add</code>.
        </p>
      </EmptyState>
    );
  }
  const words = new Map(value.memories.map((one) => [one.id, one.summary ?? one.content]));
  return (
    <div class="cards">
      <section class="card" aria-labelledby="begin-entities">
        <h2 id="begin-entities">Entities that recent memories name</h2>
        <ul class="graph-beginnings">
          {entities.map(([entity, number]) => (
            <li key={entity}>
              <a href={linkTo("graph", { entity })}>{entity}</a> <span class="soft">{count(number)}</span>
            </li>
          ))}
        </ul>
        {entities.length === 0 && (
          <p class="soft">None names one; names, paths and dates in texts count as well.</p>
        )}
      </section>
      <section class="card" aria-labelledby="begin-memories">
        <h2 id="begin-memories">{used.length ? "Memories that are used most" : "Recent memories"}</h2>
        <ul class="graph-beginnings">
          {memories.map((id) => (
            <li key={id}>
              <a href={linkTo("graph", { entity: id })}>
                <span class="clamp">{words.get(id) ?? wordsOf({ project, id }) ?? id}</span>
              </a>
            </li>
          ))}
        </ul>
      </section>
    </div>
  );
}

function mostNamed(memories: readonly Memory[]): [string, number][] {
  const counts = new Map<string, number>();
  for (const entity of memories.flatMap((memory) => memory.entities)) {
    counts.set(entity, (counts.get(entity) ?? 0) + 1);
  }
  return [...counts].sort(([, one], [, other]) => other - one).slice(0, SHOWN);
}
