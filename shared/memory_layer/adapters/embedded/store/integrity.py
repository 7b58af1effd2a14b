"""Stored data as it lies, for verification, in SQLite."""

from collections.abc import Collection, Iterator, Sequence

from memory_layer.adapters.embedded.sqlite.database import Database
from memory_layer.adapters.embedded.sqlite.project_rows import project_key
from memory_layer.adapters.embedded.store.file_verification import file_flaws
from memory_layer.adapters.embedded.store.record_verification import SqliteRecordVerification
from memory_layer.adapters.embedded.store.side_verification import verify_side_rows
from memory_layer.adapters.embedded.store.sound_reads import SoundReads
from memory_layer.adapters.embedded.store.sound_records import SoundRecords
from memory_layer.adapters.embedded.store.storage_repair import StorageRepair
from memory_layer.adapters.stored_form.bodies import Bodies
from memory_layer.domain.integrity.verification import BrokenPart, SideRecord, StoredPage, StoredRecord
from memory_layer.domain.memory import Scope


class IntegrityRows:
    """Raw reads of all projects, and repair: the port ports.maintenance.IntegrityStore."""

    def __init__(
        self,
        database: Database,
        bodies: Bodies,
        sound: SoundRecords,
        reads: SoundReads,
        storage: StorageRepair,
    ) -> None:
        self._database = database
        self._bodies = bodies
        self._sound = sound
        self._reads = reads
        self._storage = storage

    def kept(self, scope: Scope, *, after: str | None, limit: int, with_history: bool = True) -> StoredPage:
        with self._database.reading() as connection:
            return SqliteRecordVerification(
                connection, scope, project_key(connection, scope), with_history
            ).page(after, limit)

    def kept_under(
        self, scope: Scope, ids: Collection[str], *, with_history: bool = True
    ) -> list[StoredRecord]:
        with self._database.reading() as connection:
            return SqliteRecordVerification(
                connection, scope, project_key(connection, scope), with_history
            ).named(ids)

    def body_flaws(self, scope: Scope, kept: Sequence[StoredRecord]) -> list[BrokenPart]:
        return self._bodies.flaws(scope, kept)

    def beside(self, scope: Scope) -> Iterator[SideRecord]:
        with self._database.reading() as connection:
            yield from verify_side_rows(connection, scope, project_key(connection, scope))

    def mend(self, scope: Scope, ids: Collection[str]) -> list[str]:
        return self._sound.mend(scope, ids)

    def mend_storage(self) -> list[str]:
        return self._storage.mend()

    def known_damage(self) -> list[tuple[Scope, str]]:
        return self._reads.known_damage()

    def damage(self) -> list[str]:
        with self._database.reading() as connection:
            return file_flaws(connection)
