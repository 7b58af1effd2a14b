"""`ToolEnrichment` in LangGraph's node of tools, over a real server."""

from __future__ import annotations

import asyncio
import logging
import uuid
from typing import Any

import pytest
from langchain_core.messages import AIMessage, ToolMessage
from langchain_core.tools import tool
from langgraph.graph import START, MessagesState, StateGraph
from langgraph.prebuilt import ToolNode

from memory_layer.client import Memory
from memory_layer.integrations.langgraph_tools import ToolEnrichment

KNOWN = "The table of orders is partitioned by day"


@tool
def describe(table: str) -> str:
    """Describes a table."""
    return f"urn:table:{table} has 12 columns"


@tool
def fail() -> str:
    """Fails."""
    raise ValueError("urn:table:orders is locked")


@pytest.fixture
def project() -> str:
    """A project that knows something of one table."""
    name = f"tools-{uuid.uuid4().hex[:12]}"
    Memory(project=name).create_memory(KNOWN, entities=["urn:table:orders"])
    return name


def graph_of(enrichment: ToolEnrichment) -> Any:
    node = ToolNode(
        [describe, fail],
        wrap_tool_call=enrichment.wrap_tool_call,
        awrap_tool_call=enrichment.awrap_tool_call,
        handle_tool_errors=True,
    )
    return StateGraph(MessagesState).add_node("tools", node).add_edge(START, "tools").compile()


def asked(*calls: tuple[str, dict[str, Any]]) -> dict[str, Any]:
    named = [{"name": name, "args": args, "id": f"c{n}"} for n, (name, args) in enumerate(calls)]
    return {"messages": [AIMessage("", tool_calls=named)]}


CALLS = asked(("describe", {"table": "orders"}), ("describe", {"table": "refunds"}), ("fail", {}))


def answers(state: dict[str, Any]) -> list[str]:
    return [message.content for message in state["messages"] if isinstance(message, ToolMessage)]


def test_known_urns_bring_their_memories_without_a_call_of_the_agents(project: str) -> None:
    graph = graph_of(ToolEnrichment(project=project))
    for state in (graph.invoke(CALLS), asyncio.run(graph.ainvoke(CALLS))):
        known, unknown, _ = answers(state)
        assert known.startswith("urn:table:orders has 12 columns\n\n")
        assert KNOWN in known
        assert unknown == "urn:table:refunds has 12 columns"


def test_a_memory_that_is_away_changes_no_answer(caplog: pytest.LogCaptureFixture) -> None:
    """Falls where a failure of ours reaches the agent."""
    caplog.set_level(logging.WARNING)
    graph = graph_of(ToolEnrichment("http://127.0.0.1:1", project="p"))
    known, unknown, _ = answers(graph.invoke(CALLS))
    assert (known, unknown) == ("urn:table:orders has 12 columns", "urn:table:refunds has 12 columns")
    assert "goes without memories" in caplog.text
