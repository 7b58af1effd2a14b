"""Lambda `reindex`: builds a new index from the records, swapped in once it is whole."""

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from functions.wiring import cloud
from memory_layer.edge.events.function_frame import EventFunction
from memory_layer.edge.events.observability import Observability


def _work(_: Mapping[str, Any], watch: Observability) -> Any:
    report = asdict(cloud().rebuild())
    # Why a document was refused may quote it: the caller is told, the log has the number.
    watch.tell("rebuilt", **{**report, "refused": len(report["refused"])})
    return report


handler = EventFunction("reindex", _work)
