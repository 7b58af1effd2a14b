"""Port of receipts: what recalls, prompts and contexts have shown, for whom and when."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import date, datetime
from typing import Final, Protocol

from memory_layer.domain.memory import Ref, Scope

RUN_RECALLS_MAX = 64
"""Most receipts of one run that are read."""

REQUEST_NOTE: Final = "ctx_"
"""Beginning of the id of a note that lies among the receipts, by which feedback finds a context's request.

The recall of that context has a receipt of its own, so a note counts as no recall.
"""


@dataclass(frozen=True, slots=True)
class Exploration:
    """Exploration of a recall.

    Args:
        seed: of its randomness.
        chances: of each memory shown, to be drawn among them, before the order of trust; None: it was on trial.
    """

    seed: int
    chances: tuple[float | None, ...]


@dataclass(frozen=True, slots=True)
class RecallReceipt:
    """Record of the memories that a recall returned; kept 30 days.

    Args:
        run_id: of the run that asked, if it said so.
        exploration: None: the order is the profile's own.
        signals: of a context's note, those of its fragments in their order, thousandths
            (domain.context.learned_priority); empty: of others, and of earlier releases.
        asker: digest of the holder who asked (`access.Principal.holder`); None: of earlier releases.
    """

    recall_id: str
    scope: Scope
    principal: str
    refs: tuple[Ref, ...]
    at: datetime
    run_id: str | None = None
    exploration: Exploration | None = None
    signals: tuple[tuple[int, ...], ...] = ()
    asker: str | None = None


@dataclass(frozen=True, slots=True)
class RecallsByDay:
    """Numbers of recalls by day (UTC).

    Args:
        answered: of all of them.
        empty: of those that returned nothing.
        since: from which on they were counted, where there are more than were; None: all were.
    """

    answered: Mapping[date, int]
    empty: Mapping[date, int]
    since: datetime | None = None


class ReceiptStore(Protocol):
    """Receipts of recalls."""

    def note(self, receipt: RecallReceipt) -> None:
        """Stores the receipt of a recall, durable within a second, and counts one access of each memory, in batches."""

    def get(self, scope: Scope, recall_id: str) -> RecallReceipt | None: ...

    def of_run(self, scope: Scope, run_id: str) -> list[RecallReceipt]:
        """Lists the receipts of recalls that named a run, the first first; `RUN_RECALLS_MAX` at most."""

    def recalled_since(self, scope: Scope, refs: Collection[Ref], since: datetime) -> set[Ref]:
        """Records among `refs` that a recall has returned since then; recalls of this project count at once."""

    def times_shown(self, scope: Scope, ref: Ref, recalls: int) -> int:
        """Number of the project's newest recalls, of so many, that returned a record."""

    def that_showed(self, scope: Scope, ref: Ref, recalls: int, *, limit: int) -> list[RecallReceipt]:
        """Lists those of the project's newest recalls, of so many, that returned a record: the last first."""

    def by_day(self, scope: Scope, since: datetime, recalls: int) -> RecallsByDay:
        """Counts the project's recalls since then by day, of so many of the newest; notes of requests are none."""
