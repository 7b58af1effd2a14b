"""Page of learnings of earlier runs for the prompt of the next: selection, order and rendering, deterministic."""

import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

from memory_layer.domain.attribution import DOUBTED, UNREVIEWED_MARK, marked_among
from memory_layer.domain.dated_words import with_dates
from memory_layer.domain.filters import Filters
from memory_layer.domain.learning.founded_figures import runs_too_few
from memory_layer.domain.learning.same_lines import same_lines, with_pooled_counts
from memory_layer.domain.learning.staging import LearningType
from memory_layer.domain.memory import LABEL_MAX_CHARS, Memory, Ref
from memory_layer.domain.prompt import fenced, first_and_next_lines, in_one_line, opens_block
from memory_layer.domain.ranking import Candidate, RankedMemory, TaskProfile, rank_task

HEADING = "## Knowledge Base (from previous loops)"

GroupName = Literal["strategies", "antipatterns", "estimates", "conventions"]
Groups = Mapping[GroupName, tuple[RankedMemory, ...]]
"""Memories of all four groups, best first."""


@dataclass(frozen=True, slots=True, kw_only=True)
class KnowledgeGroup:
    """Kind of learning on the page: the most that a prompt takes of it, and its minimum scores (0..1, inclusive)."""

    name: GroupName
    type: LearningType
    heading: str
    at_most: int
    min_confidence: float
    min_success_rate: float | None = None

    @property
    def filters(self) -> Filters:
        return Filters(
            type=(self.type,), min_confidence=self.min_confidence, min_success_rate=self.min_success_rate
        )


STRATEGIES = KnowledgeGroup(
    name="strategies",
    type="strategy",
    heading="## Proven Strategies",
    at_most=3,
    min_confidence=0.5,
    min_success_rate=0.6,
)
ANTIPATTERNS = KnowledgeGroup(
    name="antipatterns",
    type="antipattern",
    heading="## Anti-Patterns to Avoid",
    at_most=5,
    min_confidence=0.4,
)
ESTIMATES = KnowledgeGroup(
    name="estimates",
    type="estimate",
    heading="## Time/Iteration Estimates",
    at_most=2,
    min_confidence=0.4,
)
CONVENTIONS = KnowledgeGroup(
    name="conventions",
    type="convention",
    heading="## Project Conventions",
    at_most=3,
    min_confidence=0.5,
)
GROUPS = (STRATEGIES, ANTIPATTERNS, ESTIMATES, CONVENTIONS)
"""Groups in the order of the page. Source: SPEC 6.17."""


def choose_knowledge(ranked: Sequence[RankedMemory], limit: int) -> Groups:
    """Selects the best memories of each group, `limit` in all; of those that say the same the best one.

    Where the limit is below the sum of the groups, they take turns: each its first, then each its second, in the
    order of the page, so that no group crowds out another.

    Args:
        ranked: best first; memories of no group are left out.
    """
    items = {item.memory.ref: item for item in ranked}
    best = {
        group.name: tuple(items[same[0].ref] for same in _best(group, items.values())) for group in GROUPS
    }
    turns = sorted(
        (place, order) for order, group in enumerate(GROUPS) for place in range(len(best[group.name]))
    )
    taken = Counter(order for _, order in turns[:limit])
    return {group.name: best[group.name][: taken[order]] for order, group in enumerate(GROUPS)}


def _best(group: KnowledgeGroup, ranked: Iterable[RankedMemory]) -> list[list[Memory]]:
    accepts = group.filters.acceptor()
    return same_lines((item.memory for item in ranked if accepts(item.memory)), _line, group.at_most)


def with_counts_of_same(groups: Groups, ranked: Sequence[RankedMemory]) -> tuple[Groups, tuple[Memory, ...]]:
    """Chosen groups with the counts of all memories that say the same, and those that have no line of their own.

    Args:
        ranked: the memories that the groups were chosen among.
    """
    shown = {item.memory.ref for items in groups.values() for item in items}
    same = {one[0].ref: one for group in GROUPS for one in _best(group, ranked) if one[0].ref in shown}
    counted = {
        name: tuple(replace(item, memory=with_pooled_counts(same[item.memory.ref])) for item in items)
        for name, items in groups.items()
    }
    return counted, tuple(memory for one in same.values() for memory in one[1:])


def _line(memory: Memory) -> str:
    """Words of a memory's line: the figures of an estimate, the content of any other."""
    return (_figures(memory.detail) if memory.type == "estimate" else "") or memory.content


