"""What assembled contexts go by, in DynamoDB."""

from __future__ import annotations

from collections.abc import Sequence

from memory_layer.adapters.aws.write_marks import WriteMarks
from memory_layer.domain.memory import Scope


class ContextItems:
    """stores.ContextStore of DynamoRecordStore."""

    _marks: WriteMarks

    def write_versions(self, scopes: Sequence[Scope]) -> tuple[str, ...]:
        return self._marks.of(scopes)
