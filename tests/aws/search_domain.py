"""An OpenSearch domain of a test's own: its names have a prefix that no other test has."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any
from uuid import uuid4

from opensearchpy import OpenSearch

from memory_layer.adapters.aws.integrity.rebuild import first_index
from memory_layer.adapters.aws.projection.bulk_writes import BulkResult, BulkWriter
from memory_layer.adapters.aws.search.aliases import IndexNames
from memory_layer.adapters.aws.search.documents import Document, document_of
from memory_layer.adapters.aws.search.opensearch_client import search_client, slow_request_params
from memory_layer.adapters.aws.search.search_index import OpenSearchIndex
from memory_layer.adapters.aws.services.backoff import Backoff
from memory_layer.domain.access import Viewer
from memory_layer.domain.filters import Filters
from memory_layer.domain.memory import Memory
from memory_layer.domain.text.analyzer import STOP_WORDS
from memory_layer.manifest.index import index_body
from memory_layer.ports.commit import Vectors
from memory_layer.ports.index import IndexQuery
from tests.index_examples import DIMENSIONS, MODEL, NOW, SCOPE
from tests.single_rows import Listed, listed

QUICK = Backoff(attempts=4, base_s=0.001, longest_s=0.002)


class Domain:
    """Indexes, and an adapter to ask them."""

    def __init__(
        self,
        endpoint: str,
        *,
        dimensions: int = DIMENSIONS,
        model: str = MODEL,
        is_of_before: bool = False,
        **given: Any,
    ) -> None:
        """Args: is_of_before: made before documents lay by project; given: shards and their spread."""
        self.client = search_client(endpoint)
        self.names = IndexNames(self.client, prefix=f"t{uuid4().hex[:12]}-")
        self.body = index_body(
            "lucene", dimensions=dimensions, model=model, stop_words=STOP_WORDS, replicas=0, **given
        )
        if is_of_before:
            del self.body["mappings"]["_routing"]
        self.index_name = first_index(self.names, self.body)
        self.index = self.new_index(model)

    def new_index(
        self, model: str = MODEL, client: OpenSearch | None = None, **given: Any
    ) -> OpenSearchIndex:
        """As another process would ask."""
        return OpenSearchIndex(client or self.client, model=model, alias=self.names.read_alias, **given)

    def writer(self, client: OpenSearch | None = None, **given: Any) -> BulkWriter:
        return BulkWriter(client or self.client, backoff=QUICK, **given)

    def write(self, documents: Sequence[Document]) -> BulkResult:
        """Waits until they can be found."""
        written = self.writer(waits_for_refresh=False).write(documents, self.names.targets, seconds=30)
        self.refresh()
        return written

    def put(self, memory: Memory, vectors: Vectors | None = None) -> None:
        assert not self.write([document_of(memory, vectors)]).failed

    def refresh(self) -> None:
        self.client.indices.refresh(index=self.names.write_alias, params=slow_request_params())

    def close(self) -> None:
        """By name: an index whose aliases a test has moved, too."""
        self.client.indices.delete(
            index=f"{self.names.prefix}*", params=slow_request_params(ignore_unavailable="true")
        )


@contextmanager
def open_domain(endpoint: str, **given: Any) -> Iterator[Domain]:
    domain = Domain(endpoint, **given)
    try:
        yield domain
    finally:
        domain.close()


def ask(index: OpenSearchIndex, text: str | None = None, **given: Any) -> Listed:
    asked: dict[str, Any] = {
        "scopes": (SCOPE,),
        "text": text,
        "vector": None,
        "filters": Filters(),
        "viewer": Viewer(),
        "now": NOW,
        "k": 10,
    }
    return listed(index.search(IndexQuery(**asked | given)))


def lexical(index: OpenSearchIndex, text: str, **given: Any) -> list[str]:
    return [ref.id for ref in ask(index, text, **given).arms.content_lexical]


class FaultyClient:
    """The real client, but for what `intercept` does to one of its calls.

    Args:
        intercept: called with the method's name, the call itself and its arguments, in place of the call.
    """

    def __init__(self, client: OpenSearch, intercept: Callable[..., Any]) -> None:
        self._client = client
        self._intercept = intercept

    def __getattr__(self, name: str) -> Any:
        real = getattr(self._client, name)
        if not callable(real):
            return real
        return lambda *args, **given: self._intercept(name, real, *args, **given)
