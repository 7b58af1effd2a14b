"""Pooled implicit feedback: what one reader may take from the counts of all voices on a memory.

A reader's own runs count in full. Of others, the strongest voice on either side counts only once another one agrees,
so that one agent's runs, however many, move nothing in anybody else's lists (SPEC 4); a person's need no second.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from functools import reduce
from itertools import chain

from memory_layer.domain.learning.implicit_feedback import (
    OTHER_KIND_WEIGHT,
    SOURCE_SHARE,
    FeedbackEntry,
    ImplicitFeedback,
    decayed,
)
from memory_layer.domain.learning.verdict_counts import NO_COUNTS, VerdictCounts
from memory_layer.domain.memory import TaskType


@dataclass(frozen=True, slots=True)
class Reader:
    """Caller for whom feedback is pooled.

    Args:
        voice: under which their runs count.
        task_type: kind of their task; None: all kinds count alike.
        at: now.
    """

    voice: str
    task_type: TaskType | None
    at: datetime


@dataclass(frozen=True, slots=True)
class PooledFeedback:
    """Evidence that a reader has on a memory.

    Args:
        own: of the reader's runs.
        others: of persons and reviewers, and of other agents as far as they agree.
        inherited: of the memory that this one took the place of, or was copied from; at a share.
        voices: how many others have been shown it.
        runs: ids of the latest runs that the evidence is of.
    """

    own: VerdictCounts = NO_COUNTS
    others: VerdictCounts = NO_COUNTS
    inherited: VerdictCounts = NO_COUNTS
    voices: int = 0
    runs: frozenset[str] = frozenset()

    @property
    def counts(self) -> VerdictCounts:
        """All evidence together."""
        return self.own.plus(self.others).plus(self.inherited)


def pool(row: ImplicitFeedback | None, reader: Reader) -> PooledFeedback:
    """Pools the feedback on one memory for a reader."""
    entries = () if row is None else row.entries
    own = _by_voice((one for one in entries if one.voice == reader.voice), reader)
    vouched = _by_voice((one for one in entries if one.voice != reader.voice and one.is_vouched), reader)
    agents = _by_voice((one for one in entries if one.voice != reader.voice and not one.is_vouched), reader)
    others = _summed([*vouched.values(), _agreed(agents.values())])
    is_agreed = any(_agreed(agents.values()))
    told = (entry.recent for entry in entries if entry.voice == reader.voice or entry.is_vouched or is_agreed)
    runs = frozenset(chain.from_iterable(told))
    return PooledFeedback(_summed(own.values()), others, voices=len({*vouched, *agents}), runs=runs)


def with_ancestors(pooled: PooledFeedback, ancestors: Iterable[PooledFeedback]) -> PooledFeedback:
    """Adds what is known of the memories that this one stands for."""
    inherited = NO_COUNTS.plus(_summed(one.counts for one in ancestors), SOURCE_SHARE)
    return replace(pooled, inherited=inherited)


def _by_voice(entries: Iterable[FeedbackEntry], reader: Reader) -> dict[str, VerdictCounts]:
    found: defaultdict[str, VerdictCounts] = defaultdict(VerdictCounts)
    for entry in entries:
        is_same = reader.task_type in (None, entry.task_type)
        weight = 1.0 if is_same else OTHER_KIND_WEIGHT
        found[entry.voice] = found[entry.voice].plus(decayed(entry, reader.at), weight)
    return dict(found)


def _agreed(voices: Iterable[VerdictCounts]) -> VerdictCounts:
    """VerdictCounts of the voices on either side but the strongest one of each, which nobody seconds."""
    sides: Mapping[bool, list[VerdictCounts]] = {True: [], False: []}
    for counts in voices:
        if counts.worked != counts.failed:
            sides[counts.worked > counts.failed].append(counts)
    return _summed(
        counts
        for side in sides.values()
        for counts in sorted(side, key=lambda one: abs(one.worked - one.failed))[:-1]
    )


def _summed(counts: Iterable[VerdictCounts]) -> VerdictCounts:
    return reduce(VerdictCounts.plus, counts, NO_COUNTS)
