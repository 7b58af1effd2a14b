"""What assembled contexts go by, in DynamoDB."""

from __future__ import annotations

from collections.abc import Sequence

from memory_layer.adapters.aws.sessions import Sessions
from memory_layer.adapters.aws.write_marks import WriteMarks
from memory_layer.adapters.bodies import Bodies
from memory_layer.domain.memory import Memory, Scope


class ContextItems:
    """stores.ContextStore of DynamoRecordStore."""

    _marks: WriteMarks
    _sessions: Sessions
    _bodies: Bodies

    def last_turns(self, scope: Scope, session_id: str, limit: int) -> list[Memory]:
        return self._bodies.whole(self._sessions.last(scope, session_id, limit))[0]

    def write_versions(self, scopes: Sequence[Scope]) -> tuple[str, ...]:
        return self._marks.of(scopes)
