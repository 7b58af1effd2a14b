"""LangGraph store over Memory Layer: `MemoryStore` is a `BaseStore` whose items are memories of a project."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from itertools import chain, islice
from typing import Any, Final, Unpack

from langgraph.store.base import (
    BaseStore,
    GetOp,
    Item,
    ListNamespacesOp,
    Op,
    PutOp,
    Result,
    SearchItem,
    SearchOp,
    TTLConfig,
    validate_op_namespace,
)

from memory_layer.client import MemoryProblem
from memory_layer.domain.portability.exact_json import value_of
from memory_layer.integrations import langgraph_items as items
from memory_layer.integrations.connection import ClientArguments, connected
from memory_layer.integrations.keyed_memories import deleted, found, put_keyed
from memory_layer.integrations.langgraph_matching import accepts, known_prefix, listed
from memory_layer.integrations.stored_answers import KEPT_STATUSES, is_kept, report, require_changed

SCORED_MAX: Final = 100
"""Items that a query scores; those after them come unscored."""

PAGE: Final = 200
TOGETHER: Final = 8
"""Requests of one batch that are on their way at once."""


class MemoryStore(BaseStore):
    """Store whose items are memories: found by meaning, ranked by outcome, redacted, with a history.

    An item's key decides which memory it is: the same key is an update, and another key another memory, though both
    say the same. Values are JSON and come back as they were put; one has 16 KiB at most.

    Args:
        fields: paths of what a query finds an item by, where `put` names none; `$`: the whole value.
        ttl: as LangGraph's stores take it; `default_ttl` in minutes, `refresh_on_read`.
        hard_delete: a deleted item is erased for good; otherwise it is archived and can be restored.
        place: as for `memory_layer.client.Memory`.

    Raises:
        MemoryProblem: the service refuses, or does not answer.
        NotJsonError: a value is no JSON; nothing was stored.
    """

    supports_ttl = True

    def __init__(
        self,
        url: str | None = None,
        *,
        fields: Sequence[str] = ("$",),
        ttl: TTLConfig | None = None,
        hard_delete: bool = False,
        **place: Unpack[ClientArguments],
    ) -> None:
        self.ttl_config = ttl
        self._client = connected(url, place)
        self._fields = tuple(fields)
        self._hard_delete = hard_delete

    def close(self) -> None:
        """Lets go of connections."""
        self._client.close()

    def batch(self, ops: Iterable[Op]) -> list[Result]:
        """Results of operations in their order; reads see what was there before the batch."""
        asked = list(ops)
        for op in asked:
            validate_op_namespace(op)
        writes = {(op.namespace, op.key): op for op in asked if isinstance(op, PutOp)}
        memories = [(op, self._memory_of(op)) for op in writes.values()]
        with ThreadPoolExecutor(TOGETHER) as threads:
            results = list(threads.map(self._read, asked))
            list(threads.map(lambda write: self._write(*write), memories))
        return results

    async def abatch(self, ops: Iterable[Op]) -> list[Result]:
        """As `batch`, awaited."""
        return await asyncio.to_thread(self.batch, list(ops))

    def _read(self, op: Op) -> Result:
        if isinstance(op, GetOp):
            return self._get(op)
        if isinstance(op, SearchOp):
            return self._search(op)
        if isinstance(op, ListNamespacesOp):
            return self._list_namespaces(op)
        return None

    def _get(self, op: GetOp) -> Item | None:
        memory = found(self._client, items.item_id(op.namespace, op.key))
        if memory is None or not is_kept(memory):
            return None
        self._refresh([memory], op.refresh_ttl)
        return items.item_of(memory)

    def _search(self, op: SearchOp) -> list[SearchItem]:
        scored = self._scored(op) if op.query else []
        seen = {memory.id for memory, _ in scored}
        rest = ((one, None) for one in self._under(op.namespace_prefix) if one.id not in seen)
        fitting = (pair for pair in chain(scored, rest) if accepts(op.filter, value_of(pair[0].detail)))
        page = list(islice(fitting, op.offset, op.offset + op.limit))
        self._refresh([memory for memory, _ in page], op.refresh_ttl)
        return [items.search_item_of(memory, score) for memory, score in page]

    def _scored(self, op: SearchOp) -> list[tuple[Any, float | None]]:
        """Items that bear on the query, best first."""
        label = items.prefix_label(op.namespace_prefix)
        recalled = self._client.recall(
            op.query or "", filters={"tags": [label]}, limit=SCORED_MAX, min_score=0.0
        )
        return [(hit, hit.score) for hit in recalled.memories if items.UNINDEXED not in hit.tags]

    def _under(self, prefix: items.Namespace) -> Iterator[Any]:
        """Every item under a prefix, newest first."""
        return self._client.list_memories.each(
            tags=[items.prefix_label(prefix)], status=KEPT_STATUSES, limit=PAGE
        )

    def _list_namespaces(self, op: ListNamespacesOp) -> list[items.Namespace]:
        namespaces = {tuple(memory.detail["namespace"]) for memory in self._under(known_prefix(op))}
        return listed(namespaces, op)

    def _refresh(self, memories: Sequence[Any], is_wanted: bool) -> None:
        """Begins the lifetimes of read items anew."""
        for memory in memories if is_wanted else ():
            minutes = memory.detail.get("ttl_minutes")
            if minutes is not None:
                self._client.update_memory(memory.id, expires_at=_end(minutes))

    def _memory_of(self, op: PutOp) -> dict[str, Any] | None:
        """Fields of the memory to put; None: the item is deleted."""
        return None if op.value is None else items.memory_of(op, self._fields)

    def _write(self, op: PutOp, fields: Mapping[str, Any] | None) -> None:
        if fields is None:
            deleted(self._client, items.item_id(op.namespace, op.key), hard=self._hard_delete)
        else:
            self._put(op, {**fields, "expires_at": None if op.ttl is None else _end(op.ttl)})

    def _put(self, op: PutOp, fields: Mapping[str, Any]) -> None:
        id, named = items.item_id(op.namespace, op.key), f"item {op.key!r} of {op.namespace}"
        stored = put_keyed(self._client, id, fields, items.name_of(op))
        require_changed(stored.receipt, named)
        if (stored.detail["namespace"], stored.detail["key"]) != (list(op.namespace), op.key):
            self._client.delete_memory(id, hard=True)
            raise MemoryProblem(
                "secret_name",
                "the namespace or the key looks like a secret, and an item is found by them as they are: "
                "nothing is kept; give others",
            )
        report(stored.receipt, named)


def _end(minutes: float) -> datetime:
    return datetime.now(UTC) + timedelta(minutes=minutes)
