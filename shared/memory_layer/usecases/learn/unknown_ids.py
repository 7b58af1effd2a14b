"""Ids in a run's report that are of nothing known: they are told to its reporter, and kept nowhere."""

from memory_layer.domain.access import Principal
from memory_layer.domain.learning.run import Run, RunRecord
from memory_layer.domain.memory import Scope
from memory_layer.ports.process import Ports
from memory_layer.usecases.ground.own_receipts import own_receipt


def unknown_ids(
    ports: Ports, principal: Principal, scope: Scope, run: Run, record: RunRecord
) -> tuple[str, ...]:
    """Ids of a report that were left out of its record, each once: `memories_used`, then `recall_ids`.

    A memory that the reporter may not see is unknown to it. A recall is known that gave nothing, and
    unknown if it was another's.
    """
    cited = [id for id in run.memories_used if id not in record.memories_used]
    shown = {one.recall_id for one in record.shown}
    unlisted = [id for id in dict.fromkeys(run.recall_ids) if id not in shown]
    recalls = [id for id in unlisted if own_receipt(ports, principal, scope, id) is None]
    return tuple(dict.fromkeys([*cited, *recalls]))
