"""One memory made of several that are merged into it: words of all, evidence summed once."""

from collections.abc import Collection, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any, Final

from memory_layer.domain.duplicates import merge_duplicates, merged_ids
from memory_layer.domain.memory import Memory
from memory_layer.domain.trust import taken_over

_NO_EVIDENCE: Final[dict[str, Any]] = {
    **dict.fromkeys(("worked", "failed", "partial", "use_count", "access_count"), 0),
    **dict.fromkeys(("outcome_score", "worked_weight", "failed_weight", "unseconded"), 0.0),
}


def with_fresh_evidence(into: Memory, others: Sequence[Memory]) -> list[Memory]:
    """Memories to merge without the contexts of turns, and without evidence that was summed before."""
    summed = {id for memory in (into, *others) for id in merged_ids(memory)}
    return [_fresh(other, summed) for other in others]


def _fresh(other: Memory, summed: Collection[str]) -> Memory:
    if other.position is not None:
        other = replace(other, context=None)
    return replace(other, **_NO_EVIDENCE) if other.id in summed else other


def united_memory(into: Memory, fresh: Sequence[Memory], wording: Memory, at: datetime) -> Memory:
    """Memory with all that the others add. Args: wording: the record whose words it has."""
    united = into
    for other in fresh:
        united = merge_duplicates(united, other, at, wording)
    return united if into.position is None else replace(united, context=into.context)


def in_lowest_standing(united: Memory, sources: Sequence[Memory]) -> Memory:
    """United memory in the standing of its words: that of one source if it has its words, else the lowest of all."""
    is_one_source = united.content_hash in {memory.content_hash for memory in sources}
    return united if is_one_source else taken_over(united, sources)
