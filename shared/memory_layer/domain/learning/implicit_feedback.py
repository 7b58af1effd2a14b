"""Implicit feedback: weak evidence on memories that a run was shown and did not cite, in counts of its own.

Only exploration reads it; scores, confidence and standing never move by it (SPEC 4.27). Each voice keeps counts of its
own, so that nobody's runs decide for others. All constants: ADR-0042.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from heapq import nlargest
from itertools import chain
from typing import Final, NamedTuple

from memory_layer.domain.learning.verdict_counts import NO_COUNTS, VerdictCounts
from memory_layer.domain.memory import OutcomeResult, Ref, TaskType, to_thousandths
from memory_layer.domain.outcome import EVIDENCE, EVIDENCE_HALF_LIFE_DAYS

FORGETTING: Final = 0.8
"""Share of the counts that the next verdict leaves: some five verdicts count, so that drift is noticed."""

PASSED_OVER_LEFT: Final = 0.4
"""Share of the counts that a failure leaves of a memory which earlier runs of its task were shown, and this one was
not: where what is shown fails, what failed once is tried anew."""

PASSED_OVER_MAX: Final = 10
"""Most memories of which one failure leaves less, those of which most is known: all that a run moves is one commit."""

SAME_TASK_SHARE: Final = 0.7
"""Share of two lists that is common to both, from which on they are of one task."""

BLAME_POWER: Final = 4
"""Power of the doubt by which a failure is shared out: what has served well is blamed little."""

BLAME_MAX: Final = 5.0
"""Most failures that one verdict counts for one memory."""

CONTRAST_WEIGHT: Final = 1.0
"""VerdictCounts for the memories by which a run differs from an earlier one that ended otherwise."""

CONTRAST_COMMON: Final = 2
"""Memories that two runs have in common at least, to be two runs of one task."""

RUNS_COMPARED: Final = 11
"""Latest runs of one entry that the next run is compared with, and that it names."""

COUNTS_MAX: Final = 12.0
"""Most that the counts of one entry sum up to."""

SOURCE_SHARE: Final = 0.5
"""Share of the credit that flows to the memories from which one was written, and from one to its successor."""

OTHER_KIND_WEIGHT: Final = 0.5
"""Weight of evidence from other kinds of task."""

ENTRIES_MAX: Final = 32
"""Most entries of one memory; beyond them the voice that has most loses its oldest."""

VOICE_ENTRIES_MAX: Final = 8
"""Most entries of one voice on one memory, whatever its clients call themselves: its latest."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FeedbackEntry:
    """VerdictCounts of one voice on one memory, for one kind of task.

    Args:
        voice: under which its reporter counts, as `agent_voice`.
        reporter: principal whose runs judged.
        task_type: kind of task of these runs.
        is_vouched: the reporter is a person or a reviewer, whose word needs no second.
        worked, failed: decayed counts, as of `at`.
        runs: how many verdicts are in the counts.
        at: of the latest verdict.
        recent: ids of the latest runs, the last one last.
    """

    voice: str
    reporter: str
    task_type: TaskType
    is_vouched: bool = False
    worked: float = 0.0
    failed: float = 0.0
    runs: int = 0
    at: datetime
    recent: tuple[str, ...] = ()

    @property
    def key(self) -> "EntryKey":
        return EntryKey(self.reporter, self.task_type)


class EntryKey(NamedTuple):
    """Identity of an entry."""

    reporter: str
    task_type: TaskType


@dataclass(frozen=True, slots=True, kw_only=True)
class ImplicitFeedback:
    """Implicit feedback of a project on one memory. Args: memory: as `name_of`; version: 1 for the first."""

    memory: str
    entries: tuple[FeedbackEntry, ...]
    updated_at: datetime
    version: int = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgedRun:
    """Run with a verdict that cites none of the memories that it was shown.

    Args:
        voice, reporter, is_vouched: as `FeedbackEntry`.
        shown: names of the memories, as `name_of`, each once.
        sources: names of the memories from which one of them was written, by its name.
    """

    run_id: str
    voice: str
    reporter: str
    is_vouched: bool = False
    task_type: TaskType
    outcome: OutcomeResult
    at: datetime
    shown: tuple[str, ...]
    sources: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    @property
    def key(self) -> EntryKey:
        return EntryKey(self.reporter, self.task_type)


