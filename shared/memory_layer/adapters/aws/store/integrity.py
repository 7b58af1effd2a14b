"""Stored data as it lies, for verification, in DynamoDB."""

from collections.abc import Collection, Iterator, Sequence

from memory_layer.adapters.aws.store.record_verification import DynamoRecordVerification
from memory_layer.adapters.aws.store.side_verification import DynamoSideVerification
from memory_layer.adapters.aws.store.sound_items import SoundItems
from memory_layer.adapters.stored_form.bodies import Bodies
from memory_layer.domain.integrity.verification import BrokenPart, SideRecord, StoredPage, StoredRecord
from memory_layer.domain.memory import Scope


class IntegrityItems:
    """Raw reads of all projects: the port ports.maintenance.IntegrityStore."""

    def __init__(
        self,
        records: DynamoRecordVerification,
        side_items: DynamoSideVerification,
        bodies: Bodies,
        sound: SoundItems,
    ) -> None:
        self._records = records
        self._side_items = side_items
        self._bodies = bodies
        self._sound = sound

    def kept(self, scope: Scope, *, after: str | None, limit: int, with_history: bool = True) -> StoredPage:
        return self._records.page(scope, after, limit, with_history)

    def kept_under(
        self, scope: Scope, ids: Collection[str], *, with_history: bool = True
    ) -> list[StoredRecord]:
        return self._records.under(scope, sorted(set(ids)), with_history)

    def body_flaws(self, scope: Scope, kept: Sequence[StoredRecord]) -> list[BrokenPart]:
        return self._bodies.flaws(scope, kept)

    def beside(self, scope: Scope) -> Iterator[SideRecord]:
        return self._side_items.all(scope)

    def mend(self, scope: Scope, ids: Collection[str]) -> list[str]:
        return self._sound.mend(scope, ids)

    def mend_storage(self) -> list[str]:
        """Returns nothing, as `damage`."""
        return []

    def known_damage(self) -> list[tuple[Scope, str]]:
        return self._sound.known_damage()

    def damage(self) -> list[str]:
        """Returns nothing: DynamoDB checks its own storage."""
        return []
