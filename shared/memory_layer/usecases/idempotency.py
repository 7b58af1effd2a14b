"""One effect per idempotency key: the answer is kept in the transaction of the data that it speaks of."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from memory_layer.domain.memory import Scope
from memory_layer.errors import KeyReused, Violation
from memory_layer.ports import ANSWER_LIFETIME, Answer, RecordStore

Render = Callable[[Any], tuple[int, str]]
"""Makes status and body of a use case's result, as the face at hand answers it."""


@dataclass(frozen=True, slots=True)
class Once:
    """A caller's wish that this request take effect once."""

    key: str
    fingerprint: str
    render: Render

    def answer(self, result: Any, now: datetime) -> Answer:
        """What the transaction has to keep."""
        status, body = self.render(result)
        return Answer(self.key, self.fingerprint, status, body, now + ANSWER_LIFETIME)


def earlier_answer(store: RecordStore, scope: Scope, once: Once, now: datetime) -> Answer | None:
    """The answer already given under this key.

    Raises:
        KeyReused: the key came with another request.
    """
    answer = store.answer(scope, once.key, now)
    if answer is not None and answer.fingerprint != once.fingerprint:
        raise KeyReused(
            f"idempotency key {once.key!r} was used for another request; use a new key for a new request",
            (Violation("/headers/idempotency-key", "belongs to another request"),),
        )
    return answer
