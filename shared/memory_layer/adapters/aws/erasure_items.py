"""What is forgotten in the table beside the records' own items, as the store is asked for it."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from memory_layer.adapters.aws.store.erasure import ErasedBeside
from memory_layer.domain.memory import Scope


class ErasureItems:
    """stores.ErasureStore of DynamoRecordStore."""

    _erased_beside: ErasedBeside

    def traces(self, scope: Scope, ids: Collection[str]) -> Mapping[str, Mapping[str, int]]:
        return self._erased_beside.traces(scope, ids)

    def forget_receipts(self, scope: Scope, principal: str | None) -> int:
        return self._erased_beside.forget_receipts(scope, principal)

    def forget_notes(self, scope: Scope, principal: str) -> int:
        return self._erased_beside.forget_notes(scope, principal)

    def forget_answers(self, scope: Scope) -> int:
        return self._erased_beside.forget_answers(scope)

    def forget_sessions(self, scope: Scope, session_ids: Collection[str]) -> int:
        return self._erased_beside.forget_sessions(scope, session_ids)
