"""Words of a memory that takes in others: all that they say, with the belief of the least believed of them."""

from collections.abc import Sequence
from dataclasses import replace

from memory_layer.domain.conflicts.united_text import Says, united_text
from memory_layer.domain.memory import CONTENT_MAX_BYTES, Memory, Source, content_hash
from memory_layer.domain.resolved_time import TIMES_MAX, ResolvedTime
from memory_layer.domain.text.classification import first_sentence
from memory_layer.domain.time.resolve_times import resolve_times

_STANDING: tuple[Source, ...] = ("learning", "run", "human")


def united_words(memories: Sequence[Memory], says: Says) -> Memory | None:
    """Finds the words of memories that are merged: those of the one that says all, else a record with the words of all.

    Tried in the order of their length, of equally long ones the better believed first.

    Returns:
        The memory whose words stay as they are, or a copy of the longest with the united ones; None: they do not fit.
    """
    tried = sorted(memories, key=lambda memory: (len(memory.content), memory.confidence), reverse=True)
    united = united_text([memory.content for memory in tried], says, CONTENT_MAX_BYTES)
    if united is None:
        return None
    sources = [tried[at] for at in united.sources]
    return sources[0] if len(sources) == 1 else with_words_of(sources, united.text)


def with_words_of(sources: Sequence[Memory], content: str) -> Memory:
    """Copy of the first memory with a content that has words of all of them: believed as the least of them.

    Words about time keep the days that they mean; those that mean other days in each mean none.
    """
    first = sources[0]
    least = min(sources, key=lambda memory: _STANDING.index(memory.source))
    is_approved = all(memory.is_approved for memory in sources)
    has_first_line = first.summary == first_sentence(first.content)
    said = {memory.said_at for memory in sources if memory.times} or {first.said_at}
    said_at = said.pop() if len(said) == 1 else None
    return replace(
        first,
        content=content,
        content_hash=content_hash(content),
        summary=first_sentence(content) if has_first_line else first.summary,
        said_at=said_at,
        times=resolve_times(content, said_at) if said_at is not None else _times(sources, content),
        source=least.source,
        source_run_id=least.source_run_id,
        source_recall_id=least.source_recall_id,
        confidence=min(memory.confidence for memory in sources),
        approved_by=first.approved_by if is_approved else None,
        approved_at=first.approved_at if is_approved else None,
    )


def _times(sources: Sequence[Memory], content: str) -> tuple[ResolvedTime, ...]:
    meant: dict[str, set[ResolvedTime]] = {}
    for memory in sources:
        for time in memory.times:
            meant.setdefault(time.words, set()).add(time)
    kept = [next(iter(times)) for words, times in meant.items() if len(times) == 1 and words in content]
    return tuple(kept[:TIMES_MAX])
