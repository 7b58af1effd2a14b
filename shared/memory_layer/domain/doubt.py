"""Doubts of agents about memories that people wrote or approved: questions to a person, never verdicts (SPEC 4)."""

from collections.abc import Iterable
from dataclasses import replace
from datetime import datetime
from typing import Final

from memory_layer.domain.access import agent_voice
from memory_layer.domain.memory import DOUBT_ENTRIES_MAX, Doubt, Memory

DOUBTED: Final = "doubted"
"""Verb of a change that raised a doubt and altered nothing else."""


def add_doubt(
    memory: Memory,
    *,
    by: str,
    reason: str,
    at: datetime,
    run: str | None = None,
    is_reported: bool = False,
    proposal: str | None = None,
) -> Memory:
    """Adds one agent's doubt to a memory, in the same version; the same object if the doubt is there already.

    Args:
        at: when the doubt was raised; a doubt counts from its first.
        run: id of the principal's own run that raised it; one that another principal has named is not its own, unless
            it `is_reported`: a name alone takes a run from nobody who reports it.
        proposal: id of a memory that says what is true instead.
    """
    known = memory.doubted or Doubt(since=at)
    is_own = run is not None and (is_reported or run not in known.runs)
    doubt = Doubt(
        since=known.since,
        by=_voices(known.by, [by]),
        reasons=_told(known.reasons, reason, is_new_voice=not _has_voice(known.by, by)),
        runs=known.runs
        if run is None
        else _told(known.runs, run, is_new_voice=not _has_voice(known.witnesses, by)),
        witnesses=_voices(known.witnesses, [by] if is_own else []),
        proposals=_joined(known.proposals, [] if proposal is None else [proposal]),
    )
    return memory if doubt == memory.doubted else replace(memory, doubted=doubt)


def doubt_failure(
    memory: Memory, *, by: str, at: datetime, run: str | None, reported_by: str | None = None
) -> Memory:
    """Adds the doubt of an agent for whom a memory failed.

    Args:
        run: in which it failed; None: in none.
        reported_by: who has reported this run; None: nobody has, as one that goes on has no report yet.
    """
    is_reported = reported_by == by
    own = run if reported_by is None or is_reported else None
    return add_doubt(memory, by=by, reason=f"it failed, says {by}", at=at, run=own, is_reported=is_reported)


def merge_doubts(one: Doubt | None, other: Doubt | None) -> Doubt | None:
    """Merges the doubts about two memories; None where neither has one."""
    if one is None or other is None:
        return one or other
    return Doubt(
        since=min(one.since, other.since),
        by=_voices(one.by, other.by),
        reasons=_joined(one.reasons, other.reasons),
        runs=_joined(one.runs, other.runs),
        witnesses=_voices(one.witnesses, other.witnesses),
        proposals=_joined(one.proposals, other.proposals),
    )


WITNESSES_MIN: Final = 2
"""Independent principals whose runs push a trusted memory out of its place before unreviewed ones."""


def stands_back(memory: Memory) -> bool:
    """Tells that two independent principals, in runs of their own, found a memory wrong (SPEC 4.17)."""
    return memory.doubted is not None and len(memory.doubted.witnesses) >= WITNESSES_MIN


TOLD_AGAIN: Final = DOUBT_ENTRIES_MAX // 2
"""Entries up to which a list takes what a voice says that has been heard already; the rest is for others."""


def _told(known: tuple[str, ...], entry: str, *, is_new_voice: bool) -> tuple[str, ...]:
    """Entries with one more: voices that were heard leave room for those that were not."""
    room = DOUBT_ENTRIES_MAX if is_new_voice else TOLD_AGAIN
    return known if entry in known or len(known) >= room else (*known, entry)


def _has_voice(names: Iterable[str], name: str) -> bool:
    return agent_voice(name) in map(agent_voice, names)


def _joined(first: Iterable[str], more: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys((*first, *more)))[:DOUBT_ENTRIES_MAX]


def _voices(first: Iterable[str], more: Iterable[str]) -> tuple[str, ...]:
    """Names of different voices: one token is one, whatever its clients call themselves."""
    heard: dict[str, str] = {}
    for name in (*first, *more):
        heard.setdefault(agent_voice(name), name)
    return tuple(heard.values())[:DOUBT_ENTRIES_MAX]
