"""Events that bring runs from outside: their kind, and the spellings of their fields. Standard library only.

Their JSON Schema is `run_completed.schema.json` beside this file, derived from `domain.run` and served at
/schemas/run-completed.json.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

RUN_COMPLETED: Final = "run.completed"
"""EventBridge's detail-type, and the end of a CloudEvent's type."""

SCHEMA_FILE: Final = "run_completed.schema.json"

SPELLINGS: Final[Mapping[str, str]] = {
    "loopId": "run_id",
    "loop_id": "run_id",
    "runId": "run_id",
    "currentIteration": "current_iteration",
    "memoriesUsed": "memories_used",
    "progressMade": "progress_made",
    "filesModified": "files_modified",
}
"""Other names of a run's fields, by the name that the product gives them."""
