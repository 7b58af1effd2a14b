"""Searches as the index is asked: in time, by its alias, of the shards alone that hold the projects asked for."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from time import monotonic
from typing import Any, Final

from opensearchpy import OpenSearch

from memory_layer.adapters.aws.search.documents import routing_of
from memory_layer.adapters.aws.search.filter_clauses import Body
from memory_layer.adapters.aws.search.opensearch_client import complete_answer, opensearch_errors
from memory_layer.adapters.aws.search.search_circuit import Bounds, SearchCircuit
from memory_layer.domain.memory import Scope

EVERYWHERE: Final = ()
"""Scopes of a search over all projects, which asks every shard."""

ROUTED_FOR_S: Final = 600.0
UNROUTED_FOR_S: Final = 60.0
"""Seconds after which a process looks again if the index that is searched has its documents by project: one of before
has them by their ids, until a rebuild moves the alias."""

_NEEDED: Final = (
    *("error.type", "timed_out", "_shards.failed", "hits.total.value"),
    *("hits.hits.sort", "hits.hits.fields"),
)
_HIT_PATHS: Final = ",".join(f"responses.{name}" for name in _NEEDED)

_ONE_WITH_ROUTING: Final[Body] = {
    "query": {"exists": {"field": "_routing"}},
    "size": 0,
    "track_total_hits": 1,
    "terminate_after": 1,
}


class SearchRequests:
    """Sender of searches.

    Args:
        alias: what is searched.
        circuit: of this process.
        timer: seconds of a clock that never goes back.
    """

    def __init__(
        self,
        client: OpenSearch,
        alias: str,
        circuit: SearchCircuit,
        timer: Callable[[], float] = monotonic,
    ) -> None:
        self._client = client
        self._alias = alias
        self._circuit = circuit
        self._timer = timer
        self._is_routed = False
        self._known_until: float | None = None

    def one(self, body: Body, scopes: Collection[Scope] = EVERYWHERE) -> Body:
        """Sends one search. Args: scopes: that its conditions name.

        Raises:
            IndexUnavailable: it cannot be asked, or a part of it did not answer.
        """
        return self._sent(body, self._routing(scopes))

    def many(self, bodies: Mapping[str, Body], scopes: Collection[Scope] = EVERYWHERE) -> dict[str, Body]:
        """Sends several searches in one request; answers by name. Args: scopes: that the conditions of all name.

        Raises:
            IndexUnavailable: as `one`.
        """
        if not bodies:
            return {}
        header = self._routing(scopes)
        lines = [line for body in bodies.values() for line in (header, body)]
        with opensearch_errors(f"searching {self._alias}"):
            answers = self._circuit.call(lambda bounds: self._answers(lines, bounds))
        return dict(zip(bodies, answers, strict=True))

    def _answers(self, lines: list[Body], bounds: Bounds) -> list[Body]:
        params = {**bounds, "filter_path": _HIT_PATHS}
        answer = self._client.msearch(index=self._alias, body=lines, params=params)
        return [complete_answer(part, self._alias) for part in answer["responses"]]

    def _routing(self, scopes: Collection[Scope]) -> dict[str, str]:
        """Parameters that send a search to the shards of these projects; none: to all."""
        if not scopes or not self._has_documents_by_project():
            return {}
        return {"routing": ",".join(dict.fromkeys(map(routing_of, scopes)))}

    def _has_documents_by_project(self) -> bool:
        now = self._timer()
        if self._known_until is None or now >= self._known_until:
            found = self._sent(_ONE_WITH_ROUTING, {})["hits"]["total"]["value"]
            self._is_routed = bool(found)
            self._known_until = now + (ROUTED_FOR_S if found else UNROUTED_FOR_S)
        return self._is_routed

    def _sent(self, body: Body, params: Mapping[str, Any]) -> Body:
        with opensearch_errors(f"searching {self._alias}"):
            return self._circuit.call(lambda bounds: self._answer(body, {**bounds, **params}))

    def _answer(self, body: Body, params: Mapping[str, Any]) -> Body:
        answer: Body = self._client.search(index=self._alias, body=body, params=params)
        return complete_answer(answer, self._alias)
