"""Sweeps of expiry and decay over due records: found by the index, judged each by itself."""

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Final, NamedTuple

from memory_layer.domain.conversation import NEIGHBOURS
from memory_layer.domain.lifecycle import archive_if_expired
from memory_layer.domain.memory import ENDED_STATUSES, Memory, Ref, Scope, is_stub
from memory_layer.domain.time.decay import decayed
from memory_layer.domain.time.sweep_state import SweepName
from memory_layer.errors import MemoryLayerError, VersionConflict
from memory_layer.ports.commit import Change, Commit
from memory_layer.ports.process import Ports
from memory_layer.usecases.ground.archival_cause import EXPIRED
from memory_layer.usecases.sweeps.step import (
    RecordsStep,
    Step,
    StepReport,
    SweepWalk,
    failure_sentence,
    over_due_records,
    sweep_change,
    write,
)
from memory_layer.usecases.write.commit_change import commit_change

STRETCH: Final = 100
"""Positions that are read together: the space between distant turns of a conversation is not."""


class RetiredRecord(NamedTuple):
    """Record before and after its retirement, and the verb of the change."""

    before: Memory
    after: Memory
    verb: str


def retire(ports: Ports, walk: SweepWalk, turnings: Sequence[RetiredRecord]) -> StepReport:
    """Writes retired records, and removes their words from the contexts of turns in use beside them.

    A conversation that ends as a whole has no turn in use, and costs no more than `write`."""
    leaving = [turning.before for turning in turnings if turning.after.status != turning.before.status]
    quoted = {memory.ref for memory in _quoted(ports, walk, leaving)}
    plain = [_change(walk, turning) for turning in turnings if turning.before.ref not in quoted]
    return _united([write(ports, walk, plain), *_retract_each(ports, walk, turnings, quoted)])


def _change(walk: SweepWalk, turning: RetiredRecord) -> Change:
    return sweep_change(walk, turning.before, turning.after, turning.verb)


def _quoted(ports: Ports, walk: SweepWalk, leaving: Iterable[Memory]) -> Iterator[Memory]:
    """Leaving turns that turns in use may quote."""
    for (scope, session_id), turns in _stretches(leaving):
        places = [turn.position or 0 for turn in turns]
        around = ports.store.sessions.turns(
            scope, session_id, min(places) - NEIGHBOURS, max(places) + NEIGHBOURS
        )
        own = {turn.id for turn in turns}
        in_use = [one.position or 0 for one in around if _is_in_use(one, walk) and one.id not in own]
        yield from (
            turn for turn in turns if any(abs((turn.position or 0) - place) <= NEIGHBOURS for place in in_use)
        )


def _stretches(leaving: Iterable[Memory]) -> Iterator[tuple[tuple[Scope, str], list[Memory]]]:
    found: dict[tuple[Scope, str, int], list[Memory]] = defaultdict(list)
    for memory in leaving:
        if memory.is_active and memory.session_id is not None and memory.position is not None:
            found[memory.scope, memory.session_id, memory.position // STRETCH].append(memory)
    return (((scope, session_id), turns) for (scope, session_id, _), turns in found.items())


def _is_in_use(memory: Memory, walk: SweepWalk) -> bool:
    return memory.status not in ENDED_STATUSES and not memory.has_expired(walk.at)


def _retract_each(
    ports: Ports, walk: SweepWalk, turnings: Sequence[RetiredRecord], quoted: Collection[Ref]
) -> Iterator[StepReport]:
    return (_retract(ports, walk, turning) for turning in turnings if turning.before.ref in quoted)


def _retract(ports: Ports, walk: SweepWalk, turning: RetiredRecord) -> StepReport:
    """Retires one turn, and removes its words from its neighbours' contexts in the same transaction."""
    turning = _with_words(ports, turning)
    before, change = turning.before, _change(walk, turning)
    if walk.is_dry_run:
        return write(ports, walk, [change])
    try:
        commit_change(ports, Commit(scope=before.scope, changes=(change,)), before, walk.by)
    except VersionConflict:
        return StepReport()
    except MemoryLayerError as error:
        return StepReport(failed=(failure_sentence(before, error),))
    return StepReport(did={change.verb: 1})


def _with_words(ports: Ports, turning: RetiredRecord) -> RetiredRecord:
    """Returns a retired record with its body; without it if it cannot be read any more."""
    for whole in ports.store.memories.whole([turning.before]) if is_stub(turning.before) else ():
        return turning._replace(before=whole, after=replace(turning.after, content=whole.content))
    return turning


def _united(dones: Iterable[StepReport]) -> StepReport:
    """Adds the reports of several steps up."""
    did: dict[str, int] = {}
    failed: tuple[str, ...] = ()
    for done in dones:
        failed += done.failed
        for verb, count in done.did.items():
            did[verb] = did.get(verb, 0) + count
    return StepReport(did=did, failed=failed)


PAGE_RECORDS: Final = 100

SHARERS: Final[tuple[SweepName, ...]] = ("expiry", "decay")
"""Sweeps that share the list of due records. A record lies in it under the first thing that any of them has to do with
it, so none may begin after what another has still to do."""

Judge = Callable[[Memory, datetime], Memory]
"""Function from a record and a time to the record after it, one version on; the same object if nothing is due."""


def judging(judge: Judge, verb: Callable[[RetiredRecord], str]) -> RecordsStep:
    """Makes a step that judges each of some due records."""

    def judged(ports: Ports, walk: SweepWalk, memories: Sequence[Memory]) -> StepReport:
        pairs = [RetiredRecord(memory, judge(memory, walk.at), "") for memory in memories]
        return retire(
            ports, walk, [pair._replace(verb=verb(pair)) for pair in pairs if pair.after is not pair.before]
        )

    return judged


def _verb(turning: RetiredRecord) -> str:
    if turning.after.status == turning.before.status:
        return "drifted"
    return "archived" if turning.after.status == "archived" else "deactivated"


decay_records: RecordsStep = judging(decayed, _verb)
"""Step of the decay sweep on due records; expired ones are left to the other sweep."""

decay_due: Step = over_due_records(decay_records, PAGE_RECORDS)

expire_records: RecordsStep = judging(archive_if_expired, lambda _: EXPIRED)
"""Step of the expiry sweep on due records; those due for another reason stay as they are."""

expire_due: Step = over_due_records(expire_records, PAGE_RECORDS)
