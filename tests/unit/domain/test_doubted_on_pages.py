"""What agents speak against says so on every page of text: who reads it is told before a person has decided."""

from __future__ import annotations

from dataclasses import fields
from datetime import date

import pytest

from memory_layer.cli.printing.attribution_text import said_by
from memory_layer.domain.attribution import DOUBTED
from memory_layer.domain.context.fragments import Format, Offer
from memory_layer.domain.context.levels_of_detail import page_entries
from memory_layer.domain.context.rendering import STYLES, render
from memory_layer.domain.doubt import add_doubt
from memory_layer.domain.learning.knowledge_page import GROUPS, render_knowledge
from memory_layer.domain.memory import Memory
from memory_layer.domain.prompt import memory_set_hash, render_memories
from memory_layer.domain.ranking import RankedMemory, Signals
from memory_layer.mcp.page_text import page_text
from tests.unit.domain.plain_memories import NOW, plain_memory

PLAIN = plain_memory("m1", "Run the importer with --fast.")
SPOKEN_AGAINST = add_doubt(PLAIN, by="agent-1", reason="it failed", at=NOW)


def ranked(memory: Memory) -> RankedMemory:
    return RankedMemory(memory, 1.0, Signals(**{one.name: 1.0 for one in fields(Signals)}))


def test_a_prompt_says_it() -> None:
    assert render_memories([SPOKEN_AGAINST]).count(f", {DOUBTED})") == 1
    assert DOUBTED not in render_memories([PLAIN])


def test_another_page_has_another_hash() -> None:
    """Falls where versions alone count: a doubt makes none, and a kept page would go on without the word."""
    assert SPOKEN_AGAINST.version == PLAIN.version
    assert memory_set_hash([SPOKEN_AGAINST]) != memory_set_hash([PLAIN])


@pytest.mark.parametrize("style", STYLES)
def test_a_context_says_it(style: Format) -> None:
    def page(memory: Memory) -> str:
        (levels,) = page_entries([Offer(memory=memory, layer="project", relevance=1.0)], ())
        return render(levels.values(), STYLES[style], date(2026, 2, 5))

    assert page(SPOKEN_AGAINST).count(DOUBTED) == 1
    assert DOUBTED not in page(PLAIN)


def test_a_knowledge_page_says_it() -> None:
    def page(memory: Memory) -> str:
        return render_knowledge({group.name: () for group in GROUPS} | {"strategies": (ranked(memory),)})

    assert f" ({DOUBTED})" in page(SPOKEN_AGAINST)
    assert DOUBTED not in page(PLAIN)


def test_an_answer_over_mcp_says_it() -> None:
    assert page_text([SPOKEN_AGAINST]).count(f"1 {PLAIN.type} {DOUBTED}: ") == 1
    assert DOUBTED not in page_text([PLAIN])


def test_a_line_of_a_terminal_says_it() -> None:
    document = {"standing": "trusted", "doubted": {"since": "2026-02-05T00:00:00Z"}}
    assert said_by(document).strip() == DOUBTED
    assert said_by({**document, "doubted": None}) == ""
