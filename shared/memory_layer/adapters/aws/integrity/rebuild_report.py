"""What a rebuild did, for the person who started it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from memory_layer.adapters.aws.integrity.index_digest import IndexDigest

_NAMED_MOST = 20


@dataclass(slots=True)
class RebuildTally:
    """What one run did.

    Args:
        digest: of what it copied.
        repaired: documents that were missing or older than the table's when they were compared.
        refused: `_id`s of documents that the index will not take, with its reason.
    """

    digest: IndexDigest = field(default_factory=IndexDigest)
    compared: int = 0
    repaired: int = 0
    refused: dict[str, str] = field(default_factory=dict)

    def add(self, parts: Sequence[RebuildTally]) -> None:
        """What threads did side by side."""
        self.digest = IndexDigest.total([self.digest, *(part.digest for part in parts)])
        self.compared += sum(part.compared for part in parts)
        self.repaired += sum(part.repaired for part in parts)
        for part in parts:
            self.refused |= part.refused


@dataclass(frozen=True, slots=True, kw_only=True)
class RebuildReport:
    """What a run of the rebuild did.

    Args:
        is_done: the new index is searched; else run it again, and it goes on from here.
        copied: records and tombstones that this run brought over.
        compared: those that it looked up one by one, because something was written meanwhile or it was resumed.
        refused: documents that the index does not take, by `_id`, with the reason: their records need to be changed.
        dropped: indexes that are gone.
    """

    index: str
    is_done: bool
    copied: int
    compared: int
    repaired: int
    records: int
    projects: int
    refused: dict[str, str]
    dropped: tuple[str, ...]

    def __str__(self) -> str:
        state = (
            "is searched now"
            if self.is_done
            else "is not complete: run the rebuild again, it goes on from here"
        )
        lines = [
            f"{self.index} {state}.",
            f"It has {self.records} records of {self.projects} projects.",
            f"This run copied {self.copied} documents, compared {self.compared} and repaired {self.repaired}.",
            *(f"Dropped {name}." for name in self.dropped),
            *(f"Not indexed: {id} ({why})." for id, why in list(self.refused.items())[:_NAMED_MOST]),
        ]
        more = len(self.refused) - _NAMED_MOST
        return "\n".join([*lines, f"… and {more} more."] if more > 0 else lines)


def report_of_run(
    name: str, tally: RebuildTally, found: IndexDigest, dropped: tuple[str, ...], *, is_done: bool
) -> RebuildReport:
    """Args: found: what the index holds now."""
    return RebuildReport(
        index=name,
        is_done=is_done,
        copied=sum(tally.digest.documents.values()),
        compared=tally.compared,
        repaired=tally.repaired,
        records=sum(found.records.values()),
        projects=len(found.records),
        refused=tally.refused,
        dropped=dropped,
    )
