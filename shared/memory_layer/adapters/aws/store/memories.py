"""Records as they are now, in DynamoDB."""

from collections.abc import Collection, Sequence
from concurrent.futures import Executor
from dataclasses import replace
from datetime import datetime

from memory_layer.adapters.aws.store.access_counts import AccessCounts
from memory_layer.adapters.aws.store.listing import ListingQuery, RecordListing
from memory_layer.adapters.aws.store.project_log import ProjectLog
from memory_layer.adapters.aws.store.sound_items import SoundItems
from memory_layer.adapters.aws.store.unindexed_records import UnindexedRecords
from memory_layer.adapters.aws.table import keys, record_items, record_seals
from memory_layer.adapters.aws.table.batch_reads import BatchReads
from memory_layer.adapters.aws.table.records_table import KeyRange, RecordsTable
from memory_layer.adapters.stored_form.bodies import Bodies
from memory_layer.adapters.stored_form.body_format import body_size_bytes
from memory_layer.domain.access import Viewer
from memory_layer.domain.filters import Filters
from memory_layer.domain.memory import Memory, Ref, Scope
from memory_layer.manifest.tables import BY_CONTENT
from memory_layer.ports.commit import Vectors
from memory_layer.ports.process import Clock
from memory_layer.ports.records import RecordPage

EVERYONE = Viewer(sees_all_personas=True)


class MemoryItems:
    """Records of all projects: the port ports.records.MemoryStore."""

    def __init__(
        self,
        table: RecordsTable,
        reading: BatchReads,
        sound: SoundItems,
        log: ProjectLog,
        listing: RecordListing,
        bodies: Bodies,
        counts: AccessCounts,
        clock: Clock,
        executor: Executor,
    ) -> None:
        self._table = table
        self._reading = reading
        self._sound = sound
        self._log = log
        self._listing = listing
        self._bodies = bodies
        self._counts = counts
        self._unindexed = UnindexedRecords(log, sound, clock)
        self._clock = clock
        self._executor = executor

    def get(self, scope: Scope, id: str, *, with_body: bool = True) -> Memory | None:
        def read() -> list[Memory]:
            found = self._sound.one(scope, id)
            return [] if found is None else [found]

        for found in self._counts.beside(scope.tenant, [Ref(scope.project, id)], read):
            return self._bodies.one(found) if with_body else found
        return None

    def get_many(
        self, tenant: str, refs: Collection[Ref], *, with_bodies: bool = True, with_accesses: bool = True
    ) -> dict[Ref, Memory]:
        def read() -> list[Memory]:
            return list(self._sound.memories(tenant, refs).values())

        found = self._counts.beside(tenant, refs, read) if with_accesses else read()
        return {memory.ref: memory for memory in (self.whole(found) if with_bodies else found)}

    def counted(self, memories: Sequence[Memory]) -> list[Memory]:
        return self._counts.counted(memories)

    def stored_contents(self, scope: Scope, ids: Collection[str]) -> dict[str, str]:
        found = self._sound.memories(scope.tenant, [Ref(scope.project, id) for id in ids])
        return {ref.id: memory.content for ref, memory in found.items()}

    def with_vectors(self, tenant: str, refs: Collection[Ref]) -> dict[Ref, tuple[Memory, Vectors | None]]:
        return self._sound.with_vectors(tenant, refs)

    def whole(self, memories: Sequence[Memory]) -> list[Memory]:
        return self._bodies.whole(memories)[0]

    def damaged_among(self, tenant: str, refs: Collection[Ref]) -> list[Ref]:
        return self._sound.damaged_among(tenant, refs)

    def packed_bytes(self, content: str) -> int:
        return body_size_bytes(content)

    def last_versions(self, scope: Scope, ids: Collection[str]) -> dict[str, int]:
        wanted = [keys.record_key(scope, id) for id in dict.fromkeys(ids)]
        found = self._reading.items(wanted, ("pk", "version"))
        return {keys.id_of(item): record_items.version_of(item) for item in found}

    def page(
        self,
        scope: Scope,
        filters: Filters,
        viewer: Viewer,
        *,
        now: datetime,
        after: tuple[str, str] | None,
        limit: int,
        oldest_first: bool = False,
    ) -> RecordPage:
        asked = ListingQuery(scope, filters, viewer, now, after, limit, oldest_first)
        return self._listed(asked)

    def every(self, scope: Scope, *, after: tuple[str, str] | None, limit: int) -> RecordPage:
        asked = ListingQuery(scope, Filters(status=()), EVERYONE, self._clock.now(), after, limit, True)
        return self._listed(asked)

    def _listed(self, asked: ListingQuery) -> RecordPage:
        found = self._listing.page(asked)
        counted = replace(found, memories=tuple(self._counts.counted(found.memories)))
        page = self._bodies.whole_page(counted)
        return replace(page, unread=(*found.unread, *page.unread)) if found.unread else page

    def same_content(self, scope: Scope, content_hash: str) -> list[Memory]:
        lately = self._executor.submit(self._log.with_content, scope, content_hash)
        part = KeyRange(
            keys.content_partition(scope, content_hash),
            " ",
            "~",
            index=BY_CONTENT.name,
            keys=(BY_CONTENT.partition_key, BY_CONTENT.sort_key),
        )
        ids = {keys.id_of(item) for item in self._table.whole(part)} | lately.result()
        records = self._sound.memories(scope.tenant, [Ref(scope.project, id) for id in sorted(ids)])
        same = [m for m in records.values() if m.is_active and m.content_hash == content_hash]
        return self.whole(self._counts.counted(same))

    def vectors(self, scope: Scope, ids: Collection[str]) -> dict[str, Vectors]:
        wanted = [keys.record_key(scope, id) for id in dict.fromkeys(ids)]
        stored = self._reading.items(wanted, ("pk", *record_seals.VECTOR_READ_ATTRIBUTES))
        return {
            keys.id_of(item): vectors
            for item in stored
            if (vectors := record_seals.sound_vectors_or_none(item)) is not None
        }

    def written_after(self, scope: Scope, position: int) -> list[Ref]:
        return self._log.written_after(scope, position) if position else self._unindexed.refs(scope)

    def unseen(self, tenant: str, refs: Collection[Ref]) -> dict[Ref, tuple[Memory, Vectors | None]]:
        return self._unindexed.records(tenant, refs)
