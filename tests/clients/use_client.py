"""A program over the Python client that openapi-python-client makes; prints what it was answered as JSON.

It runs in an environment of its own: `python use_client.py URL`, with the folder of the package `memory_client` on the
path.
"""

import json
import sys
from io import BytesIO

from memory_client import Client
from memory_client.api.data import export_project, import_project
from memory_client.api.memories import create_memories, create_memory, get_memory, list_memories
from memory_client.api.recall import recall
from memory_client.models import (
    BatchAnswer,
    BatchLine,
    Category,
    FilterFields,
    ImportReport,
    MemoryType,
    NewMemory,
    OnDuplicate,
    Problem,
    RecallAnswer,
    RecallQuery,
    SimilarMemory,
    StoredAnswer,
)
from memory_client.models.list_memories_page_answer import ListMemoriesPageAnswer
from memory_client.types import File

SAID = "The queue keeps messages for four days."


def main(url: str) -> None:
    client = Client(base_url=url)
    said = NewMemory(content=SAID, type_=MemoryType.LEARNING, category=Category.ENVIRONMENT, tags=["queue"])
    first = create_memory.sync_detailed("web", client=client, body=said, idempotency_key="once")
    again = create_memory.sync_detailed("web", client=client, body=said, idempotency_key="once")
    assert isinstance(first.parsed, StoredAnswer)
    assert isinstance(again.parsed, StoredAnswer)

    lines = [
        BatchLine(content="Deploy after the migrations.", category=Category.CONVENTION),
        BatchLine(content="Ports are named in the runbook."),
    ]
    batch = create_memories.sync("web", client=client, body=lines)
    assert isinstance(batch, BatchAnswer)

    page = list_memories.sync("web", client=client, category=[Category.ENVIRONMENT, Category.CONVENTION])
    assert isinstance(page, ListMemoriesPageAnswer)
    found = recall.sync(
        "web",
        client=client,
        body=RecallQuery(query="How long are messages kept?", filters=FilterFields(tags=["queue"])),
    )
    assert isinstance(found, RecallAnswer)

    export = export_project.sync_detailed("web", client=client).content
    imported = import_project.sync("copy", client=client, body=File(BytesIO(export)))
    assert isinstance(imported, ImportReport)

    missing = get_memory.sync("web", "mem_missing", client=client)
    assert isinstance(missing, Problem)
    twice = create_memory.sync(
        "web", client=client, body=NewMemory(content=SAID, on_duplicate=OnDuplicate.ASK)
    )
    assert isinstance(twice, Problem)
    assert isinstance(twice.duplicate_of, SimilarMemory)
    told = {
        "same_id": first.parsed.id == again.parsed.id,
        "replayed": again.headers["idempotent-replayed"],
        "receipt": first.parsed.receipt.durable,
        "batch": [line.status for line in batch.results],
        "listed": sorted(memory.category.value for memory in page.memories),
        "recalled": [memory.content for memory in found.memories],
        "signals": found.memories[0].signals.semantic > 0,
        "imported": imported.imported,
        "missing": missing.status,
        "twice": [twice.status, twice.type_, twice.duplicate_of.id == first.parsed.id],
    }
    print(json.dumps(told))


if __name__ == "__main__":
    main(sys.argv[1])
