"""Events that report runs from outside: their kind, and the spellings of their fields. Standard library only.

Their JSON Schema is `run_completed.schema.json` beside this file, derived from `domain.learning.run` and served at
/schemas/run-completed.json.
"""

from collections.abc import Mapping
from typing import Final

RUN_COMPLETED: Final = "run.completed"
"""Kind of event: EventBridge's detail-type, and the end of a CloudEvent's type."""

SCHEMA_FILE: Final = "run_completed.schema.json"

_EDGE: Final = r"[^\x00-\x20\x7f/?#\\%\ud800-\udfff]"
RUN_ID: Final = rf"(?!\.{{1,2}}$){_EDGE}([^\x00-\x1f\x7f/?#\\%\ud800-\udfff]*{_EDGE})?"
"""Pattern of a run's id, which is a part of its URL: without characters that a server or a browser would interpret."""

RUN_ID_RULE: Final = (
    "a run's id is a part of its URL: no slash, ? # % or backslash, no blank at its ends, not . or .."
)

SPELLINGS: Final[Mapping[str, str]] = {
    "loopId": "run_id",
    "loop_id": "run_id",
    "runId": "run_id",
    "currentIteration": "current_iteration",
    "memoriesUsed": "memories_used",
    "recallIds": "recall_ids",
    "progressMade": "progress_made",
    "filesModified": "files_modified",
}
"""Names of a run's fields in the product, by the alternative names that reports use."""
