"""A project's documents in the searched index: digests by bucket, and id and version of each; no body."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

from memory_layer.adapters.aws.integrity.index_digest import BUCKET_WIDTH
from memory_layer.adapters.aws.search.aliases import IndexNames, WriteTarget
from memory_layer.adapters.aws.search.documents import document_id
from memory_layer.adapters.aws.search.opensearch_client import (
    WHOLE_ANSWER,
    opensearch_errors,
    slow_request_params,
)
from memory_layer.domain.memory import Scope
from memory_layer.errors import IndexUnavailable
from memory_layer.manifest import index

PAGE_ENTRIES: Final = 1_000
REQUEST_LINES: Final = 500

_GONE_OR_CHANGED: Final = (404, 409)


class DigestBucket(NamedTuple):
    """Digest of a range of `key_hash`.

    Args:
        versions: the sum of `version_hash`.
        tombstones: how many of the documents are some.
        lost_ties: of its documents, how many are not there any more.
    """

    documents: int
    versions: int
    tombstones: int
    lost_ties: int = 0

    def with_one(self, version_hash: int, is_tombstone: bool) -> DigestBucket:
        return DigestBucket(self.documents + 1, self.versions + version_hash, self.tombstones + is_tombstone)


@dataclass(frozen=True, slots=True)
class IndexEntry:
    """Id and version of a document.

    Args:
        place: the write that made it: it is deleted only if no other came after.
        has_ties: all that it was made with.
    """

    id: str
    version: int
    is_tombstone: bool
    place: tuple[int, int]
    has_ties: bool = True


class IndexEntryReader:
    """Reader of the searched index, by the alias that it is searched by."""

    def __init__(self, names: IndexNames) -> None:
        self._names = names

    def digest(self, scope: Scope) -> dict[int, DigestBucket]:
        """Digests by number of the bucket.

        Raises:
            IndexUnavailable: it cannot be asked.
        """
        found = self._search(_digest_body(scope))["aggregations"]["buckets"]["buckets"]
        return {int(bucket["key"]) // BUCKET_WIDTH: _bucket(bucket) for bucket in found}

    def of(self, scope: Scope, buckets: Collection[int]) -> Iterator[IndexEntry]:
        """Yields every document in these buckets.

        Raises:
            IndexUnavailable: it cannot be asked.
        """
        for first, last in _stretches(sorted(buckets)):
            after: Sequence[Any] | None = None
            while True:
                hits = self._search(_entries_body(scope, first, last, after))["hits"]["hits"]
                yield from map(_entry, hits)
                if len(hits) < PAGE_ENTRIES:
                    break
                after = hits[-1]["sort"]

    def remove(self, scope: Scope, entries: Sequence[IndexEntry]) -> None:
        """Deletes documents of ids that the store never knew, unless they were written anew meanwhile.

        Raises:
            IndexUnavailable: some may be there still.
        """
        if not entries:
            return
        searched = self._names.read_from()
        for target in self._names.targets():
            for start in range(0, len(entries) if target.name in searched else 0, REQUEST_LINES):
                self._delete(scope, target, entries[start : start + REQUEST_LINES])

    def _delete(self, scope: Scope, target: WriteTarget, entries: Sequence[IndexEntry]) -> None:
        alias = target.own_alias
        lines = "".join(f"{json.dumps(_deletion(scope, target, entry))}\n" for entry in entries)
        with opensearch_errors(f"deleting from {alias}"):
            answer = self._names.client.bulk(body=lines, params=slow_request_params(refresh="wait_for"))
        statuses = {item["delete"]["status"] for item in answer["items"]}
        if failed := [status for status in statuses if status >= 300 and status not in _GONE_OR_CHANGED]:
            raise IndexUnavailable(
                f"{alias} did not delete documents (status {failed[0]}); the next run goes on"
            )

    def _search(self, body: Mapping[str, Any]) -> Any:
        alias = self._names.read_alias
        with opensearch_errors(f"comparing {alias}"):
            answer = self._names.client.search(index=alias, body=body, params=WHOLE_ANSWER)
        if answer["timed_out"] or answer["_shards"]["failed"]:
            raise IndexUnavailable(
                f"{alias} did not answer in full; try again, and look at the domain's health"
            )
        return answer


def _of_project(scope: Scope) -> list[dict[str, Any]]:
    """Filter for the documents of a project, tombstones too."""
    return [{"term": {"tenant": scope.tenant}}, {"term": {"project": scope.project}}]


def _digest_body(scope: Scope) -> dict[str, Any]:
    buckets = {"field": "key_hash", "interval": BUCKET_WIDTH, "min_doc_count": 1}
    sums = {
        "versions": {"sum": {"field": "version_hash"}},
        "tombstones": {"filter": {"term": {"is_tombstone": True}}},
        "ties": {"sum": {"field": index.TIES}},
        "mentions": {"value_count": {"field": index.MENTIONS}},
    }
    return {
        "size": 0,
        "track_total_hits": False,
        "query": {"bool": {"filter": _of_project(scope)}},
        "aggs": {"buckets": {"histogram": buckets, "aggs": sums}},
    }


def _entries_body(scope: Scope, first: int, last: int, after: Sequence[Any] | None) -> dict[str, Any]:
    # the end of the last bucket is no integer of OpenSearch any more
    inside = {"gte": first * BUCKET_WIDTH, "lte": (last + 1) * BUCKET_WIDTH - 1}
    body: dict[str, Any] = {
        "size": PAGE_ENTRIES,
        "track_total_hits": False,
        "query": {"bool": {"filter": [*_of_project(scope), {"range": {"key_hash": inside}}]}},
        "sort": [{"key_hash": "asc"}, {"id": "asc"}],
        "_source": False,
        "docvalue_fields": ["id", "version", "is_tombstone", index.TIES, index.MENTIONS],
        "seq_no_primary_term": True,
    }
    return body if after is None else {**body, "search_after": list(after)}


def _bucket(found: Mapping[str, Any]) -> DigestBucket:
    """Bucket of an aggregation; documents of an older mapping do not say how many ties they were made with."""
    lost_ties = max(0, int(found["ties"]["value"]) - found["mentions"]["value"])
    return DigestBucket(
        found["doc_count"], int(found["versions"]["value"]), found["tombstones"]["doc_count"], lost_ties
    )


def _entry(hit: Mapping[str, Any]) -> IndexEntry:
    fields = hit["fields"]
    return IndexEntry(
        id=fields["id"][0],
        version=fields["version"][0],
        is_tombstone=fields["is_tombstone"][0],
        place=(hit["_seq_no"], hit["_primary_term"]),
        has_ties=len(fields.get(index.MENTIONS, ())) >= sum(fields.get(index.TIES, ())),
    )


def _stretches(numbers: Sequence[int]) -> Iterator[tuple[int, int]]:
    """First and last of each run of neighbours."""
    first: int | None = None
    for number, following in zip(numbers, [*numbers[1:], None], strict=True):
        first = number if first is None else first
        if following != number + 1:
            yield first, number
            first = None


def _deletion(scope: Scope, target: WriteTarget, entry: IndexEntry) -> dict[str, Any]:
    """Deletion without an external version: with one, a dropped index would come back, bare."""
    number, term = entry.place
    name = document_id(scope, entry.id)
    place = {"_index": target.own_alias, "_id": name, **target.routing(scope)}
    return {"delete": {**place, "if_seq_no": number, "if_primary_term": term}}
