"""Settings of projects, and the marks of their writes and activity, in DynamoDB."""

from collections.abc import Callable, Sequence
from contextlib import suppress
from datetime import datetime

from memory_layer.adapters.aws.store.project_marks import ProjectRegistry, WriteMarks
from memory_layer.adapters.aws.table import keys
from memory_layer.adapters.aws.table.batch_reads import BatchReads
from memory_layer.adapters.aws.table.entity_event_items import activity_update
from memory_layer.adapters.aws.table.lifecycle_keys import activity_key, assembly_key, authors_key
from memory_layer.adapters.aws.table.record_items import Item, text_of
from memory_layer.adapters.aws.table.records_table import ConditionFailed, KeyRange, RecordsTable
from memory_layer.adapters.aws.table.request_items import stored_assembly, stored_authors, stored_policy
from memory_layer.adapters.stored_form.entity_event_fields import activity_of
from memory_layer.domain.learning.author_records import AuthorRecords
from memory_layer.domain.memory import Scope
from memory_layer.domain.policy import Policy
from memory_layer.ports.project_settings import ContextSettings, RecallSettings


class ProjectSettingItems:
    """Settings and marks of all projects: the port ports.records.ProjectStore."""

    def __init__(
        self, table: RecordsTable, reading: BatchReads, registry: ProjectRegistry, marks: WriteMarks
    ) -> None:
        self._table = table
        self._reading = reading
        self._registry = registry
        self._marks = marks

    def policy(self, scope: Scope) -> Policy:
        return stored_policy(scope, self._table.get(keys.policy_key(scope)))

    def recall_settings(self, scope: Scope) -> RecallSettings:
        """Reads small neighbours in one query: half the cost of a batch of their keys."""
        low, high = (key(scope)["sk"]["S"] for key in (activity_key, keys.policy_key))
        stretch = KeyRange(keys.project_partition(scope), low, high)
        items = {item["sk"]["S"]: item for item in self._table.whole(stretch)}
        activity, policy = items.get(low), items.get(high)
        active_at = activity_of(text_of(activity or {}, "last_activity_at"))
        authors = items.get(authors_key(scope)["sk"]["S"])
        return RecallSettings(stored_policy(scope, policy), active_at, authors=stored_authors(scope, authors))

    def authors(self, scope: Scope) -> AuthorRecords:
        return stored_authors(scope, self._table.get(authors_key(scope)))

    def context_settings(self, scopes: Sequence[Scope]) -> tuple[ContextSettings, ...]:
        kinds = (keys.policy_key, activity_key, assembly_key, authors_key)
        wanted = [key(scope) for scope in scopes for key in kinds]
        found = {(item["pk"]["S"], item["sk"]["S"]): item for item in self._reading.items(wanted)}

        def stored(scope: Scope, key: Callable[[Scope], keys.Key]) -> Item | None:
            return found.get((key(scope)["pk"]["S"], key(scope)["sk"]["S"]))

        return tuple(
            ContextSettings(
                stored_policy(scope, stored(scope, keys.policy_key)),
                activity_of(text_of(stored(scope, activity_key) or {}, "last_activity_at")),
                *stored_assembly(scope, stored(scope, assembly_key)),
                authors=stored_authors(scope, stored(scope, authors_key)),
            )
            for scope in scopes
        )

    def write_versions(self, scopes: Sequence[Scope]) -> tuple[str, ...]:
        return self._marks.of(scopes)

    def note_activity(self, scope: Scope, at: datetime) -> None:
        self._registry.note(scope)
        with suppress(ConditionFailed):  # it is known of a later time
            self._table.update(**activity_update(scope, at))
            self._marks.renew([scope])