def name_of(ref: Ref) -> str:
    """Name of a memory in the feedback of a project, which may be on what the tenant shares."""
    return f"{ref.project}/{ref.id}"


def decayed(entry: FeedbackEntry, at: datetime) -> VerdictCounts:
    """VerdictCounts of an entry, decayed to `at`."""
    days = max(0.0, (at - entry.at) / timedelta(days=1))
    left = 0.5 ** (days / EVIDENCE_HALF_LIFE_DAYS)
    return VerdictCounts(entry.worked * left, entry.failed * left)


def learned_from_run(
    known: Mapping[str, ImplicitFeedback], run: JudgedRun, earlier: Iterable[JudgedRun] = ()
) -> dict[str, ImplicitFeedback]:
    """Feedback after a run, one version on, by name: of those memories alone whose counts moved.

    Args:
        known: present feedback by name; lacks the memories that have none.
        earlier: runs that `runs_to_compare` names; others are left aside.
    """
    earlier = tuple(earlier)
    before = {name: _counts(known, name, run) for name in run.shown}
    steps = _steps(run.outcome, before)
    counted = {
        name: VerdictCounts(FORGETTING * old.worked, FORGETTING * old.failed).plus(steps[name])
        for name, old in before.items()
    }
    passed_over = {name: _counts(known, name, run) for name in _passed_over(run, earlier)}
    for name in nlargest(PASSED_OVER_MAX, sorted(passed_over), key=lambda name: sum(passed_over[name])):
        counted[name] = NO_COUNTS.plus(passed_over[name], PASSED_OVER_LEFT)
    for name, step in (*_contrasts(run, earlier), *_flowing(steps, run.sources)):
        counted[name] = counted.get(name, _counts(known, name, run)).plus(step)
    return {name: _moved(known.get(name), name, run, _limited(counts)) for name, counts in counted.items()}


def runs_to_compare(known: Iterable[ImplicitFeedback], run: JudgedRun) -> tuple[str, ...]:
    """Ids of the earlier runs with which a run is compared: the latest that were shown some of its memories."""
    recent = [entry.recent[::-1] for row in known for entry in row.entries if entry.key == run.key]
    in_turn = (ids[at] for at in range(RUNS_COMPARED) for ids in recent if at < len(ids))
    return tuple(dict.fromkeys(in_turn))[: 2 * RUNS_COMPARED]


def is_counted(known: Iterable[ImplicitFeedback], run: JudgedRun) -> bool:
    """Tells that a run is in the counts already."""
    return any(run.run_id in entry.recent for row in known for entry in row.entries)


def kept_entries(entries: Iterable[FeedbackEntry]) -> tuple[FeedbackEntry, ...]:
    """Entries that one memory keeps, oldest first: no voice's runs push out what others said more briefly."""
    voices: defaultdict[str, list[FeedbackEntry]] = defaultdict(list)
    for entry in sorted(entries, key=_age):
        voices[entry.voice] = [*voices[entry.voice], entry][-VOICE_ENTRIES_MAX:]
    for _ in range(sum(map(len, voices.values())) - ENTRIES_MAX):
        fullest = min(voices.values(), key=lambda own: (-len(own), *map(_age, own[:1])))
        del fullest[0]
    return tuple(sorted(chain.from_iterable(voices.values()), key=_age))


def _age(entry: FeedbackEntry) -> tuple[datetime, EntryKey]:
    return entry.at, entry.key


def _steps(outcome: OutcomeResult, before: Mapping[str, VerdictCounts]) -> dict[str, VerdictCounts]:
    """Evidence of a verdict on each memory: success for all alike, failure by how doubtful each is."""
    worked, failed = EVIDENCE[outcome]
    doubts = {name: (1.0 - counts.mean) ** BLAME_POWER for name, counts in before.items()}
    whole = sum(doubts.values()) or 1.0
    return {
        name: VerdictCounts(worked, failed * min(BLAME_MAX, len(doubts) * doubt / whole))
        for name, doubt in doubts.items()
    }


