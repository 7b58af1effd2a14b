"""Idempotency: one effect per key; the answer is kept in the transaction of the data that it speaks of."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from hashlib import sha256
from typing import Any, TypeVar

from memory_layer.domain.fields import canonical_json
from memory_layer.domain.memory import Scope
from memory_layer.errors import InFlight, KeyReused, NotFound, Violation
from memory_layer.ports.commit import ANSWER_LIFETIME, Commit, IdempotencyRecord
from memory_layer.ports.record_store import CommitWriter
from memory_layer.ports.records import RequestStore

Render = Callable[[Any], tuple[int, str]]
"""Renderer of a use case's result to the status and body that the interface (HTTP, MCP) answers with."""


def storage_key(principal: str, kind: str, key: str) -> str:
    """SHA-256, hex, of a caller's key, which may be a secret by mistake and is never stored itself.

    Args:
        kind: what the key is for; the same key of another kind of request is another key.
    """
    return sha256(canonical_json([principal, kind, key]).encode()).hexdigest()


@dataclass(frozen=True, slots=True)
class IdempotentRequest:
    """Request that is to take effect once. `named` is the caller's key, `key` its storage key."""

    key: str
    named: str
    fingerprint: str
    render: Render

    def answer(self, result: Any, now: datetime, *, memory_id: str) -> IdempotencyRecord:
        """Record of the answer, for the transaction to keep."""
        status, body = self.render(result)
        return IdempotencyRecord(self.key, self.fingerprint, status, body, now + ANSWER_LIFETIME, memory_id)

    def earlier(self, answers: Mapping[str, IdempotencyRecord]) -> IdempotencyRecord | None:
        """Finds the answer given before, if there is one.

        Raises:
            KeyReused: the key came with another request.
            NotFound: the memory that the request made was erased.
        """
        answer = answers.get(self.key)
        if answer is None:
            return None
        self.refuse_other(answer)
        if not answer.body:
            made = (
                f"memory {answer.memory_id}, which this key made,"
                if answer.memory_id
                else "what this key made"
            )
            raise NotFound(f"{made} was erased")
        return answer

    def refuse_other(self, answer: IdempotencyRecord) -> None:
        """Refuses the answer to another request. Raises: KeyReused."""
        if answer.fingerprint != self.fingerprint:
            raise KeyReused(
                f"idempotency key {self.named!r} was used for another request; use a new key for a new request",
                (Violation("/headers/idempotency-key", "belongs to another request"),),
            )


def earlier_answers(
    requests: RequestStore, scope: Scope, asked: Iterable[IdempotentRequest | None], now: datetime
) -> dict[str, IdempotencyRecord]:
    """Reads the answers already given, by storage key, in one read for all."""
    keys = [once.key for once in asked if once is not None]
    return requests.answers(scope, keys, now) if keys else {}


def earlier_answer(
    requests: RequestStore, scope: Scope, once: IdempotentRequest, now: datetime
) -> IdempotencyRecord | None:
    """Reads the answer already given under this key.

    Raises:
        KeyReused, NotFound: as `IdempotentRequest.earlier`.
    """
    return once.earlier(earlier_answers(requests, scope, [once], now))


T = TypeVar("T")


def answered_once(
    requests: RequestStore,
    writer: CommitWriter,
    scope: Scope,
    once: IdempotentRequest | None,
    now: datetime,
    work: Callable[[], T],
    memory_id: Callable[[T], str] = lambda _: "",
) -> T | IdempotencyRecord:
    """Runs work of more than one transaction, harmless when done twice, and keeps its answer.

    Args:
        memory_id: the memory whose words the answer carries, so that it is erased with it; '' for none.

    Raises:
        KeyReused, NotFound: as `IdempotentRequest.earlier`.
    """
    if once is None:
        return work()
    earlier = earlier_answer(requests, scope, once, now)
    if earlier is not None:
        return earlier
    result = work()
    try:
        writer.commit(Commit(scope=scope, answer=once.answer(result, now, memory_id=memory_id(result))))
    except InFlight:  # the same request, sent twice at once: the other one was faster
        return earlier_answer(requests, scope, once, now) or result
    return result
