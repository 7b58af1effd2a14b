"""Items of runs and of staged learnings: one for each, and an entry in its project's order.

An index cannot be read strongly consistent, and a project's staged learnings are asked for by id as well as by status
and age. So what is kept lies under its id, in a partition of its own, and in one partition of the project lies an entry
for it, under `{time}#{id}`, that says no more than a list or a count has to know: 130 bytes. Both are written in one
transaction. The time never changes, and so the entry never moves: a change of status takes two actions, as anything
else does, needs not be told the status before, and no two learnings share an item that they could contend for. What it
costs: who asks for one status reads past the entries of the others (some 8,000 to the megabyte), which DynamoDB filters
and which go 30 days after the decision; and a transaction's 100 actions hold a run, 48 learnings and
what they tell the audit log.

A partition for each status would spare reading past the others, for three actions a change and a look at the status
before; ids in the sort key alone would take one action, and a list would read and sort all there is.
"""

from typing import Final

from memory_layer.adapters.aws.table import keys
from memory_layer.adapters.aws.table.collection_items import attributes
from memory_layer.adapters.aws.table.record_items import Value, text_attributes, with_digest
from memory_layer.adapters.aws.table.request_items import ttl_attribute
from memory_layer.adapters.stored_form import learning_fields
from memory_layer.domain.fields import rfc3339
from memory_layer.domain.learning.implicit_feedback import ImplicitFeedback
from memory_layer.domain.learning.run import RunRecord
from memory_layer.domain.learning.staging import StagedLearning
from memory_layer.domain.memory import Scope

RUN: Final = "run"
FEEDBACK: Final = "feedback"
STAGED: Final = "staged"
STAGING_ENTRY: Final = "entry"


def run_item(scope: Scope, record: RunRecord) -> dict[str, Value]:
    return with_digest(
        {**keys.run_key(scope, record.run_id), "kind": {"S": RUN}, **attributes(learning_fields.RUNS, record)}
    )


def run_entry(scope: Scope, record: RunRecord) -> dict[str, Value]:
    where = keys.run_entry_key(scope, record.received_at, record.run_id)
    return with_digest({**where, **text_attributes({"kind": STAGING_ENTRY, "id": record.run_id})})


def feedback_item(scope: Scope, feedback: ImplicitFeedback) -> dict[str, Value]:
    """Item of implicit feedback: all of a project lies in one partition, in the order of the memories' names."""
    where = keys.feedback_key(scope, feedback.memory)
    fields = attributes(learning_fields.FEEDBACK, feedback)
    return with_digest({**where, "kind": {"S": FEEDBACK}, **fields})


def staged_item(scope: Scope, staged: StagedLearning) -> dict[str, Value]:
    where = keys.staged_key(scope, staged.id)
    return with_digest(
        {**where, "kind": {"S": STAGED}, **attributes(learning_fields.STAGED, staged), **_end(staged)}
    )


def staged_entry(scope: Scope, staged: StagedLearning) -> dict[str, Value]:
    """Entry of a staged learning, with all that decides on its being listed or counted."""
    named = {"kind": STAGING_ENTRY, "id": staged.id, "status": staged.status, "persona": staged.persona}
    where = keys.staged_entry_key(scope, staged.staged_at, staged.id)
    return with_digest({**where, **text_attributes(named), **_end(staged)})


def _end(staged: StagedLearning) -> dict[str, Value]:
    """Expiry, to the microsecond for readers, who do not wait for the deletion by TTL."""
    if staged.kept_until is None:
        return {}
    return {"expires_at": {"S": rfc3339(staged.kept_until)}, "expires_s": ttl_attribute(staged.kept_until)}
