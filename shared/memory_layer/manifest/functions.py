"""Manifest of the Lambda functions: routes, grants and resources of each. Standard library only.

CDK loops over this: one Lambda an entry, with a role of exactly these grants.
"""

from dataclasses import dataclass
from typing import Literal

from memory_layer.manifest.run_events import RUN_COMPLETED
from memory_layer.manifest.tables import CHANGES, COMPACTED, RECEIPTS, StreamLane

Grant = Literal[
    "read records",  # GetItem, BatchGetItem, Query on the records table and its indexes
    "write records",  # PutItem, UpdateItem, DeleteItem, ConditionCheckItem (transactions are made of these)
    "scan records",  # Scan: the rebuild alone
    "read clients",
    "search index",  # POST {read alias}/_search and _msearch
    "write index",  # POST _bulk; make an index, and ask what is there
    "rebuild index",  # search, refresh, mark and drop any index of ours; move the aliases
    "keep answers",  # answers too large for Lambda: put, and sign a link, which reads with its signer's rights
    "keep operations",  # input and results of work that outlives its request: put, get, list, delete
    "keep snapshots",  # put, get, list and delete snapshots
    "keep erasures",  # the ledger of erasures: put, get, list
    "keep histories",  # iterations of runs: put, get, list, delete
    "keep rollbacks",  # the ledger of rollbacks: put, get, list
    "read bodies",  # contents in bodies of their own: get, list, request their return from Deep Archive
    "keep bodies",  # the same, and put and delete them
    "publish events",
    "tell changes",  # the same, of what the audit log has
]
Layer = Literal["base", "onnx"]

