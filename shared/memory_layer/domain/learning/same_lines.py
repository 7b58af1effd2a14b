"""Learnings that stand in one line of a page because they say the same, with the counts of all of them."""

from collections.abc import Callable, Iterable, Sequence
from functools import reduce

from memory_layer.domain.conflicts.sameness import AlikeTexts
from memory_layer.domain.learning.founded_figures import is_measured
from memory_layer.domain.learning.promotion import learning_of, pool_learnings
from memory_layer.domain.memory import Memory
from memory_layer.domain.record_copy import copied_with
from memory_layer.domain.text.same_words import plain_form


def same_lines(
    memories: Iterable[Memory], line_of: Callable[[Memory], str], at_most: int
) -> list[list[Memory]]:
    """Groups memories by what their lines say, in the order of their firsts; the `at_most` first groups.

    Almost the same words stand with those of a group that began before.
    """
    groups: list[list[Memory]] = []
    places: dict[str, int] = {}
    alike = AlikeTexts[int]()
    for memory in memories:
        line = line_of(memory)
        form = plain_form(line)
        if form not in places and len(groups) < at_most:
            like = alike.find(line)
            places[form] = len(groups) if like is None else like
            if like is None:
                alike.add(line, len(groups))
                groups.append([])
        if form in places:
            groups[places[form]].append(memory)
    return groups


def with_pooled_counts(same: Sequence[Memory]) -> Memory:
    """The first of the memories that say the same, with the counts and runs of all; an approved one keeps its own.

    What an agent wrote beside the runs neither gives counts nor gets any: it would lend its figures to others.
    """
    first, measured = same[0], [one for one in same if one.is_trusted or is_measured(one)]
    learnings = [learning_of(memory) for memory in measured]
    known = [learning for learning in learnings if learning is not None]
    if first.is_approved or first not in measured or len(measured) == 1 or len(known) < len(measured):
        return first
    pooled = reduce(pool_learnings, known)
    detail = {**first.detail, **pooled.detail}
    runs = pooled.source_runs
    return copied_with(first, detail=detail, success_rate=pooled.success_rate, source_runs=runs)
