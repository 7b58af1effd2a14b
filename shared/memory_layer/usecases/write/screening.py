"""Screening of a record's words: what reads like an order to a model waits for a person (SPEC 5.14)."""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from memory_layer.domain.access import Principal
from memory_layer.domain.memory import Memory, Source, Status
from memory_layer.domain.policy import Policy
from memory_layer.domain.safety.quarantine import suspicion
from memory_layer.usecases.ground.admission import texts_of

_JUDGED_WORDS = ("content", "context", "summary", "detail", "tags", "entities", "relations")
_JUDGED_NAMES = ("id", "session_id", "source_run_id", "source_runs", "source_recall_id")

SCREENED_FIELDS = (*_JUDGED_WORDS, *_JUDGED_NAMES)
"""Fields that a recall hands to a model, and admission screens; an order can stand in a name as well."""

_BLANKS_OF_NAMES = str.maketrans(".-_:/", "     ")


def _all_text(fields: Mapping[str, Any]) -> str:
    words = [text for name in _JUDGED_WORDS for text in texts_of(fields.get(name))]
    names = [text for name in _JUDGED_NAMES for text in texts_of(fields.get(name))]
    return "\n".join((*words, _names_as_words(names)))


def _names_as_words(names: Iterable[str]) -> str:
    return "\n".join(name.translate(_BLANKS_OF_NAMES) for name in names)


def suspicion_of_names(names: Iterable[str]) -> str | None:
    """Reason for which names (of runs, of files) read like an order; None if they do not."""
    return suspicion(_names_as_words(names))


def suspicion_of_fields(said: Mapping[str, Any]) -> str | None:
    """Reason for which fields read like an order to a model that recalls them; None if they do not."""
    return suspicion(_all_text(said))


def admission_status(
    said: Mapping[str, Any], source: Source, policy: Policy, *, is_proven: bool = True
) -> tuple[Status, str | None]:
    """Status that a record begins with, and the reason if it may not be recalled yet. Args: said: the JUDGED_FIELDS."""
    doubt = None if source == "human" and is_proven else suspicion_of_fields(said)
    if doubt is not None:
        return "quarantined", doubt
    if source in policy.review_sources:
        return "pending", f"source {source} needs approval in this project"
    return "active", None


def held_if_unproven(principal: Principal, before: Memory, after: Memory) -> Memory:
    """Holds back a record whose words read like an order, and which nobody proven has given or approved."""
    is_as_approved = after.is_approved and all(
        getattr(after, name) == getattr(before, name) for name in SCREENED_FIELDS
    )
    return after if principal.is_proven or is_as_approved else held_if_order(after)


def held_if_order(memory: Memory) -> Memory:
    """Holds back a record that reads like an order, out of use too; no approval was given for these words."""
    doubt = suspicion_of_fields({name: getattr(memory, name) for name in SCREENED_FIELDS})
    if doubt is None:
        return memory
    lapsed = replace(memory, approved_by=None, approved_at=None)
    return replace(lapsed, status="quarantined", status_reason=doubt) if memory.is_active else lapsed