RECORD_CHANGE_GRANTS: tuple[Grant, ...] = (
    *("read records", "write records", "keep bodies"),
    *("search index", "publish events"),
)
"""Grants of functions that change records: a change may alter the contexts of turns around it, via the bus."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Function:
    """Lambda function; its code is `functions/{name}/handler.py`. Times in seconds, memory in MB.

    `tags` are those of its routes in openapi.json, `routes` are beside it; `events` the kinds of event that reach it
    by the bus, `queued_events` those that wait for it in a queue, as they come from outside and in bursts; `own_queue`
    names a queue that it fills for itself; `stream`: the events of the records table's stream that reach it; `faces`:
    the rooms that it alone carries.
    """

    name: str
    grants: tuple[Grant, ...]
    memory_mb: int
    timeout_s: int
    tags: tuple[str, ...] = ()
    routes: tuple[str, ...] = ()
    faces: tuple[str, ...] = ()
    events: tuple[str, ...] = ()
    queued_events: tuple[str, ...] = ()
    own_queue: str | None = None
    stream: StreamLane | None = None
    layers: tuple[Layer, ...] = ("base",)
    reserved_concurrency: int = 10

    @property
    def embeds(self) -> bool:
        """True if the function carries the embedding model."""
        return "onnx" in self.layers


FUNCTIONS = (
    Function(
        name="memories",
        tags=("memories", "stores", "runs", "data", "settings", "operations", "service"),
        grants=(
            *RECORD_CHANGE_GRANTS,
            *("keep answers", "keep operations", "keep snapshots", "keep erasures", "keep rollbacks"),
            "keep histories",
        ),
        layers=("base", "onnx"),
        memory_mb=1024,
        timeout_s=28,
        reserved_concurrency=50,
    ),
    Function(
        name="recall",
        tags=("recall",),
        grants=(
            *("read records", "read bodies", "write records", "search index", "keep answers"),
            "publish events",  # the content of a record recalled often returns from its body to the record
        ),
        layers=("base", "onnx"),
        memory_mb=1769,  # one whole vCPU: the query is embedded while the caller waits
        timeout_s=15,
        reserved_concurrency=100,
    ),
    Function(
        name="context",
        tags=("context",),
        grants=(
            *("read records", "read bodies", "write records", "search index", "keep answers"),
            "publish events",  # as recall: the content of a record shown often returns to the record
        ),
        layers=("base", "onnx"),
        memory_mb=1769,  # one whole vCPU: the intent is embedded and the page counted while the caller waits
        timeout_s=28,  # the longest time budget, and a second to answer
        reserved_concurrency=100,
    ),
    Function(
        name="approve",
        tags=("reviews",),
        grants=(*RECORD_CHANGE_GRANTS, "keep answers"),
        layers=("base", "onnx"),  # promoted learnings are embedded
        memory_mb=1024,
        timeout_s=28,
    ),
    Function(
        name="outcome",
        tags=("learning",),
        grants=(*RECORD_CHANGE_GRANTS, "keep answers"),
        layers=(
            "base",
            "onnx",
        ),  # removal of a turn changes the contexts of turns around it, which are embedded again
        memory_mb=1024,
        timeout_s=28,
    ),
    Function(
        name="mcp",
        routes=(
            *(
                "POST /mcp",
                "GET /mcp",
                "DELETE /mcp",
            ),  # the last two answer what there is not: streams and sessions
            *("GET /.well-known/oauth-protected-resource", "GET /.well-known/oauth-protected-resource/mcp"),
        ),
        faces=("mcp",),
        grants=(*RECORD_CHANGE_GRANTS, "keep answers", "keep histories"),
        layers=("base", "onnx"),
        memory_mb=1769,  # as recall: most calls are searches
        timeout_s=28,
        reserved_concurrency=50,
    ),
    Function(
        name="background",
        events=("session.extended", "operation.accepted", "memories.warmed"),
        grants=(
            *RECORD_CHANGE_GRANTS,
            *("keep operations", "keep snapshots", "keep erasures", "keep rollbacks", "keep histories"),
        ),
        layers=("base", "onnx"),
        memory_mb=1769,
        timeout_s=600,
        reserved_concurrency=5,
    ),
    Function(
        name="runs",
        queued_events=(RUN_COMPLETED,),
        grants=(*RECORD_CHANGE_GRANTS, "keep histories"),
        layers=("base", "onnx"),
        memory_mb=1769,
        timeout_s=120,
        reserved_concurrency=5,
    ),
    Function(
        name="sweep",  # called by manifest/schedules.py
        own_queue="sweeps",
        grants=(
            *RECORD_CHANGE_GRANTS,
            "write index",
            "keep snapshots",
            "keep erasures",
        ),  # reconcile repairs the index
        layers=(
            "base",
            "onnx",
        ),  # words of an expired turn are removed from the contexts of others, which are embedded again
        memory_mb=1769,
        timeout_s=900,
    ),
    Function(
        name="projector",
        stream=CHANGES,
        grants=(
            *("read records", "write records", "keep bodies", "write index"),  # finishes erasures, too
            "tell changes",
        ),
        memory_mb=512,
        timeout_s=60,
    ),
    Function(
        name="accesses",
        stream=RECEIPTS,
        grants=("read records", "write records"),
        memory_mb=512,
        timeout_s=120,  # 4,000 receipts show 40,000 memories at most, each a write of its own, sixteen at a time
    ),
    Function(
        name="reindex",
        grants=("read records", "read bodies", "scan records", "write index", "rebuild index"),
        memory_mb=1024,
        timeout_s=900,
        reserved_concurrency=1,
    ),
    Function(
        name="canary",  # called by manifest/schedules.py
        grants=(  # it erases what it has stored, as background does
            *RECORD_CHANGE_GRANTS,
            *("keep operations", "keep snapshots", "keep erasures", "keep rollbacks", "keep histories"),
        ),
        layers=("base", "onnx"),
        memory_mb=1024,
        timeout_s=60,
        reserved_concurrency=1,
    ),
    Function(
        name="claims",
        grants=("read clients",),
        memory_mb=1024,  # of Cognito's 5 s a cold start takes seconds at less, and a time-out starts cold again
        timeout_s=5,
    ),
)

COMPACTOR = Function(
    name="compactor",
    stream=COMPACTED,
    grants=(
        *("read records", "write records", "keep bodies", "write index"),  # finishes erasures, too
        "tell changes",
    ),
    memory_mb=1769,  # one whole vCPU: a large project's segments are merged in one batch
    timeout_s=60,
)
"""Function in the projector's place where there is no search domain."""

SMALL_FUNCTIONS = tuple(COMPACTOR if function.name == "projector" else function for function in FUNCTIONS)
"""Functions of a deployment without a search domain."""


def function_of(tag: str) -> str:
    """Name of the function that serves the routes of a tag.

    Raises:
        LookupError: no function serves the tag.
    """
    for function in FUNCTIONS:
        if tag in function.tags:
            return function.name
    raise LookupError(f"no function serves tag {tag!r}; add it in manifest/functions.py")
