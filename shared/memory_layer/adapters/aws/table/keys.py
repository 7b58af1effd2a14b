"""Keys of the items of the records table (ADR-0006): all are made here or in `lifecycle_keys`.

Tenant and project are slugs, so `#` separates the parts of a key without doubt. What callers choose freely (idempotency
keys, the names that quotas count) stands in a key as its SHA-256: a partition key holds 2,048 bytes.
"""

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from typing import Any, Final
from zlib import crc32

from memory_layer.domain.fields import rfc3339
from memory_layer.domain.memory import Ref, Scope
from memory_layer.errors import Invalid

Key = dict[str, dict[str, str]]
"""`pk` and `sk` as the low-level client wants them."""

RECORD: Final = "record"
VERSION: Final = "version#"
VERDICT: Final = "verdict#"
ANSWER_BODY: Final = "answer#"
PAIR_LINK: Final = "pair#"
RUN_RECALL: Final = "recall#"
ACCESSES: Final = "counts"
"""Sort key of a record's access counts, between its answers and its versions: they are erased with it."""

RECEIPT_SHARDS: Final = 8
"""Partitions of a project's receipts: one takes 1,000 writes a second."""

DOUBTED: Final = "doubted"
"""Partition in the index by age of active records that agents speak against; no status is called so."""

ERASED: Final = "erased"
BESIDE: Final = "beside"
AFTER_HASH: Final = "$"
"""The character after `#`: ends the range of all that begins with some text and a `#`."""

AFTER_TIMES: Final = "~"
"""After every sort key that begins with a time."""

AFTER_TEXTS: Final = "\U0010ffff"
"""After every sort key that begins with a text of a caller's own."""

AFTER_KEY: Final = "\x01"
"""Appended to a sort key: what comes after it, and before every longer one that we write."""

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
DAY_MICROSECONDS = 24 * 3_600 * 1_000_000
_EVERYONE = "-"


def project_partition(scope: Scope) -> str:
    """Partition of a project: `{p}` of ADR-0006.

    Raises:
        Invalid: tenant or project is no slug; with a `#` in it a key could reach into another project.
    """
    if not scope.tenant or not scope.project or "#" in scope.tenant or "#" in scope.project:
        raise Invalid(
            f"tenant {scope.tenant!r} and project {scope.project!r} must be slugs: letters, digits, . _ -"
        )
    return f"{scope.tenant}#{scope.project}"


def record_partition(scope: Scope, id: str) -> str:
    return f"{project_partition(scope)}#m#{id}"


def log_partition(scope: Scope) -> str:
    return f"{project_partition(scope)}#log"


def receipts_partitions(scope: Scope) -> list[str]:
    """Partitions of a project's receipts; the first is that of releases before, which had one."""
    own = f"{project_partition(scope)}#receipts"
    return [own, *(f"{own}#{shard:x}" for shard in range(RECEIPT_SHARDS))]


def receipts_partition(scope: Scope, recall_id: str) -> str:
    """Partition of one receipt: by a hash of its id, so that the recalls of a busy project are spread."""
    shard = crc32(recall_id.encode()) % RECEIPT_SHARDS
    return f"{project_partition(scope)}#receipts#{shard:x}"


def runs_partition(scope: Scope) -> str:
    return f"{project_partition(scope)}#runs"


def feedback_partition(scope: Scope) -> str:
    return f"{project_partition(scope)}#feedback"


def feedback_key(scope: Scope, name: str) -> Key:
    """Key of implicit feedback, by the name of its memory: `project/id`."""
    return item_key(feedback_partition(scope), name)


def run_partition(scope: Scope, run_id: str) -> str:
    return f"{project_partition(scope)}#r#{text_digest(run_id)}"


def run_recall_key(scope: Scope, run_id: str, recall_id: str) -> Key:
    """Key of the mark of a recall that named a run, in the run's partition."""
    return item_key(run_partition(scope, run_id), f"{RUN_RECALL}{recall_id}")


def staging_partition(scope: Scope) -> str:
    return f"{project_partition(scope)}#staging"


def record_key(scope: Scope, id: str) -> Key:
    return item_key(record_partition(scope, id), RECORD)


def version_key(scope: Scope, id: str, version: int) -> Key:
    return item_key(record_partition(scope, id), version_sort(version))


def version_sort(version: int) -> str:
    return f"{VERSION}{version:010d}"


def verdict_key(scope: Scope, memory_id: str, verdict_id: str) -> Key:
    """Key of a verdict; ids of verdicts are in order of time."""
    return item_key(record_partition(scope, memory_id), f"{VERDICT}{verdict_id}")


def answer_key(scope: Scope, key: str) -> Key:
    return item_key(f"{project_partition(scope)}#a#{text_digest(key)}", "answer")


def answer_body_key(scope: Scope, memory_id: str, key: str) -> Key:
    """Key of an answer's body, in its record's partition, so that it is erased with the record."""
    return item_key(record_partition(scope, memory_id), f"{ANSWER_BODY}{text_digest(key)}")


def log_sort(at: datetime, id: str, version: int) -> str:
    """Sort key of a change in its project's log: its time, then its record and version, so that it is unique."""
    return f"{log_position(at)}#{id}#{version}"


def log_position(at: datetime) -> str:
    return f"{microseconds(at):020d}"


def log_time(sort: str) -> datetime:
    """Time of an entry of a log, read off its sort key."""
    return EPOCH + timedelta(microseconds=int(sort[:20]))


