"""Port of the blob store: bodies too large for a record."""

from typing import Protocol

from memory_layer.domain.memory import Tier


class BlobStore(Protocol):
    """Bodies too large for a record. Keys are paths of slugs; every write is durable when it returns."""

    def put(self, key: str, body: bytes, *, tier: Tier = "hot") -> None:
        """Stores a body under a key. Args: tier: sets the storage price, on stores whose prices differ by tier."""

    def reclass(self, key: str, tier: Tier) -> None:
        """Moves a body to the storage price of a tier, at once or not at all; a no-op where it is there already.

        A missing body is no error here: `get` reports it.

        Raises:
            StoreUnavailable: the body cannot be moved.
        """

    def get(self, key: str, *, thaws: bool = False) -> bytes | None:
        """Reads a body; None: the key has none.

        Args:
            thaws: requests the return of a body in deep archive, which takes hours and has its price.

        Raises:
            BodyFrozen: the body is in deep archive.
        """

    def delete(self, key: str) -> None:
        """Deletes a body; a missing one is no error."""

    def keys(self, prefix: str) -> list[str]:
        """All keys with a prefix, in order. Args: prefix: whole parts of a path, e.g. `snapshots/acme/web/`."""
