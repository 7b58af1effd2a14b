"""What the search index holds, asked past the product."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final

from opensearchpy import OpenSearch

from memory_layer.manifest.index import ALIAS

READ_ALIAS: Final = f"{ALIAS}-read"
FIELDS: Final = ["version", "is_tombstone", "status", "tenant"]


@dataclass(frozen=True)
class SearchNode:
    """Args: endpoint: base URL."""

    endpoint: str

    @cached_property
    def _client(self) -> OpenSearch:
        return OpenSearch(self.endpoint)

    def empty(self) -> None:
        """As a new domain is."""
        for name in self._client.indices.get(index=f"{ALIAS}-*"):
            self._client.indices.delete(index=name)

    def searched(self) -> list[str]:
        """The indexes behind the alias that recalls ask."""
        return sorted(self._client.indices.get_alias(name=READ_ALIAS))

    def document(self, project: str, id: str) -> dict[str, Any] | None:
        """What can be found of a record; vectors are not among it."""
        query = {"bool": {"filter": [{"term": {"project": project}}, {"term": {"id": id}}]}}
        body = {"query": query, "docvalue_fields": FIELDS, "_source": False}
        answer = self._client.search(index=READ_ALIAS, body=body)
        hits = answer["hits"]["hits"]
        assert len(hits) <= 1, f"{len(hits)} documents of one record {id}"
        return {name: values[0] for name, values in hits[0]["fields"].items()} if hits else None
