"""Descriptions of request fields, one sentence each, for readers of the API's document; no rule reads them."""

from collections.abc import Mapping
from typing import Any, Final

RECORD: Final[Mapping[str, str]] = {
    "active": "False takes it out of recall, true brings it back.",
    "category": "What it is about; omitted, told from the content.",
    "complexity": "`low`, `medium` or `high`, as estimates say it in their detail.",
    "confidence": "How far to believe it, 0 to 1; below 0.2 it goes out of use.",
    "content": "What it says: one thought.",
    "context": "What stood around it; searched too.",
    "created_after": "Created then or later.",
    "created_before": "Created before then.",
    "created_by": "Who it is from; an admin alone names somebody else.",
    "detail": "Facts beside the words, as a JSON object.",
    "dimension": "What kind of knowledge it is.",
    "entities": "URNs of the things that it speaks of; what happens to them makes it stale.",
    "expires_at": "From then on it is out of recall; omitted in a new one, by its type.",
    "id": "The memory's id; omitted where one is made, a new one.",
    "idempotency_key": "With it a line that is sent again is stored once.",
    "min_confidence": "At least this confidence, 0 to 1.",
    "min_success_rate": "At least this success rate, 0 to 1; what has none is left out.",
    "on_duplicate": "What to do where one says almost the same: ask (409), merge into it "
    "(409 where they differ in a number, name, negation or opposite), create another, or supersede it.",
    "persona": "Who alone may see it; omitted: everyone.",
    "pinned": "Kept hot and out of pruning whatever its use.",
    "position": "Its place in its session, from 0.",
    "relations": "Typed edges to URNs or to other memories.",
    "relevance_score": "How much it matters by itself, 0 to 1.",
    "session_id": "The conversation that it was said in.",
    "source": "Who it comes from: a person, a run, or what runs taught.",
    "source_recall_id": "The recall that it was written after.",
    "source_run_id": "The run that it was learned in.",
    "source_runs": "All runs that taught it.",
    "speaker": "Who said it.",
    "status": "Its state: active ones are recalled.",
    "success_rate": "How often it worked where it was learned, 0 to 1.",
    "summary": "The same in fewer words.",
    "tags": "Words or paths to find it by, and by which it belongs to a class of content.",
    "task_type": "The kind of task that it helps with.",
    "tier": "Where it lies: hot and warm are recalled, cold is listed, frozen is for admins.",
    "type": "How it is used, and by which default expiry it ends.",
    "updated_after": "What it says was changed then or later.",
    "updated_before": "What it says was changed before then.",
    "valid_from": "From when what it says is so.",
    "valid_to": "Until when what it says is so.",
}
"""Fields of a memory, wherever one is described, filtered by or changed."""

_FOR_TASK: Final = "profile task alone goes by it, which is that of a prompt of knowledge"
_TASK: Final = {
    "error_patterns": f"Error messages that the task meets; {_FOR_TASK}.",
    "file_patterns": f"Globs of the files that the task touches; {_FOR_TASK}.",
    "task_type": f"The kind of task; {_FOR_TASK}.",
    "write_scope": "Paths, globs or keywords of what the task may change; profile governed alone goes by it, which "
    "is that of a prompt of memories.",
}
_REASON: Final = {"reason": "Why, for the history."}
_DRY_RUN: Final = {"dry_run": "Tell what would be done, and write nothing."}

