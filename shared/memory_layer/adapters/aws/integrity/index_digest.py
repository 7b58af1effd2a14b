"""Digests of sets of documents, compared without comparing each: counts by project, digests by bucket."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from opensearchpy import OpenSearch

from memory_layer.adapters.aws.search.documents import Document
from memory_layer.adapters.aws.search.opensearch_client import WHOLE_ANSWER, opensearch_errors
from memory_layer.domain.memory import Scope

BUCKET_WIDTH = 2**21
"""Width of a bucket of the 31 bits of `key_hash`: 1,024 buckets."""

_PROJECT_PAGE = 1_000


@dataclass(slots=True)
class IndexDigest:
    """Digest of a set of documents.

    Args:
        records: by project, tombstones left out.
        documents: by bucket.
        versions: by bucket, the sum of `version_hash`.
    """

    records: Counter[Scope] = field(default_factory=Counter)
    documents: Counter[int] = field(default_factory=Counter)
    versions: Counter[int] = field(default_factory=Counter)

    def add(self, document: Document) -> None:
        bucket = document["key_hash"] // BUCKET_WIDTH
        self.documents[bucket] += 1
        self.versions[bucket] += document["version_hash"]
        if not document["is_tombstone"]:
            self.records[Scope(document["tenant"], document["project"])] += 1

    @classmethod
    def total(cls, parts: Iterable[IndexDigest]) -> IndexDigest:
        whole = cls()
        for part in parts:
            whole.records += part.records
            whole.documents += part.documents
            whole.versions += part.versions
        return whole


def index_digest(client: OpenSearch, name: str) -> IndexDigest:
    """Digest of the documents that can be found in an index.

    Raises:
        IndexUnavailable: it cannot be asked.
    """
    with opensearch_errors(f"counting what is in {name}"):
        answer = client.search(index=name, body=_buckets_body(), params=WHOLE_ANSWER)
        found = answer["aggregations"]["buckets"]
        numbered = [(int(bucket["key"]) // BUCKET_WIDTH, bucket) for bucket in found["buckets"]]
        return IndexDigest(
            Counter(dict(_project_counts(client, name))),
            Counter({number: bucket["doc_count"] for number, bucket in numbered}),
            Counter({number: int(bucket["versions"]["value"]) for number, bucket in numbered}),
        )


def _project_counts(client: OpenSearch, name: str) -> Iterator[tuple[Scope, int]]:
    after: Mapping[str, str] | None = {}
    while after is not None:
        found = client.search(index=name, body=_projects_body(after), params=WHOLE_ANSWER)["aggregations"][
            "projects"
        ]
        for bucket in found["buckets"]:
            yield Scope(bucket["key"]["tenant"], bucket["key"]["project"]), bucket["doc_count"]
        after = found.get("after_key")


def _buckets_body() -> dict[str, Any]:
    buckets = {"field": "key_hash", "interval": BUCKET_WIDTH, "min_doc_count": 1}
    versions = {"versions": {"sum": {"field": "version_hash"}}}
    return {"size": 0, "aggs": {"buckets": {"histogram": buckets, "aggs": versions}}}


def _projects_body(after: Mapping[str, str]) -> dict[str, Any]:
    pages: dict[str, Any] = {
        "size": _PROJECT_PAGE,
        "sources": [{name: {"terms": {"field": name}}} for name in ("tenant", "project")],
    }
    if after:
        pages["after"] = dict(after)
    return {
        "size": 0,
        "query": {"term": {"is_tombstone": False}},
        "aggs": {"projects": {"composite": pages}},
    }
