"""Stored runs as implicit feedback reads them, and the counts that all runs of a reporter make together."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace

from memory_layer.domain.access import agent_voice
from memory_layer.domain.learning.implicit_feedback import (
    ImplicitFeedback,
    JudgedRun,
    kept_entries,
    learned_from_run,
    runs_to_compare,
)
from memory_layer.domain.learning.run import RunRecord

JUDGED_MAX = 40
"""Most shown memories that one run judges: those of its lists, in turn."""

SOURCES_MAX = 20
"""Most memories to which the credit of one run flows on; with those that it is compared by, all fit one transaction."""


def judged_run(record: RunRecord) -> JudgedRun | None:
    """Run as evidence on what it was shown.

    Returns:
        None for a run that judges nothing: it has no verdict, was shown nothing, or cites what it used, which then is
        all that its verdict speaks of.
    """
    names = _names(record)
    if record.verdict is None or record.memories_used or not names:
        return None
    return JudgedRun(
        run_id=record.run_id,
        voice=agent_voice(record.created_by),
        reporter=record.created_by,
        is_vouched=record.is_vouched,
        task_type=record.task_type,
        outcome=record.verdict,
        at=record.received_at,
        shown=names,
        sources=_sources(record, names),
    )


def _sources(record: RunRecord, names: Sequence[str]) -> dict[str, tuple[str, ...]]:
    """Sources of the judged memories, as many as one run reaches."""
    kept: dict[str, tuple[str, ...]] = {}
    reached: set[str] = set()
    for name, froms in ((name, froms) for shown in record.shown for name, froms in shown.sources.items()):
        if name in names and len(reached | set(froms)) <= SOURCES_MAX:
            kept[name] = froms
            reached |= set(froms)
    return kept


def _names(record: RunRecord) -> tuple[str, ...]:
    """Names of the shown memories, the first of each list first."""
    lists = [[f"{memory.project}/{memory.id}" for memory in shown.memories] for shown in record.shown]
    longest = max(map(len, lists), default=0)
    in_turn = (names[place] for place in range(longest) for names in lists if place < len(names))
    return tuple(dict.fromkeys(in_turn))[:JUDGED_MAX]


def feedback_of_runs(records: Iterable[RunRecord]) -> dict[str, ImplicitFeedback]:
    """Feedback that runs make one after the other, by name: what intake made of them, were there no others."""
    known: dict[str, ImplicitFeedback] = {}
    judged: dict[str, JudgedRun] = {}
    for record in sorted(records, key=lambda one: (one.received_at, one.run_id)):
        run = judged_run(record)
        if run is None:
            continue
        rows = [known[name] for name in run.shown if name in known]
        earlier = [judged[id] for id in runs_to_compare(rows, run) if id in judged]
        known |= learned_from_run(known, run, earlier)
        judged[run.run_id] = run
    return known


def with_reporters(
    row: ImplicitFeedback | None, reporters: Collection[str], rebuilt: ImplicitFeedback | None
) -> ImplicitFeedback | None:
    """Feedback on one memory, one version on, with some reporters' entries as they were rebuilt.

    Entries of others stay as they are; those that were pushed out since come back, where there is room.

    Args:
        row: as stored; None: there is none.
        rebuilt: what all runs that count make; None: nothing.

    Returns:
        None if these reporters have nothing in either, or it is so already; without entries if none is left.
    """
    stored, made = (() if one is None else one.entries for one in (row, rebuilt))
    if all(entry.reporter not in reporters for entry in (*stored, *made)):
        return None
    others = {entry.key: entry for entry in stored if entry.reporter not in reporters}
    entries = kept_entries(({entry.key: entry for entry in made} | others).values())
    if row is None:
        return None if rebuilt is None else replace(rebuilt, entries=entries, version=1)
    return None if entries == row.entries else replace(row, entries=entries, version=row.version + 1)


def compared(records: Mapping[str, RunRecord]) -> list[JudgedRun]:
    """Earlier runs, read by their ids, as evidence."""
    return [run for record in records.values() if (run := judged_run(record)) is not None]
