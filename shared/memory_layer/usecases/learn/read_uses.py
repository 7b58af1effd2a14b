"""Uses of a memory: the verdicts on it, and the recalls that showed it."""

from dataclasses import dataclass
from itertools import islice
from typing import Final

from memory_layer.domain.access import Principal, review_viewer_of
from memory_layer.errors import Forbidden
from memory_layer.ports.commit import Verdict
from memory_layer.ports.process import Ports
from memory_layer.ports.receipts import RecallReceipt
from memory_layer.usecases.ground.own_receipts import is_own_receipt
from memory_layer.usecases.ground.queries import get_memory
from memory_layer.usecases.ground.read_memory import RECALLS_COUNTED

LISTED_MAX: Final = 200
"""Most verdicts or recalls of one memory that are listed: the newest."""


@dataclass(frozen=True, slots=True)
class ShowingRecall:
    """Recall that showed a memory. Args: place: of the memory among those shown, from 1."""

    receipt: RecallReceipt
    place: int

    @property
    def chance(self) -> float | None:
        """Probability with which the list's draws show it; None: it did not explore, or the memory was on trial."""
        explored = self.receipt.exploration
        return None if explored is None else explored.chances[self.place - 1]


def verdicts_on(ports: Ports, principal: Principal, project: str, id: str) -> list[Verdict]:
    """Lists the verdicts on a memory, the last first, with those that a later one replaced.

    Raises:
        NotFound: as `get_memory`.
    """
    memory = get_memory(ports, principal, project, id, with_body=False)
    said = ports.store.history.verdicts(memory.scope, id, in_force=False)
    return said[::-1][:LISTED_MAX]


def recalls_that_showed(ports: Ports, principal: Principal, project: str, id: str) -> list[ShowingRecall]:
    """Lists those of the project's last 1,000 recalls, prompts and contexts that showed a memory, the last first.

    A reviewer of some personas, or for an end user, is told of their own alone.

    Raises:
        Forbidden: the caller is no reviewer: who asked is told to reviewers alone.
        NotFound: as `get_memory`.
    """
    if not principal.is_reviewer:
        raise Forbidden("who was shown a memory is told to reviewers; use a token with that role")
    memory = get_memory(ports, principal, project, id, with_body=False)
    receipts = ports.store.receipts.that_showed(
        memory.scope, memory.ref, RECALLS_COUNTED, limit=RECALLS_COUNTED
    )
    is_for_all = review_viewer_of(principal).sees_all_personas
    told = (one for one in receipts if is_for_all or is_own_receipt(principal, one))
    listed = islice(told, LISTED_MAX)
    return [ShowingRecall(receipt, receipt.refs.index(memory.ref) + 1) for receipt in listed]