OWN: Final[Mapping[str, Mapping[str, str]]] = {
    "Analysis": {
        "errors": "What went wrong, a message each.",
        "progress_made": "Whether the iteration came closer to the objective.",
        "progressMade": "As `progress_made`.",
    },
    "Application": {"as": "What it shall serve as in the tenant's shared project."},
    "CloudEvent": {
        "data": "The run.",
        "source": "Who sent it.",
        "specversion": "Of CloudEvents.",
        "type": "Ends in `run.completed`.",
    },
    "CompressFields": {
        "access_threshold": "Recalled as often as that it stays hot.",
        "age_threshold_hours": "Untouched for so many hours it may leave its row.",
        "compression_ratio": "It leaves only if it shrinks to this share of its size; in a request: is told in it.",
    },
    "ContextQuery": {
        "budgets": "How long it may be and may take, and how good it must be.",
        "kv_policy": "Tier rules for this request alone.",
        "request_id": "Your name for this request; feedback under it is on the last context answered under it.",
    },
    "Decision": {
        "decision": "What becomes of it.",
        "id": "The reviewed memory.",
        "version": "The one that was looked at; a newer one is not decided on.",
        **_REASON,
    },
    "Decisions": {"decisions": "One for each memory, each done by itself."},
    "EnrichQuery": {
        "limit": "How many memories at most.",
        "tokens_max": "How long the block may be.",
    },
    "ErasureRequest": {
        "created_by": "Whose memories, runs, receipts and notes.",
        "entity": "The URN that the memories name.",
        **_DRY_RUN,
    },
    "EventBridgeEvent": {
        "detail": "The run, with its project.",
        "detail-type": "Ends in `run.completed`.",
        "source": "Who sent it.",
    },
    "EvictFields": {
        "lru_weight": "How much age counts in choosing what goes, 0 to 1.",
        "max_total_size_gb": "More of the class than that goes cold, the worst first; for a request: is left out.",
        "quality_weight": "How much want of quality counts; with `lru_weight` it makes 1.",
    },
    "Iteration": {
        "analysis": "What came of it.",
        "duration": "Milliseconds.",
        "files_modified": "Paths.",
        "filesModified": "As `files_modified`.",
        "learnings": "What was learned, in words.",
        "number": "Its place in the run.",
        "status": "How it ended.",
    },
    "KvPolicyFields": {
        "compress": "What is told in one line.",
        "evict": "What goes first where there is no room for all.",
        "pin": "What goes in before all else, whole.",
    },
    "Limits": {
        "failed_per_principal_hour": "Of one principal in all sessions.",
        "failed_per_session_hour": "Of one session.",
    },
    "MergeRequest": {"from": "The project that is brought into this one.", **_DRY_RUN},
    "Merging": {"ids": "The memories to take in.", **_REASON},
    "Outcome": {
        "note": "What happened, in words; kept with the verdict and in the history.",
        "recall_id": "The recall that brought the memory up.",
        "result": "`worked` +0.2, `partial` +0.05, `failed` -0.3 on its outcome score.",
        "run_id": "In one run a later verdict replaces the earlier one.",
        "session_id": "The session whose `failed` are counted.",
    },
    "PinFields": {
        "max_size_mb": "How much of what matches is held, the newest first.",
        "patterns": "Globs over tags and URNs (`*.md`, `urn:file:src/`), and ids, of what stays hot.",
        "ttl_hours": "For how long after the last change of what it says; being recalled adds nothing.",
    },
    "PromoteStaging": {
        "auto_validate": "Judge pending learnings first.",
        "clear_after": "Take out of the staging area what was promoted.",
    },
    "PromptQuery": {
        "format": "Memories in the best standing, or what earlier runs taught.",
        "limit": "How many at most.",
        "task": "The task in words.",
        **_TASK,
    },
    "PruneRequest": {
        "include_approved": "Approved ones too.",
        "include_pinned": "Pinned ones too.",
        "min_confidence": "Those below it.",
        "min_success_rate": "Those below it, of those that have one.",
        "older_than_days": "Those not changed for more than so many days.",
        "unused": "Those whose outcome nobody ever reported.",
        **_DRY_RUN,
    },
    "Reason": _REASON,
    "RecallQuery": {
        "as_of": "What was known at that time; not in the future.",
        "consistency": "`eventual` spares the look at the last moment's writes.",
        "entities": "URNs or names that the question is about.",
        "filters": "Which memories may be found.",
        "hops": "How far strategy graph goes from what the question names.",
        "include_stale": "Those in doubt too.",
        "limit": "How many at most.",
        "min_score": "What scores less is left out, 0 to 2.",
        "profile": "How what fits is ranked; omitted, as the project's settings say.",
        "query": "The question in words.",
        "strategy": "By meaning, by words or by entities alone; auto: by all that there is.",
        **_TASK,
    },
    "Relation": {"target": "A URN or a memory's id.", "type": "What it is to the target."},
    "Resolution": {
        "note": "Why, for the history.",
        "resolution": "What becomes of the two.",
        "winner": "The id of the one that stays.",
    },
    "Restoration": {"version": "The one that says again what is to be said.", **_REASON},
    "Run": {
        "current_iteration": "How far it came.",
        "currentIteration": "As `current_iteration`.",
        "iterations": "Its turns, in order.",
        "loop_id": "As `run_id`.",
        "loopId": "As `run_id`.",
        "memories_used": "Ids of memories that it cites: they get its verdict.",
        "memoriesUsed": "As `memories_used`.",
        "objective": "What it was to do.",
        "project": "Whose knowledge it adds to, where no path says so.",
        "run_id": "Its id: the same twice is one run.",
        "runId": "As `run_id`.",
        "status": "How it ended.",
        "verdict": "Of the whole; omitted: worked if it was completed, else failed.",
    },
    "Settings": {
        "blend": "How keywords and meaning become one relevance.",
        "default_expiry_days": "By type, after how many days a memory ends by itself; null: never.",
        "limits": "How often `failed` may be said.",
        "outcome_model": "`fixed` steps, or the mean of a `beta` posterior over evidence that fades.",
        "privacy_mode": "What is redacted before it is stored: secrets, personal data too, nothing; or refuse it.",
        "profile": "How a recall that names none is ranked.",
        "review_sources": "Sources whose memories wait for a person.",
        "tier_policy": "By class of content, what stays hot, leaves its row, and goes cold.",
    },
    "SnapshotRestoration": _DRY_RUN,
    "Supersession": {"id": "One that is there already, and is true instead.", **_REASON},
    "TierRulesFields": {
        "compress": "What leaves its row.",
        "evict": "How much may stay near.",
        "match": "Globs over tags and URNs of what belongs to the class.",
        "pin": "What stays hot for a while.",
    },
    "ToldEntityEvent": {
        "detail": "More about it, as a JSON object.",
        "event": "What happened.",
        "id": "The caller's own: told twice under it, it happened once.",
        "occurred_at": "Omitted: now.",
        "target": "The other end of a link, or the new name.",
        "urn": "What it happened to.",
    },
}
"""Fields of one schema alone, by schema."""

