"""Records as they are now, alone and in conversations, in SQLite."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence
from datetime import datetime
from typing import Final

from memory_layer.adapters.embedded.sqlite import record_rows
from memory_layer.adapters.embedded.sqlite.database import Database
from memory_layer.adapters.embedded.sqlite.filter_conditions import sql_conditions
from memory_layer.adapters.embedded.sqlite.project_rows import ProjectKeys
from memory_layer.adapters.embedded.store.receipts import ReceiptLog
from memory_layer.adapters.embedded.store.sound_reads import SoundReads
from memory_layer.adapters.embedded.store.transaction import take_positions
from memory_layer.adapters.stored_form.bodies import Bodies
from memory_layer.adapters.stored_form.body_format import body_size_bytes
from memory_layer.adapters.stored_form.damage_log import DamageLog
from memory_layer.domain.access import Viewer
from memory_layer.domain.conversation import Conversation, conversation_of
from memory_layer.domain.filters import Filters
from memory_layer.domain.integrity.digests import search_digest
from memory_layer.domain.memory import Memory, Ref, Scope
from memory_layer.ports.commit import Vectors
from memory_layer.ports.records import ConversationPage, RecordPage

_LAST_TURNS: Final = (
    "m.project_key = ? AND m.session_id = ? ORDER BY m.position DESC, m.created_at DESC, m.id DESC LIMIT ?"
)
_IS_SAID: Final = (
    "SELECT 1 FROM memories WHERE project_key = ? AND content_hash = ? AND status = 'active' LIMIT 1"
)
_CONTENTS: Final = "SELECT id, content FROM memories WHERE project_key = ? AND id IN ({})"

EXAMINED_MAX: Final = 500
"""Conversations looked at for one page at most; of each the last turn is read."""

_SESSION_IDS: Final = (
    "WITH RECURSIVE found (id) AS ("
    "SELECT (SELECT min(session_id) FROM memories WHERE project_key = :key AND session_id > :after)"
    " UNION ALL SELECT (SELECT min(session_id) FROM memories WHERE project_key = :key AND session_id > found.id)"
    " FROM found WHERE found.id IS NOT NULL) SELECT id FROM found WHERE id IS NOT NULL LIMIT :limit"
)
"""Ids after an id, each by one look into the index by conversation: the turns between are not read."""


class MemoryRows:
    """Records of all projects: the port ports.records.MemoryStore.

    Args:
        reads: finds rows, sound or healed.
        damage: what `reads` has met and left out.
        receipts: flushed before all records are listed, with what recalls have counted.
    """

    def __init__(
        self,
        database: Database,
        keys: ProjectKeys,
        bodies: Bodies,
        reads: SoundReads,
        damage: DamageLog,
        receipts: ReceiptLog,
    ) -> None:
        self._database = database
        self._keys = keys
        self._bodies = bodies
        self._reads = reads
        self._damage = damage
        self._receipts = receipts

    def get(self, scope: Scope, id: str, *, with_body: bool = True) -> Memory | None:
        found = self._reads.found(scope, id)
        return self._bodies.one(found) if found is not None and with_body else found

    def get_many(
        self,
        tenant: str,
        refs: Collection[Ref],
        *,
        with_bodies: bool = True,
        with_accesses: bool = True,  # noqa: ARG002 they lie beside the row, and are read with it
    ) -> dict[Ref, Memory]:
        by_project: dict[str, list[str]] = defaultdict(list)
        for ref in refs:
            by_project[ref.project].append(ref.id)
        memories = [
            memory
            for project, ids in by_project.items()
            for memory in self._by_ids(Scope(tenant, project), ids)
        ]
        return {memory.ref: memory for memory in (self.whole(memories) if with_bodies else memories)}

    def unseen(self, tenant: str, refs: Collection[Ref]) -> dict[Ref, tuple[Memory, Vectors | None]]:
        return self.with_vectors(tenant, refs)

    def counted(self, memories: Sequence[Memory]) -> list[Memory]:
        return list(memories)

    def _by_ids(self, scope: Scope, ids: list[str]) -> Iterable[Memory]:
        for chunk in record_rows.chunks(ids):
            yield from self._reads.of_ids(scope, chunk)

    def stored_contents(self, scope: Scope, ids: Collection[str]) -> dict[str, str]:
        found: dict[str, str] = {}
        for chunk in record_rows.chunks(list(ids)):
            sql = _CONTENTS.format(record_rows.placeholders(chunk))
            found |= dict(self._database.reader().execute(sql, (self._keys.of(scope), *chunk)).fetchall())
        return found

    def with_vectors(self, tenant: str, refs: Collection[Ref]) -> dict[Ref, tuple[Memory, Vectors | None]]:
        records = self.get_many(tenant, refs, with_bodies=False)
        stored = {
            project: self.vectors(
                Scope(tenant, project), [ref.id for ref in records if ref.project == project]
            )
            for project in {ref.project for ref in records}
        }
        return {ref: (memory, stored[ref.project].get(ref.id)) for ref, memory in records.items()}

    def whole(self, memories: Sequence[Memory]) -> list[Memory]:
        return self._bodies.whole(memories)[0]

    def damaged_among(self, tenant: str, refs: Collection[Ref]) -> list[Ref]:
        return self._damage.among(tenant, refs)

    def packed_bytes(self, content: str) -> int:
        return body_size_bytes(content)

    def last_versions(self, scope: Scope, ids: Collection[str]) -> dict[str, int]:
        newest: dict[str, int] = {}
        for chunk in record_rows.chunks(list(ids)):
            for table in ("tombstones", "memories"):  # a record is newer than any tombstone of its id
                sql = (
                    f"SELECT id, max(version) FROM {table}"
                    f" WHERE project_key = ? AND id IN ({record_rows.placeholders(chunk)}) GROUP BY id"
                )
                newest |= dict(
                    self._database.reader().execute(sql, (self._keys.of(scope), *chunk)).fetchall()
                )
        return newest

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
        asked = sql_conditions(filters, viewer, now)
        where = " AND ".join(["m.project_key = ?", *(part.sql for part in asked)])
        parameters = [self._keys.of(scope), *(value for part in asked for value in part.parameters)]
        sees_all = viewer.sees_all_personas
        return self._reads.page(scope, where, parameters, after, limit, oldest_first, names_all=sees_all)

    def every(self, scope: Scope, *, after: tuple[str, str] | None, limit: int) -> RecordPage:
        """Page of all records, with the accesses that recalls have noted before the first page."""
        if after is None:
            self._receipts.flush()
        return self._reads.page(scope, "m.project_key = ?", [self._keys.of(scope)], after, limit, True)

    def same_content(self, scope: Scope, content_hash: str) -> list[Memory]:
        asked = (self._keys.of(scope), content_hash)
        if self._database.reader().execute(_IS_SAID, asked).fetchone() is None:
            return []  # as for most new texts; to ask for the rows themselves takes thrice as long
        # the plus: in the order of the index by id, SQLite would go through the whole project
        where = "m.project_key = ? AND m.content_hash = ? AND m.status = 'active' ORDER BY +m.id"
        return self.whole(list(self._reads.select(scope, where, asked)))

    def vectors(self, scope: Scope, ids: Collection[str]) -> dict[str, Vectors]:
        found: dict[str, Vectors] = {}
        for chunk in record_rows.chunks(list(ids)):
            sql = (
                "SELECT m.id, s.digest, s.content_vector, s.context_vector, s.content_terms, s.context_terms"
                " FROM memories m JOIN search_rows s ON s.memory_key = m.key WHERE s.content_vector IS NOT NULL"
                f" AND m.project_key = ? AND m.id IN ({record_rows.placeholders(chunk)})"
            )
            rows = self._database.reader().execute(sql, (self._keys.of(scope), *chunk)).fetchall()
            for id, digest, content, context, *terms in rows:
                if digest is None or digest.hex() == search_digest(id, content, context, *terms):
                    found[id] = Vectors(record_rows.vector_of(content), record_rows.vector_of(context))  # type: ignore[arg-type]
        return found

    def written_after(self, scope: Scope, position: int) -> list[Ref]:
        sql = "SELECT id FROM memories WHERE project_key = ? AND log_position > ? ORDER BY log_position DESC"
        return [
            Ref(scope.project, id)
            for (id,) in self._database.reader().execute(sql, (self._keys.of(scope), position))
        ]


class SessionRows:
    """Conversations of all projects: the port ports.records.SessionStore."""

    def __init__(self, database: Database, keys: ProjectKeys, bodies: Bodies, reads: SoundReads) -> None:
        self._database = database
        self._keys = keys
        self._bodies = bodies
        self._reads = reads

    def turns(self, scope: Scope, session_id: str, first: int, last: int) -> list[Memory]:
        where = (
            "m.project_key = ? AND m.session_id = ? AND m.position BETWEEN ? AND ?"
            " ORDER BY m.position, m.created_at, m.id"
        )
        return self._bodies.whole_or_stubs(
            list(self._reads.select(scope, where, (self._keys.of(scope), session_id, first, last)))
        )

    def last_turns(self, scope: Scope, session_id: str, limit: int) -> list[Memory]:
        found = list(self._reads.select(scope, _LAST_TURNS, (self._keys.of(scope), session_id, limit)))
        return self._bodies.whole(found)[0]

    def page(
        self,
        scope: Scope,
        session_id: str,
        filters: Filters,
        viewer: Viewer,
        *,
        now: datetime,
        after: tuple[str, str] | None,
        limit: int,
        newest_first: bool = False,
    ) -> RecordPage:
        asked = sql_conditions(filters, viewer, now)
        own = ("m.project_key = ?", "m.session_id = ?", "m.position IS NOT NULL")
        parameters = [
            *(self._keys.of(scope), session_id),
            *(value for part in asked for value in part.parameters),
        ]
        where = " AND ".join([*own, *(part.sql for part in asked)])
        return self._reads.page(
            *(scope, where, parameters, after, limit, not newest_first, "position"),
            names_all=viewer.sees_all_personas,
        )

    def conversations(
        self, scope: Scope, filters: Filters, viewer: Viewer, *, now: datetime, after: str | None, limit: int
    ) -> ConversationPage:
        found: list[Conversation] = []
        ids = self._session_ids(scope, after or "", EXAMINED_MAX)
        for place, id in enumerate(ids, 1):
            last = self.page(
                scope, id, filters, viewer, now=now, after=None, limit=1, newest_first=True
            ).memories
            found += [conversation_of(turn) for turn in last]
            if len(found) == limit and place < len(ids):
                return ConversationPage(tuple(found), id)
        return ConversationPage(tuple(found), ids[-1] if len(ids) == EXAMINED_MAX else None)

    def _session_ids(self, scope: Scope, after: str, limit: int) -> list[str]:
        asked = {"key": self._keys.of(scope), "after": after, "limit": limit}
        return [id for (id,) in self._database.reader().execute(_SESSION_IDS, asked)]

    def take_positions(self, scope: Scope, session_id: str, count: int, *, at_least: int = 0) -> int:
        with self._database.writing() as connection:
            return take_positions(connection, scope, session_id, count, at_least)
