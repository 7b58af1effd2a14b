"""Page of memories for an agent's context, numbered through the whole session, so that a line is cited in brief."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from memory_layer.domain.context.fragments import chars4
from memory_layer.domain.memory import Memory
from memory_layer.mcp.page_text import page_text
from memory_layer.plugin.hooks.session_state import SHOWN_MAX, HookSession

SESSION_TOKENS: Final = 12_000
"""Tokens that hooks put into one session at most: a twentieth of a common context window."""

HOW_TO_CITE: Final = "Cite one that you use as [M1]; one that misled you as [M1 wrong]."
_CUT: Final = " …"


def numbered_page(state: HookSession, heading: str, memories: Sequence[Memory], tokens_max: int) -> str:
    """Page of the memories that the session has not in sight; empty where there are none, or no room is left.

    They get the session's next numbers, in `state`.

    Args:
        heading: why they are shown.
        tokens_max: of the page, as `chars4` counts them.
    """
    room = min(tokens_max, SESSION_TOKENS - state.total_tokens)
    seen = state.in_sight
    fresh = [memory for memory in memories if (memory.project, memory.id) not in seen][
        : SHOWN_MAX - len(state.shown)
    ]
    page = ""
    while fresh and chars4([page := _page(state, heading, fresh)])[0] > room:
        fresh = fresh[:-1] if len(fresh) > 1 else _shortened(fresh[0], chars4([page])[0] - room)
    state.shown += [(memory.project, memory.id) for memory in fresh]
    return page if fresh else ""


def _page(state: HookSession, heading: str, memories: Sequence[Memory]) -> str:
    first = state.next_number
    names = (f"M{number}" for number in range(first, first + len(memories)))
    is_told = len(state.shown) > state.forgotten
    return "\n".join([heading, page_text(memories, names), *([] if is_told else [HOW_TO_CITE])])


def _shortened(memory: Memory, over: int) -> list[Memory]:
    """Memory with so many tokens less; none where little would be left of it."""
    kept = len(memory.content.removesuffix(_CUT)) - 4 * over - len(_CUT)
    return [] if kept < 40 else [replace(memory, content=memory.content[:kept] + _CUT)]