def _passed_over(run: JudgedRun, earlier: Iterable[JudgedRun]) -> set[str]:
    """Names of the memories that earlier runs of the task of a failed run were shown, and it was not."""
    if run.outcome != "failed":
        return set()
    shown = set(run.shown)
    lists = [set(one.shown) for one in earlier if one.key == run.key]
    alike = (one for one in lists if len(one & shown) >= SAME_TASK_SHARE * max(len(one), len(shown)))
    return set(chain.from_iterable(alike)) - shown


def _contrasts(run: JudgedRun, earlier: Iterable[JudgedRun]) -> Iterator[tuple[str, VerdictCounts]]:
    """Evidence by earlier runs that ended otherwise and were shown the same but for one memory."""
    for other in earlier:
        is_other = other.run_id != run.run_id and other.key == run.key
        if is_other and {other.outcome, run.outcome} == {"worked", "failed"}:
            yield from _differences(run.outcome, set(run.shown), set(other.shown))


def _differences(
    outcome: OutcomeResult, here: set[str], there: set[str]
) -> Iterator[tuple[str, VerdictCounts]]:
    if len(here & there) < CONTRAST_COMMON or len(here - there) > 1 or len(there - here) > 1:
        return
    better, worse = (here - there, there - here) if outcome == "worked" else (there - here, here - there)
    yield from ((name, VerdictCounts(worked=CONTRAST_WEIGHT)) for name in better)
    yield from ((name, VerdictCounts(failed=CONTRAST_WEIGHT)) for name in worse)


def _flowing(
    steps: Mapping[str, VerdictCounts], sources: Mapping[str, tuple[str, ...]]
) -> Iterator[tuple[str, VerdictCounts]]:
    """Credit that flows on to the memories from which a shown one was written."""
    for name, froms in sources.items():
        for source in froms:
            yield source, NO_COUNTS.plus(steps.get(name, NO_COUNTS), SOURCE_SHARE / len(froms))


def _limited(counts: VerdictCounts) -> VerdictCounts:
    return NO_COUNTS.plus(counts, min(1.0, COUNTS_MAX / max(COUNTS_MAX, counts.worked + counts.failed)))


def _found(known: Mapping[str, ImplicitFeedback], name: str, key: EntryKey) -> FeedbackEntry | None:
    row = known.get(name)
    return None if row is None else next((one for one in row.entries if one.key == key), None)


def _counts(known: Mapping[str, ImplicitFeedback], name: str, run: JudgedRun) -> VerdictCounts:
    found = _found(known, name, run.key)
    return NO_COUNTS if found is None else decayed(found, run.at)


def _moved(
    row: ImplicitFeedback | None, name: str, run: JudgedRun, counts: VerdictCounts
) -> ImplicitFeedback:
    """Feedback on one memory with the counts that a run leaves."""
    entries = {} if row is None else {entry.key: entry for entry in row.entries}
    entries[run.key] = _entry(entries.get(run.key), run, counts, is_shown=name in run.shown)
    kept = kept_entries(entries.values())
    if row is None:
        return ImplicitFeedback(memory=name, entries=kept, updated_at=run.at)
    return replace(row, entries=kept, updated_at=max(row.updated_at, run.at), version=row.version + 1)


def _entry(
    found: FeedbackEntry | None, run: JudgedRun, counts: VerdictCounts, *, is_shown: bool
) -> FeedbackEntry:
    recent = () if found is None else found.recent
    return FeedbackEntry(
        voice=run.voice,
        reporter=run.reporter,
        task_type=run.task_type,
        is_vouched=run.is_vouched,
        worked=to_thousandths(counts.worked),
        failed=to_thousandths(counts.failed),
        runs=(0 if found is None else found.runs) + is_shown,
        at=run.at if found is None else max(found.at, run.at),
        recent=(*recent, run.run_id)[-RUNS_COMPARED:] if is_shown else recent,
    )
