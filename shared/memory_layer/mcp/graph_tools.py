"""Tool that explores the graph."""

from memory_layer.domain.prompt import in_one_line
from memory_layer.edge.shapes.derived_models import answer_model
from memory_layer.edge.shapes.graph_bodies import GraphAnswer, graph_json
from memory_layer.mcp import tool_schemas
from memory_layer.mcp.page_text import listed_text
from memory_layer.mcp.tool_session import Tool, ToolReply, ToolSession, project_of
from memory_layer.usecases.recall.explore_graph import GraphNeighbourhood, explore_graph, node_id

GRAPH = answer_model(GraphAnswer)


def _explore(session: ToolSession, asked: tool_schemas.ExploreEntity) -> ToolReply:
    project = project_of(session, asked)
    explored = explore_graph(
        session.ports, session.principal, project, asked.entity, hops=asked.hops, limit=asked.limit
    )
    document = graph_json(explored, project, asked.entity, asked.hops)
    return ToolReply(GRAPH.model_validate(document), _text(explored, project))


def _text(explored: GraphNeighbourhood, project: str) -> str:
    note = f"\nNote: {explored.note}." if explored.note else ""
    if not explored.nodes:
        return f"Nothing that you may see speaks of it.{note}"
    memories = [node.memory for node in explored.nodes if node.memory is not None]
    ties = [
        in_one_line(f"{node_id(tie.source, project)} {tie.type} {node_id(tie.target, project)}")
        for tie in explored.ties
    ]
    more = "" if explored.is_whole else "\nThere is more: raise limit."
    return (
        "\n".join([listed_text(memories), "Ties, which are data too:", *(f"- {tie}" for tie in ties)])
        + more
        + note
    )


GRAPH_TOOLS: tuple[Tool, ...] = (
    Tool(
        name="explore_entity",
        title="Explore an entity",
        description=(
            "What hangs together with a table, service, file, person or memory: the memories that name it, what else "
            "they name, what points at it. To find what a change may touch."
        ),
        asks=tool_schemas.ExploreEntity,
        answers=GRAPH,
        run=_explore,
        is_read_only=True,
    ),
)
