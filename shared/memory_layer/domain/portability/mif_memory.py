"""Records as memories of the Memory Interchange Format 2.0, and back without loss.

What MIF has a member for stands there, for any reader of the format. All other fields of a record stand under the
memory's id in `vendor_extensions.memory-layer.memory_metadata`, which the format asks every system to keep.

Source: MIF 2.0, https://github.com/varun29ankuS/mif-spec (spec/mif-v2.md, sections 2 and 4).
"""

import re
from collections.abc import Mapping
from typing import Any, Final
from uuid import NAMESPACE_URL, UUID, uuid5

from memory_layer.domain.memory import Memory
from memory_layer.domain.portability.sparse_record import sparse_record

MIF_VERSION: Final = "2.0"
SYSTEM: Final = "memory-layer"
"""Name of this system in `generator` and `vendor_extensions`."""

EXTENSIONS: Final = "vendor_extensions"
BY_MEMORY: Final = "memory_metadata"

_GENERATED: Final = re.compile(r"mem_([0-9a-f]{32})")
_KEPT: Final[tuple[str, ...]] = ("content", "created_at", "updated_at", "tags", "version")
"""Fields that a memory of MIF has under the same names, as they are."""


def mif_id(id: str) -> str:
    """UUID of a memory's id: the one that a generated id is made of; of any other id always the same one."""
    generated = _GENERATED.fullmatch(id)
    return str(UUID(generated[1]) if generated else uuid5(NAMESPACE_URL, f"{SYSTEM}:{id}"))


def to_mif(memory: Memory) -> tuple[dict[str, Any], dict[str, Any]]:
    """Serializes a record as a memory of MIF, and as its entry among the vendor extensions."""
    document = sparse_record(memory)
    kept: dict[str, Any] = {name: document.pop(name) for name in _KEPT if name in document}
    entities, id = document.pop("entities", []), document.pop("id")
    shown: dict[str, Any] = {
        "id": mif_id(id),
        **kept,
        "memory_type": _memory_type(memory),
        "entities": [{"name": name, "entity_type": _entity_type(name)} for name in entities],
        "metadata": {"score": memory.confidence, "category": memory.category, "status": memory.status},
        "source": _source(memory),
        "parent_id": mif_id(memory.supersedes) if memory.supersedes else None,
        "related_memory_ids": _related(memory),
        "external_id": id,
    }
    return {name: value for name, value in shown.items() if value not in (None, [])}, document


def from_mif(mif: Mapping[str, Any], extension: Mapping[str, Any]) -> dict[str, Any]:
    """Builds the record document of a memory that `to_mif` made. Args: extension: its entry among the extensions."""
    kept = {name: mif[name] for name in _KEPT if name in mif}
    named = {"id": mif.get("external_id")}
    listed = mif.get("entities")
    entities = (
        [one.get("name") for one in listed if isinstance(one, Mapping)] if isinstance(listed, list) else []
    )
    return {**extension, **named, **kept, **({"entities": entities} if entities else {})}


def _memory_type(memory: Memory) -> str:
    return "decision" if memory.category == "decision" else memory.type


def _entity_type(name: str) -> str:
    """Namespace of a URN: of `urn:service:billing` it is `service`."""
    return name.split(":")[1] if name.count(":") > 1 and name.startswith("urn:") else "unknown"


def _source(memory: Memory) -> dict[str, str]:
    session = {"session_id": memory.session_id} if memory.session_id else {}
    return {"source_type": memory.source, "agent_name": memory.created_by, **session}


def _related(memory: Memory) -> list[str]:
    """UUIDs of the memories that a record points to; targets that are names of things are left to the extension."""
    targets = [relation.target for relation in memory.relations if _GENERATED.fullmatch(relation.target)]
    return [mif_id(target) for target in dict.fromkeys(targets)]
