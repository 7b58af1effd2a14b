"""Port of the blob store: bodies too large for a record."""

from typing import TYPE_CHECKING, Protocol

from memory_layer.domain.memory import Tier
from memory_layer.ports.collections import RunPage as RunPage
from memory_layer.ports.collections import StagedPage as StagedPage
from memory_layer.ports.commit import ANSWER_LIFETIME as ANSWER_LIFETIME
from memory_layer.ports.commit import Change as Change
from memory_layer.ports.commit import Commit as Commit
from memory_layer.ports.commit import Erasure as Erasure
from memory_layer.ports.commit import Quota as Quota
from memory_layer.ports.commit import Vector as Vector
from memory_layer.ports.commit import Vectors as Vectors
from memory_layer.ports.commit import Verdict as Verdict
from memory_layer.ports.index import NO_HUB as NO_HUB
from memory_layer.ports.index import Arm as Arm
from memory_layer.ports.index import IndexAnswer as IndexAnswer
from memory_layer.ports.index import IndexQuery as IndexQuery
from memory_layer.ports.index import Labels as Labels
from memory_layer.ports.index import SearchIndex as SearchIndex

if TYPE_CHECKING:  # late at run time: who reads a record need not load it
    pass


class BlobStore(Protocol):
    """Bodies too large for a record. Keys are paths of slugs; every write is durable when it returns."""

    def put(self, key: str, body: bytes, *, tier: Tier = "hot") -> None:
        """Args: tier: which one's price it is kept at, where that makes a difference."""

    def reclass(self, key: str, tier: Tier) -> None:
        """Keep what is there at the price of this tier; at once or not at all, and nothing to do where it is so.

        One that is not there is no error: who reads it is told.

        Raises:
            StoreUnavailable: it cannot be moved.
        """

    def get(self, key: str, *, thaws: bool = False) -> bytes | None:
        """
        Args:
            thaws: have one that is in deep archive brought back, which takes hours and has its price.

        Raises:
            BodyFrozen: it is in deep archive.
        """

    def delete(self, key: str) -> None:
        """Gone; one that is not there is no error."""

    def keys(self, prefix: str) -> list[str]:
        """All keys that begin so, in order. Args: prefix: whole parts of a path, e.g. `snapshots/acme/web/`."""
