"""Tables of the cloud: keys, indexes and the query that each serves. Standard library only.

One table holds all data of every project; tenant and project lead every partition key, so that no query can
reach across. `adapters/aws/table/keys.py` makes the keys of its items, ADR-0006 explains them.
"""

from dataclasses import dataclass
from typing import Any, Final

RECORD_SORT_KEY: Final = "record"
"""Sort key of record items, tombstones included; versions, verdicts, answers and log entries have others."""

RECEIPT_SORT_PREFIX: Final = "rcl_"
"""Prefix of the sort keys of recall receipts: each counts one access of its memories."""

_NOT_DELETED: Final = {"pk": {"S": [{"exists": True}]}}
"""Filter against deletions, by TTL or by hand, which have no new image."""

FILTERS: Final[tuple[dict[str, Any], ...]] = (
    {"dynamodb": {"Keys": {"sk": {"S": [RECORD_SORT_KEY]}}, "NewImage": _NOT_DELETED}},
    {"dynamodb": {"NewImage": {"audit": {"S": [{"exists": True}]}}}},
)
"""Filter patterns of Lambda for what the index follows; a change that matches any of them is delivered."""

RECEIPT_FILTERS: Final[tuple[dict[str, Any], ...]] = (
    {"dynamodb": {"Keys": {"sk": {"S": [{"prefix": RECEIPT_SORT_PREFIX}]}}, "NewImage": _NOT_DELETED}},
)
"""Filter patterns for what counts accesses: by itself, so that no change of the index ever waits behind a recall."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StreamLane:
    """Events of the table's stream that one function takes.

    Args:
        filters: what is delivered.
        batch_size: events in a batch, at most.
        window_s: how long a batch that is not full waits for more.
        per_shard: batches of a shard at a time.
    """

    filters: tuple[dict[str, Any], ...]
    batch_size: int
    window_s: int
    per_shard: int


CHANGES: Final = StreamLane(filters=FILTERS, batch_size=100, window_s=0, per_shard=2)
"""Changes: a bulk request of at most some 10 MB, for a record is rarely above 100 KB. A new table on demand has four
shards, so eight batches at a time, under the projector's reserved concurrency."""

COMPACTED: Final = StreamLane(filters=FILTERS, batch_size=500, window_s=5, per_shard=1)
"""Changes for segments: each batch writes a segment and a manifest of each project in it, so few large ones cost less;
recalls read the log meanwhile."""

RECEIPTS: Final = StreamLane(filters=RECEIPT_FILTERS, batch_size=4_000, window_s=300, per_shard=1)
"""Receipts of recalls: the more are counted together, the fewer writes (a batch writes each memory's count once), so
they are counted within five minutes, or as soon as there are 4,000: as events those have Lambda's 6 MB."""


@dataclass(frozen=True, slots=True)
class Index:
    """Global secondary index of keys: hits are re-read from the table, strongly consistent.

    `includes` names the attributes that it has beside the keys.
    """

    name: str
    partition_key: str
    sort_key: str
    serves: str
    includes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """Table on demand, encrypted, with point-in-time recovery. `ttl` names the attribute in seconds since 1970."""

    name: str
    partition_key: str
    sort_key: str | None = None
    ttl: str | None = None
    has_stream: bool = False
    indexes: tuple[Index, ...] = ()


BY_AGE: Final = Index(
    "by_age",
    "age_pk",
    "age_sk",
    serves="GET /memories, GET /reviews: a project's records of one status by creation time, then id;"
    " reconcile: the version of every record, with the erased ones",
    includes=("version",),
)
BY_CONTENT: Final = Index(
    "by_content",
    "content_pk",
    "content_sk",
    serves="POST /memories: active records of a project with exactly this content",
)
BY_SESSION: Final = Index(
    "by_session",
    "session_pk",
    "session_sk",
    serves="POST, GET /sessions/{id}/turns: a conversation's records by position; GET /sessions: the conversations",
)
BY_DUE: Final = Index(
    "by_due",
    "due_pk",
    "due_sk",
    serves="sweeps: what of all tenants is due by the clock, by day and eight shards a day; all else is not in it",
)

RECORDS: Final = Table(
    name="records",
    partition_key="pk",
    sort_key="sk",
    ttl="expires_s",
    has_stream=True,
    indexes=(BY_AGE, BY_CONTENT, BY_SESSION, BY_DUE),
)
CLIENTS: Final = Table(name="clients", partition_key="client_id")
"""Table of machine clients: tenant, personas, roles, e-mail, right to act for users, read to make tokens."""

TABLES: Final = (RECORDS, CLIENTS)