PARAMETERS: Final[Mapping[str, str]] = {
    **RECORD,
    "as_of": "As it was at that time; not in the future.",
    "cursor": "`next_cursor` of the page before.",
    "hops": "How many steps from the entity.",
    "id": "What the path names.",
    "limit": "How many a page holds at most.",
    "n": "Which part, from 1.",
    "pinned": "Whether it is kept hot by hand.",
    "run_id": "The run.",
}


def describe(document: dict[str, Any]) -> None:
    """Adds descriptions to a document's parameters and schemas where there are none."""
    for operations in document["paths"].values():
        for operation in operations.values():
            for parameter in operation.get("parameters", ()):
                _add(parameter, PARAMETERS.get(parameter["name"]))
    describe_schemas(document["components"]["schemas"])


def describe_schemas(schemas: Mapping[str, Any]) -> None:
    """Adds descriptions to schemas, found by name alone."""
    for name, schema in schemas.items():
        own, properties = OWN.get(name, {}), schema.get("properties", {})
        is_of_a_memory = "tags" in properties and "entities" in properties
        for field, member in properties.items():
            _add(member, own.get(field) or (RECORD.get(field) if is_of_a_memory else None))


def _add(member: dict[str, Any], words: str | None) -> None:
    if words is not None:
        member.setdefault("description", words)
