"""Sources of assembled contexts in DynamoDB."""

from collections.abc import Callable, Collection, Sequence

from memory_layer.adapters.aws.store.project_marks import WriteMarks
from memory_layer.adapters.aws.store.sessions import SessionItems
from memory_layer.adapters.aws.store.sound_items import SoundItems
from memory_layer.adapters.aws.table import keys
from memory_layer.adapters.aws.table.batch_reads import BatchReads
from memory_layer.adapters.aws.table.lifecycle_keys import activity_key, assembly_key
from memory_layer.adapters.aws.table.record_items import Item, text_of
from memory_layer.adapters.aws.table.request_items import stored_assembly, stored_policy
from memory_layer.adapters.stored_form.bodies import Bodies
from memory_layer.adapters.stored_form.entity_event_fields import activity_of
from memory_layer.domain.memory import Memory, Ref, Scope
from memory_layer.ports.commit import Vectors
from memory_layer.ports.records import ContextSettings


class ContextItems:
    """Part of DynamoRecordStore that is its ContextStore."""

    _marks: WriteMarks
    _sessions: SessionItems
    _bodies: Bodies
    _reading: BatchReads
    _sound: SoundItems

    def last_turns(self, scope: Scope, session_id: str, limit: int) -> list[Memory]:
        return self._bodies.whole(self._sessions.last(scope, session_id, limit))[0]

    def with_vectors(self, tenant: str, refs: Collection[Ref]) -> dict[Ref, tuple[Memory, Vectors | None]]:
        return self._sound.with_vectors(tenant, refs)

    def context_settings(self, scopes: Sequence[Scope]) -> tuple[ContextSettings, ...]:
        wanted = [key(scope) for scope in scopes for key in (keys.policy_key, activity_key, assembly_key)]
        found = {(item["pk"]["S"], item["sk"]["S"]): item for item in self._reading.items(wanted)}

        def stored(scope: Scope, key: Callable[[Scope], keys.Key]) -> Item | None:
            return found.get((key(scope)["pk"]["S"], key(scope)["sk"]["S"]))

        return tuple(
            ContextSettings(
                stored_policy(scope, stored(scope, keys.policy_key)),
                activity_of(text_of(stored(scope, activity_key) or {}, "last_activity_at")),
                stored_assembly(scope, stored(scope, assembly_key)),
            )
            for scope in scopes
        )

    def write_versions(self, scopes: Sequence[Scope]) -> tuple[str, ...]:
        return self._marks.of(scopes)