def log_key(scope: Scope, log_sk: str) -> Key:
    return item_key(log_partition(scope), log_sk)


def claim_key(scope: Scope, content_hash: str, persona: str | None) -> Key:
    claimant = _EVERYONE if persona is None else f"@{persona}"
    return item_key(f"{project_partition(scope)}#c#{content_hash}", claimant)


def news_partition(scope: Scope) -> str:
    return f"{project_partition(scope)}#news"


def news_key(scope: Scope, announced_at: datetime, id: str) -> Key:
    return item_key(news_partition(scope), f"{log_position(announced_at)}#{id}")


def positions_key(scope: Scope, session_id: str) -> Key:
    return item_key(f"{project_partition(scope)}#s#{session_id}", "positions")


def policy_key(scope: Scope) -> Key:
    return item_key(project_partition(scope), "policy")


def receipt_key(scope: Scope, recall_id: str) -> Key:
    return item_key(receipts_partition(scope, recall_id), recall_id)


def unspread_receipt_key(scope: Scope, recall_id: str) -> Key:
    """Key that a release before this one gave a receipt."""
    return item_key(f"{project_partition(scope)}#receipts", recall_id)


def accesses_key(scope: Scope, id: str) -> Key:
    return item_key(record_partition(scope, id), ACCESSES)


def quota_key(tenant: str, key: str) -> Key:
    return item_key(f"{tenant_partition(tenant)}#q#{text_digest(key)}", "quota")


def operation_key(tenant: str, id: str) -> Key:
    return item_key(f"{tenant_partition(tenant)}#o#{id}", "operation")


def run_key(scope: Scope, run_id: str) -> Key:
    return item_key(run_partition(scope, run_id), "run")


def run_entry_key(scope: Scope, received_at: datetime, run_id: str) -> Key:
    """Key of a run's entry: by when it came, then its id as a digest, since a sort key holds 1,024 bytes."""
    return item_key(runs_partition(scope), f"{rfc3339(received_at)}#{text_digest(run_id)}")


def staged_key(scope: Scope, id: str) -> Key:
    return item_key(f"{project_partition(scope)}#t#{text_digest(id)}", "staged")


def staged_entry_key(scope: Scope, staged_at: datetime, id: str) -> Key:
    """Key of a staged learning's entry: by when it was staged, then id."""
    return item_key(staging_partition(scope), f"{rfc3339(staged_at)}#{id}")


def index_mark_key() -> Key:
    """Key of the mark of the whole table: no tenant has an empty name."""
    return item_key("##index", "built")


def age_partition(scope: Scope, status: str) -> str:
    return f"{project_partition(scope)}#{status}"


def erased_partition(scope: Scope) -> str:
    """Partition of erased records in the index by age; no status is called so."""
    return age_partition(scope, ERASED)


def listed_items_partition(owner: str) -> str:
    """Partition, in the index by age, of a project's or a tenant's items that lie in partitions of their own."""
    return f"{owner}#{BESIDE}"


def listing_attributes(owner: str, key: Key) -> dict[str, dict[str, str]]:
    """Attributes that list an item in `listed_items_partition`. Args: owner: a project's or a tenant's partition."""
    return {"age_pk": {"S": listed_items_partition(owner)}, "age_sk": {"S": text_digest(key["pk"]["S"])}}


def age_sort(created_at: datetime, id: str, expires_at: datetime | None) -> str:
    """Sort key by creation, then id; with the expiry, so that a list need not read what it cannot show."""
    return f"{rfc3339(created_at)}#{id}#{rfc3339(expires_at) if expires_at else ''}"


def content_partition(scope: Scope, content_hash: str) -> str:
    return f"{project_partition(scope)}#{content_hash}"


def session_partition(scope: Scope, session_id: str) -> str:
    return f"{project_partition(scope)}#{session_id}"


def session_sort(position: int | None, id: str, created_at: datetime) -> str:
    """Sort key by position; records without a position stand before all that have one."""
    return f"{session_position(position)}#{id}#{rfc3339(created_at)}"


def session_position(position: int | None) -> str:
    return "-" if position is None else f"{position:010d}"


def ref_of(item: Mapping[str, Any]) -> Ref:
    """Project and id of a record, read off the partition key of any of the record's items."""
    return Ref(item["pk"]["S"].split("#", 2)[1], id_of(item))


def id_of(item: Mapping[str, Any]) -> str:
    """Id of a record, read off the partition key of any of the record's items."""
    return str(item["pk"]["S"].split("#", 3)[3])


def microseconds(at: datetime) -> int:
    """Microseconds since 1970."""
    return (at - EPOCH) // timedelta(microseconds=1)


def ttl_seconds(at: datetime) -> int:
    """Seconds since 1970, rounded up: DynamoDB never deletes before the time."""
    return -((EPOCH - at) // timedelta(seconds=1))


def tenant_partition(tenant: str) -> str:
    """Partition of a tenant: that of an empty project, a name that no project has."""
    if not tenant or "#" in tenant:
        raise Invalid(f"tenant {tenant!r} must be a slug: letters, digits, . _ -")
    return f"{tenant}#"


def text_digest(text: str) -> str:
    """SHA-256 that stands in a key for a text that callers choose freely."""
    return sha256(text.encode()).hexdigest()


def item_key(partition: str, sort: str) -> Key:
    """Key of an item. Args: partition, sort: as made here or in `lifecycle_keys`."""
    return {"pk": {"S": partition}, "sk": {"S": sort}}
