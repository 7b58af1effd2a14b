// Graph: entities and memories around one, up to two thousand of them, with what was left out told.

import { useMemo, useState } from "preact/hooks";
import { type Answer, get, type Schemas } from "../api/client.ts";
import { useLoaded } from "../api/load.ts";
import { changeQuery, goTo, linkTo, place } from "../app/router.ts";
import { Badge, StandingMark } from "../widgets/badge.tsx";
import { Button } from "../widgets/button.tsx";
import { SelectField } from "../widgets/field.tsx";
import { count, share } from "../widgets/moment.tsx";
import { Network } from "../widgets/network.tsx";
import { EmptyState, ProblemNotice } from "../widgets/notice.tsx";
import { type Column, Table } from "../widgets/table.tsx";
import { Beginnings } from "./graph/beginnings.tsx";

type Graph = Answer<"/v1/projects/{project}/graph", "get">;
type Node = Schemas["NodeAnswer"];

const LIMITS = ["50", "200", "500", "1000", "2000"];
const LISTED_FIRST = 50;

const COLUMNS: readonly Column<Node>[] = [
  { name: "node", title: "Nearest first", show: (row) => <Named node={row} />, class: "cell-wide" },
  { name: "kind", title: "Kind", show: (row) => <Badge>{row.type ?? row.kind}</Badge>, class: "cell-short" },
  { name: "ties", title: "Memories", show: (row) => tiesText(row), align: "end" },
  { name: "nearness", title: "Nearness", show: (row) => share(row.nearness), align: "end" },
];

export default function GraphPage() {
  const project = place.value.project ?? "";
  const { query } = place.value;
  const entity = query.get("entity") ?? "";
  const hops = Number(query.get("hops") ?? 2);
  const limit = Number(query.get("limit") ?? 200);
  const graph = useLoaded(entity ? `${project} ${entity} ${hops} ${limit}` : null, (signal) =>
    get("/v1/projects/{project}/graph", { path: { project }, query: { entity, hops, limit }, signal }),
  );
  const { value, problem, isLoading } = graph.state.value;
  return (
    <div class="page">
      <header class="page-head">
        <h1>Graph</h1>
        <span class="page-note">{entity && value && partText(value)}</span>
      </header>
      <Question entity={entity} hops={hops} limit={limit} key={entity} />
      {!entity && <Beginnings />}
      {entity && problem && <ProblemNotice problem={problem} retry={graph.reload} />}
      {entity && value && (
        <div aria-busy={isLoading} class="page">
          {value.note && (
            <div class="notice" data-tone="warn">
              {value.note}
            </div>
          )}
          {value.nodes.length > 0 ? <Drawn graph={value} /> : <Nothing entity={entity} />}
        </div>
      )}
    </div>
  );
}

function Question({ entity, hops, limit }: { entity: string; hops: number; limit: number }) {
  const [asked, setAsked] = useState(entity);
  const ask = (event: Event) => {
    event.preventDefault();
    changeQuery({ entity: asked.trim() });
  };
  return (
    <form class="graph-question" onSubmit={ask}>
      <div class="field">
        <label class="field-label" for="graph-entity">
          Around
        </label>
        <input
          id="graph-entity"
          class="input"
          value={asked}
          placeholder="a URN, a name, a path, or a memory's id"
          onInput={(event) => setAsked(event.currentTarget.value)}
        />
      </div>
      <SelectField
        label="Steps"
        value={String(hops)}
        options={["1", "2", "3"]}
        onChange={(value) => changeQuery({ hops: value })}
      />
      <SelectField
        label="Nodes at most"
        value={String(limit)}
        options={LIMITS}
        onChange={(value) => changeQuery({ limit: value })}
      />
      <Button type="submit" kind="primary">
        Show
      </Button>
    </form>
  );
}

function partText({ nodes, edges, left_out }: Graph): string {
  const shown = `${count(nodes.length)} nodes, ${count(edges.length)} ties`;
  return left_out ? `${shown}; ${count(left_out)} further ones are left out` : shown;
}

function Drawn({ graph }: { graph: Graph }) {
  const [isAll, setAll] = useState(false);
  const nodes = useMemo(() => graph.nodes.map(drawnNode), [graph]);
  const links = useMemo(() => graph.edges.map((one) => ({ ...one, label: one.type })), [graph]);
  const kinds = useMemo(() => new Map(graph.nodes.map((node) => [node.id, node])), [graph]);
  const open = (id: string) => {
    const node = kinds.get(id);
    if (node) goTo(linkOf(node));
  };
  const listed = isAll ? graph.nodes : graph.nodes.slice(0, LISTED_FIRST);
  return (
    <>
      {graph.left_out > 0 && (
        <div class="notice">
          <p>
            {count(graph.left_out)} nodes further away are left out: raise “Nodes at most”, or take fewer
            steps.
          </p>
        </div>
      )}
      <Network nodes={nodes} links={links} onOpen={open} />
      <p class="soft graph-key">
        <span class="dot" data-series={1} /> memory <span class="dot" data-series={3} /> entity; a click opens
        the memory, or goes on from the entity; “?” nobody reviewed
      </p>
      <Table caption="Nodes, the nearest first" rows={listed} columns={COLUMNS} keyOf={(row) => row.id} />
      {listed.length < graph.nodes.length && (
        <div class="toolbar">
          <Button onClick={() => setAll(true)}>List all {count(graph.nodes.length)} nodes</Button>
        </div>
      )}
    </>
  );
}

function drawnNode(node: Node) {
  const kind = node.kind === "memory" ? ("memory" as const) : ("entity" as const);
  const words = node.summary ?? node.id;
  return { id: node.id, kind, label: node.standing === "unreviewed" ? `? ${words}` : words };
}

function linkOf(node: Node): string {
  if (node.kind === "memory") {
    const id = node.id.split("/").pop() ?? node.id;
    return linkTo("memories", {}, [id], node.project ?? place.peek().project);
  }
  const { hops, limit } = Object.fromEntries(place.peek().query);
  return linkTo("graph", { entity: node.id, hops, limit });
}

function Named({ node }: { node: Node }) {
  return (
    <a class="graph-node" href={linkOf(node)}>
      <span class="dot" data-series={node.kind === "memory" ? 1 : 3} />
      {node.kind === "memory" && <StandingMark standing={node.standing} />}
      <span class="clamp">{node.summary ?? node.id}</span>
    </a>
  );
}

function tiesText(node: Node): string {
  if (node.total !== undefined) return count(node.total);
  return node.total_at_most === undefined ? "" : `≤ ${count(node.total_at_most)}`;
}

function Nothing({ entity }: { entity: string }) {
  return (
    <EmptyState title="Nothing speaks of it">
      <p>
        No memory that you may see names <code>{entity}</code>.{" "}
        <a href={linkTo("graph")}>Begin at something that is known</a>.
      </p>
    </EmptyState>
  );
}
