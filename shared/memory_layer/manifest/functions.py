"""The functions: which routes each has, what it needs and may touch. Standard library only.

CDK loops over this: one Lambda an entry, with a role of exactly these grants.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Grant = Literal[
    "read records",  # GetItem, BatchGetItem, Query on the records table and its indexes
    "write records",  # PutItem, UpdateItem, DeleteItem, ConditionCheckItem (transactions are made of these)
    "scan records",  # Scan: the rebuild alone
    "read clients",
    "search index",  # POST _msearch, _search; GET
    "write index",  # POST _bulk, PUT mappings and aliases, DELETE an index
    "read blobs",  # GetObject; a link to an answer is good for as much as who signed it may read
    "write blobs",  # PutObject, DeleteObject
    "publish events",
]
Layer = Literal["base", "onnx"]

SERVES: tuple[Grant, ...] = (
    *("read records", "write records", "search index"),
    *("read blobs", "write blobs", "publish events"),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Function:
    """One Lambda; its code is `functions/{name}/handler.py`. Times in seconds, memory in MB.

    `tags` are those of its routes in openapi.json; `events` the kinds of event that reach it by the bus;
    `reads_stream` says that the records table's stream does.
    """

    name: str
    grants: tuple[Grant, ...]
    memory_mb: int
    timeout_s: int
    tags: tuple[str, ...] = ()
    events: tuple[str, ...] = ()
    reads_stream: bool = False
    layers: tuple[Layer, ...] = ("base",)
    reserved_concurrency: int = 10

    @property
    def embeds(self) -> bool:
        """Whether it carries the embedding model."""
        return "onnx" in self.layers


FUNCTIONS = (
    Function(
        name="memories",
        tags=("memories", "settings", "operations", "service"),
        grants=SERVES,
        layers=("base", "onnx"),
        memory_mb=1024,
        timeout_s=28,
        reserved_concurrency=50,
    ),
    Function(
        name="recall",
        tags=("recall",),
        grants=SERVES,
        layers=("base", "onnx"),
        memory_mb=1769,  # one whole vCPU: the query is embedded while the caller waits
        timeout_s=15,
        reserved_concurrency=100,
    ),
    Function(name="approve", tags=("reviews",), grants=SERVES, memory_mb=512, timeout_s=15),
    Function(name="outcome", tags=("learning",), grants=SERVES, memory_mb=512, timeout_s=10),
    Function(
        name="background",
        events=("session.extended", "batch.accepted"),
        grants=SERVES,
        layers=("base", "onnx"),
        memory_mb=1769,
        timeout_s=600,
        reserved_concurrency=5,
    ),
    Function(
        name="projector",
        reads_stream=True,
        grants=("read records", "write records", "write index"),
        memory_mb=512,
        timeout_s=60,
    ),
    Function(
        name="reindex",
        grants=("read records", "scan records", "search index", "write index"),
        memory_mb=1024,
        timeout_s=900,
        reserved_concurrency=1,
    ),
    Function(name="claims", grants=("read clients",), memory_mb=256, timeout_s=5),
)


def function_of(tag: str) -> str:
    """The function that serves the routes of a tag.

    Raises:
        LookupError: none does.
    """
    for function in FUNCTIONS:
        if tag in function.tags:
            return function.name
    raise LookupError(f"no function serves tag {tag!r}; add it in manifest/functions.py")
