// Graph around a memory: what it names, and what else names it. What the picture shows is listed beside it.

import { get, type Memory, type Schemas } from "../../api/client.ts";
import { useLoaded } from "../../api/load.ts";
import { pageOf } from "../../app/navigation.ts";
import { changeQuery, goTo, linkTo, place } from "../../app/router.ts";
import { SelectField } from "../../widgets/field.tsx";
import { Icon } from "../../widgets/icon.tsx";
import { count, share } from "../../widgets/moment.tsx";
import { Network, type NetworkLink, type NetworkNode } from "../../widgets/network.tsx";
import { EmptyState, ProblemNotice } from "../../widgets/notice.tsx";

type Node = Schemas["NodeAnswer"];

interface Surroundings {
  readonly nodes: readonly Node[];
  readonly drawn: readonly NetworkNode[];
  readonly links: readonly NetworkLink[];
  readonly isWhole: boolean;
  readonly note: string | null;
}

const NODES_MAX = 120;

export function GraphView({ memory }: { memory: Memory }) {
  const hops = Number(place.value.query.get("hops") ?? 2);
  const { project, id, version } = memory;
  const found = useLoaded(`${project} ${id} ${version} ${hops}`, (signal) =>
    surroundings(project, id, hops, signal),
  );
  const { value, problem } = found.state.value;
  if (problem) return <ProblemNotice problem={problem} retry={found.reload} />;
  return (
    <section class="page" aria-label="Graph">
      <div class="filters">
        <SelectField
          label="Steps"
          value={String(hops)}
          options={["1", "2", "3"]}
          onChange={(to) => changeQuery({ hops: to === "2" ? null : to })}
        />
      </div>
      {value && value.nodes.length <= 1 && (
        <EmptyState title="Nothing is tied to it">
          <p>Entities and relations tie memories to each other. Edit it to name an entity.</p>
        </EmptyState>
      )}
      {value && value.nodes.length > 1 && (
        <div class="surroundings">
          <Network nodes={value.drawn} links={value.links} onOpen={(node) => goTo(nodeLink(node, value))} />
          <NodeList around={value} id={id} />
        </div>
      )}
    </section>
  );
}

async function surroundings(
  project: string,
  id: string,
  hops: number,
  signal: AbortSignal,
): Promise<Surroundings> {
  const query = { entity: id, hops, limit: NODES_MAX };
  const found = await get("/v1/projects/{project}/graph", { path: { project }, query, signal });
  return {
    nodes: found.nodes,
    drawn: found.nodes.map((node) => ({ id: node.id, label: labelOf(node), kind: kindOf(node) })),
    links: found.edges.map(({ source, target, type }) => ({ source, target, label: type })),
    isWhole: found.is_whole,
    note: found.note ?? null,
  };
}

const kindOf = (node: Node) => (node.kind === "memory" ? "memory" : "entity");
const labelOf = (node: Node) => node.summary ?? node.id;

function nodeLink(id: string, around: Surroundings): string {
  const node = around.nodes.find((one) => one.id === id);
  if (node?.kind === "memory") return linkTo("memories", { view: "graph" }, [id]);
  if (pageOf("graph")) return linkTo("graph", { entity: id });
  return linkTo("memories", { entities: id });
}

function NodeList({ around, id }: { around: Surroundings; id: string }) {
  return (
    <div class="card">
      <h2>
        {count(around.nodes.length)} {around.isWhole ? "nodes" : "nearest nodes; there are more"}
      </h2>
      {around.note && <p class="soft">{around.note}</p>}
      <ul>
        {around.nodes
          .filter((node) => node.id !== id)
          .map((node) => (
            <li class="memory-line" key={node.id}>
              <Icon name={node.kind === "memory" ? "list" : "graph"} />
              <div class="memory-line-text">
                <a class="clamp" href={nodeLink(node.id, around)}>
                  {labelOf(node)}
                </a>
                <div class="memory-line-meta">
                  <span>{node.kind}</span>
                  <span>{share(node.nearness)} near</span>
                  {node.total !== undefined && <span>{count(node.total)} memories</span>}
                </div>
              </div>
            </li>
          ))}
      </ul>
    </div>
  );
}