def ordered_for_page(groups: Groups, task: TaskProfile) -> Groups:
    """Orders memories by their relevance at the time when the newest of them was written.

    The same memories so give the same bytes for the same task: by today's clock their order would change as they
    age.
    """
    moment = max((item.memory.updated_at for items in groups.values() for item in items), default=None)
    if moment is None:
        return groups
    return {
        name: tuple(rank_task([Candidate(item.memory, item.signals) for item in items], task, moment))
        for name, items in groups.items()
    }


def memories_of(groups: Groups) -> tuple[Memory, ...]:
    return tuple(item.memory for group in GROUPS for item in groups[group.name])


def render_knowledge(groups: Groups) -> str:
    """Renders the page that goes into the prompt of a task, as fenced data; empty without memories.

    Each line of a content after its first begins with a bar, as does a first line that would open a block of its
    own: no text can pass for a heading, an entry or a line of examples, and none closes the fence.

    Args:
        groups: in the order of the page.

    Source: Loop Learning, result formatting; the fence is that of `domain.prompt`.
    """
    marked = marked_among(memories_of(groups))
    sections = [
        "\n".join(
            [
                "",
                group.heading,
                "",
                *(line for item in groups[group.name] for line in _entry(item.memory, marked)),
            ]
        )
        for group in GROUPS
        if groups[group.name]
    ]
    return fenced(HEADING, "\n".join(sections), memories_of(groups)) if sections else ""


def _entry(memory: Memory, marked: Collection[Ref]) -> Iterator[str]:
    said = [UNREVIEWED_MARK] if memory.ref in marked else []
    said += [DOUBTED] if memory.doubted else []
    standing = f" ({', '.join(said)})" if said else ""
    if memory.type == "estimate" and (figures := _figures(memory.detail)):
        yield f"- Similar tasks: {figures}{standing}"
        return
    first, others = first_and_next_lines(_CLAIM.sub("[", with_dates(memory.content, memory.times)))
    mark = "| " if opens_block(first) else ""
    yield f"- {mark}{first}{_effectiveness(memory)}{standing}"
    yield from others
    if examples := _examples(memory):
        yield f"  Examples: {', '.join(examples)}"


_CLAIM = re.compile(r"[(\uff08](?=\s*(?:effectiveness|seen\s+in\b))", re.IGNORECASE)
"""Claim of effectiveness or of runs inside a text, which must not pass for a measured one."""


def _effectiveness(memory: Memory) -> str:
    """Effectiveness of a strategy in whole percent, rounded half up (0.785 counts as 79); of few runs their number."""
    if memory.type != "strategy":
        return ""
    if (runs := runs_too_few(memory)) is not None:
        return f" (seen in {runs} independent run{'' if runs == 1 else 's'})" if runs else ""
    share = _number(memory.detail.get("effectiveness"), most=1)
    known = memory.success_rate if share is None else share
    return "" if known is None else f" (effectiveness: {(round(known * 1000) + 5) // 10}%)"


MAX_ITERATIONS = 1_000_000
MAX_ITERATION_MS = 365 * 86_400_000
"""A year; larger figures than these limits cannot come from a run."""


def _figures(detail: Mapping[str, Any]) -> str:
    """Duration of similar tasks, as far as it is known; fractions of a second count as one."""
    iterations = _number(detail.get("total_iterations"), most=MAX_ITERATIONS)
    duration_ms = _number(detail.get("avg_iteration_time_ms"), most=MAX_ITERATION_MS)
    figures = []
    if iterations:
        count = max(1, int(iterations + 0.5))
        figures.append(f"~{count} iteration{'s' if count > 1 else ''}")
    if duration_ms:
        figures.append(f"~{max(1, int(duration_ms / 1000 + 0.5))}s per iteration")
    return ", ".join(figures)


def _number(value: object, *, most: float) -> float | None:
    """Value of a detail if it is a number from 0 to `most`, else None: callers may write anything there."""
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return value if is_number and 0 <= value <= most else None  # type: ignore[operator,return-value]


EXAMPLES_MAX = 3


def _examples(memory: Memory) -> list[str]:
    """First few examples of a memory; overlong paths are cut."""
    examples = memory.detail.get("examples")
    if memory.type != "convention" or not isinstance(examples, list | tuple):
        return []
    lines = (in_one_line(example)[:LABEL_MAX_CHARS] for example in examples if isinstance(example, str))
    return [line for line in lines if line][:EXAMPLES_MAX]
