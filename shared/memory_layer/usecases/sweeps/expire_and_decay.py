"""What sweeps over records that are due have in common: they find them by the index, and judge each by itself."""

from collections.abc import Callable
from dataclasses import replace
from datetime import datetime
from typing import Final

from memory_layer.domain.lifecycle import expired
from memory_layer.domain.memory import Memory
from memory_layer.domain.time.decay import decayed
from memory_layer.domain.time.sweep_state import SweepName
from memory_layer.ports.process import Ports
from memory_layer.usecases.ground.archival_cause import EXPIRED
from memory_layer.usecases.sweeps.retire import RetiredRecord, retire
from memory_layer.usecases.sweeps.step import Step, StepReport, SweepWalk

PAGE_RECORDS: Final = 100

SHARERS: Final[tuple[SweepName, ...]] = ("expiry", "decay")
"""The sweeps that share the list of what is due. A record lies in it under the first thing that any of them has to do
with it, so none may begin after what another has still to do."""

Judge = Callable[[Memory, datetime], Memory]
"""The record as it shall be by then, one version on; the same object if nothing is to be done."""


def over_due(judge: Judge, verb: Callable[[RetiredRecord], str]) -> Step:
    """A step that goes through what is due."""

    def through(ports: Ports, walk: SweepWalk) -> StepReport:
        page = ports.store.due(walk.at, since=walk.since_unless_all, after=walk.cursor, limit=PAGE_RECORDS)
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
