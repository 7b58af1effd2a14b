"""What sweeps over records that are due have in common: they find them by the index, and judge each by itself."""

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Final, NamedTuple

from memory_layer.domain.conversation import NEIGHBOURS
from memory_layer.domain.lifecycle import expired
from memory_layer.domain.memory import ENDED_STATUSES, Memory, Ref, Scope, is_stub
from memory_layer.domain.time.decay import decayed
from memory_layer.domain.time.sweep_state import SweepName
from memory_layer.errors import MemoryLayerError, VersionConflict
from memory_layer.ports.commit import Change, Commit
from memory_layer.ports.process import Ports
from memory_layer.usecases.ground.archival_cause import EXPIRED
from memory_layer.usecases.sweeps.step import Step, StepReport, SweepWalk, changed, told, write
from memory_layer.usecases.write.commit_change import commit_change

STRETCH: Final = 100
"""Positions that are looked at together: what lies far apart in a conversation is not read through."""


class RetiredRecord(NamedTuple):
    """A record before and after, and the verb of the change."""

    before: Memory
    after: Memory
    verb: str


def retire(ports: Ports, walk: SweepWalk, turnings: Sequence[RetiredRecord]) -> StepReport:
    """As `write`; a conversation that ends as a whole has nobody in use to forget anything, and costs no more."""
    leaving = [turning.before for turning in turnings if turning.after.status != turning.before.status]
    heard = {memory.ref for memory in _heard(ports, walk, leaving)}
    plain = [_change(walk, turning) for turning in turnings if turning.before.ref not in heard]
    return _united([write(ports, walk, plain), *_silence_each(ports, walk, turnings, heard)])


def _change(walk: SweepWalk, turning: RetiredRecord) -> Change:
    return changed(walk, turning.before, turning.after, turning.verb)


def _heard(ports: Ports, walk: SweepWalk, leaving: Iterable[Memory]) -> Iterator[Memory]:
    """Those that turns in use may quote."""
    for (scope, session_id), turns in _stretches(leaving):
        places = [turn.position or 0 for turn in turns]
        around = ports.store.turns(scope, session_id, min(places) - NEIGHBOURS, max(places) + NEIGHBOURS)
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


def _silence_each(
    ports: Ports, walk: SweepWalk, turnings: Sequence[RetiredRecord], heard: Collection[Ref]
) -> Iterator[StepReport]:
    return (_silence(ports, walk, turning) for turning in turnings if turning.before.ref in heard)


def _silence(ports: Ports, walk: SweepWalk, turning: RetiredRecord) -> StepReport:
    """One turn, in a transaction with those that have heard it: what it said is looked for in their contexts."""
    turning = _with_words(ports, turning)
    before, change = turning.before, _change(walk, turning)
    if walk.is_dry_run:
        return write(ports, walk, [change])
    try:
        commit_change(ports, Commit(scope=before.scope, changes=(change,)), before, walk.by)
    except VersionConflict:
        return StepReport()
    except MemoryLayerError as error:
        return StepReport(failed=(told(before, error),))
    return StepReport(did={change.verb: 1})


def _with_words(ports: Ports, turning: RetiredRecord) -> RetiredRecord:
    """What cannot be read any more is not looked for."""
    for whole in ports.store.whole([turning.before]) if is_stub(turning.before) else ():
        return turning._replace(before=whole, after=replace(turning.after, content=whole.content))
    return turning


def _united(dones: Iterable[StepReport]) -> StepReport:
    """What several did, as one."""
    did: dict[str, int] = {}
    failed: tuple[str, ...] = ()
    for done in dones:
        failed += done.failed
        for verb, count in done.did.items():
            did[verb] = did.get(verb, 0) + count
    return StepReport(did=did, failed=failed)


PAGE_RECORDS: Final = 100

SHARERS: Final[tuple[SweepName, ...]] = ("expiry", "decay")
"""The sweeps that share the list of what is due. A record lies in it under the first thing that any of them has to do
with it, so none may begin after what another has still to do."""

Judge = Callable[[Memory, datetime], Memory]
"""The record as it shall be by then, one version on; the same object if nothing is to be done."""


def over_due(judge: Judge, verb: Callable[[RetiredRecord], str]) -> Step:
    """A step that goes through what is due."""

    def through(ports: Ports, walk: SweepWalk) -> StepReport:
        limit = walk.page_size(PAGE_RECORDS)
        page = ports.store.due(walk.at, since=walk.since_unless_all, after=walk.cursor, limit=limit)
        pairs = [RetiredRecord(memory, judge(memory, walk.at), "") for memory in page.memories]
        turned = [pair._replace(verb=verb(pair)) for pair in pairs if pair.after is not pair.before]
        done = retire(ports, walk, turned)
        looked_at = len(page.memories) + len(page.damaged)
        failed = (*page.damaged, *done.failed)
        return replace(done, next_cursor=page.next_cursor, looked_at=looked_at, failed=failed)

    return through


def _verb(turning: RetiredRecord) -> str:
    if turning.after.status == turning.before.status:
        return "drifted"
    return "archived" if turning.after.status == "archived" else "deactivated"


decay_due: Step = over_due(decayed, _verb)
"""What has expired is left to the other sweep."""


expire_due: Step = over_due(expired, lambda _: EXPIRED)
"""What is due for another reason stays as it is."""
