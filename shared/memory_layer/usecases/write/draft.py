"""From what a caller said to the record it becomes: claims checked, gaps filled, status decided."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from memory_layer.domain.access import SHARED_PROJECT, Principal, may_claim_human
from memory_layer.domain.duplicates import MERGED_IDS
from memory_layer.domain.fields import rfc3339
from memory_layer.domain.lifecycle import default_expiry
from memory_layer.domain.memory import POSITION_MAX, Memory, Scope, Source, Status, content_hash, exact
from memory_layer.domain.policy import Policy
from memory_layer.domain.safety.quarantine import suspicion
from memory_layer.domain.safety.redaction import RedactionFinding
from memory_layer.domain.text.classification import (
    detect_category,
    detect_dimension,
    first_sentence,
    type_for,
)
from memory_layer.errors import Conflict, Forbidden, Invalid
from memory_layer.usecases.ground.admission import AdmittedText, refuse_secret_names, texts_of

SOURCE_CONFIDENCE: Mapping[Source, float] = {"human": 1.0, "run": 0.5, "learning": 0.3}
"""How far a new memory is believed (Project Memories, confidence rules)."""


@dataclass(frozen=True, slots=True)
class RecordDraft:
    """A record not stored yet, and what was taken out of it on the way; `displaced`: another turn has its place."""

    memory: Memory
    redacted: tuple[RedactionFinding, ...]
    displaced: Conflict | None = None


def draft_memory(
    principal: Principal,
    scope: Scope,
    admitted: AdmittedText,
    policy: Policy,
    now: datetime,
    *,
    id: str,
    version: int,
) -> RecordDraft:
    """The record that these fields make.

    Raises:
        Forbidden: the fields claim what this caller may not claim.
        Invalid: as `check_coherence`; or id or project look like a secret.
    """
    refuse_secret_names({"id": id, "project": scope.project}, policy)
    if scope.project == SHARED_PROJECT and not principal.is_reviewer:
        raise Forbidden("what a whole tenant shares is written by a reviewer")
    given = {name: value for name, value in admitted.fields.items() if value is not None or name in _NULLABLE}
    source: Source = given.setdefault("source", "human" if may_claim_human(principal) else "run")
    given = {**_defaults(principal, given, source, policy, now), **given}
    check_claims(principal, admitted.fields, source)
    status, reason = admission({**given, "id": id}, source, policy)
    memory = Memory(
        id=id,
        tenant=scope.tenant,
        project=scope.project,
        version=version,
        status=status,
        status_reason=reason,
        content_hash=content_hash(given["content"]),
        created_at=now,
        updated_at=now,
        **_exact_scores(given),
    )
    check_coherence(memory)
    return RecordDraft(memory, admitted.redacted)


_NULLABLE = frozenset({"expires_at", "task_type", "persona"})
"""Fields in which a null is an answer, and not a gap."""

_SCORES = ("relevance_score", "confidence", "success_rate")


def _defaults(
    principal: Principal, given: Mapping[str, Any], source: Source, policy: Policy, now: datetime
) -> dict[str, Any]:
    content = given["content"]
    category = given.get("category") or detect_category(content)
    type_ = given.get("type") or type_for(category)
    return {
        "category": category,
        "type": type_,
        "dimension": detect_dimension(content, category),
        "summary": first_sentence(content),
        "confidence": SOURCE_CONFIDENCE[source],
        "expires_at": default_expiry(type_, policy, now),
        "persona": principal.persona,
        "created_by": principal.name,
    }


def _exact_scores(given: Mapping[str, Any]) -> dict[str, Any]:
    scores = {name: exact(given[name]) for name in _SCORES if given.get(name) is not None}
    return {**given, **scores}


SAYABLE = (
    *("type", "category", "dimension", "task_type", "content", "summary", "detail", "context", "session_id"),
    *("position", "created_by", "persona", "tags", "entities", "relations", "relevance_score", "confidence"),
    *("success_rate", "expires_at", "valid_from", "valid_to", "pinned"),
)
"""What a caller may say of a memory, at first and later: what a reviewer's approval vouches for."""

_JUDGED_WORDS = ("content", "context", "summary", "detail", "tags", "entities", "relations")
_JUDGED_NAMES = ("id", "session_id", "source_run_id", "source_runs")

JUDGED_FIELDS = (*_JUDGED_WORDS, *_JUDGED_NAMES)
"""Whatever a recall hands to a model; an order can stand in a name as well."""

_BLANKS_OF_NAMES = str.maketrans(".-_:/", "     ")


def _all_text(said: Mapping[str, Any]) -> str:
    words = [text for name in _JUDGED_WORDS for text in texts_of(said.get(name))]
    names = [text for name in _JUDGED_NAMES for text in texts_of(said.get(name))]
    return "\n".join((*words, _spoken(names)))


def _spoken(names: Iterable[str]) -> str:
    return "\n".join(name.translate(_BLANKS_OF_NAMES) for name in names)


def suspicion_of_names(names: Iterable[str]) -> str | None:
    """Why names (of runs, of files) read like an order; None if they do not."""
    return suspicion(_spoken(names))


def check_claims(principal: Principal, said: Mapping[str, Any], source: Source) -> None:
    """Refuse what only others may say.

    Raises:
        Forbidden: with the field, and who may set it.
    """
    if source == "human" and not may_claim_human(principal):
        raise Forbidden("source: human is for people and reviewers; an agent says run or learning")
    if said.get("created_by") not in (None, principal.name) and not principal.is_admin:
        raise Forbidden("created_by is set by an admin only")
    if said.get("persona") not in (None, principal.persona) and not principal.is_reviewer:
        raise Forbidden("a memory is written under one's own persona, or under none")
    if principal.is_reviewer:
        return
    if (said.get("confidence") or 0.0) > SOURCE_CONFIDENCE[source]:
        raise Forbidden(
            f"source {source} starts at confidence {SOURCE_CONFIDENCE[source]} at most; "
            "a reviewer raises it by approving"
        )
    if said.get("pinned") and not may_claim_human(principal):
        raise Forbidden("only people pin memories")


def check_coherence(memory: Memory) -> None:
    """Refuse fields that are well each and wrong together.

    Raises:
        Invalid: with the field, and what it would need.
    """
    if memory.valid_from and memory.valid_to and memory.valid_from > memory.valid_to:
        raise Invalid.at("/valid_to", f"valid_to lies before valid_from, {rfc3339(memory.valid_from)}")
    if memory.position is None:
        return
    if memory.session_id is None:
        raise Invalid.at("/position", "a position is a place in a session; name the session_id too")
    if memory.position > POSITION_MAX:
        raise Invalid.at("/position", f"a position is at most {POSITION_MAX:,}; go on in another session")


def judged_again(principal: Principal, memory: Memory, policy: Policy) -> Memory:
    """New words were neither approved nor screened: an agent's approval lapses, the admission runs again."""
    if principal.is_reviewer:
        return memory
    confidence = min(memory.confidence, SOURCE_CONFIDENCE[memory.source])
    return judged(replace(memory, approved_by=None, approved_at=None, confidence=confidence), policy)


def screened(principal: Principal, before: Memory, united: Memory, policy: Policy) -> Memory:
    """What was merged into a memory is as new as what is written over it."""
    if principal.is_reviewer:
        return united
    if before.is_approved and _said(before) != _said(united):
        return judged_again(principal, united, policy)
    return judged(united, policy)


def _said(memory: Memory) -> dict[str, Any]:
    """All that is said in a memory; which others were merged into it is our own note."""
    said = {name: getattr(memory, name) for name in SAYABLE}
    return said | {"detail": {key: fact for key, fact in memory.detail.items() if key != MERGED_IDS}}


def judged(memory: Memory, policy: Policy) -> Memory:
    """The record as it is admitted with all that it says now; one that is out of use stays so."""
    said = {name: getattr(memory, name) for name in JUDGED_FIELDS}
    status, reason = admission(said, memory.source, policy)
    return replace(memory, status=status, status_reason=reason) if memory.is_active else memory


def readmitted(principal: Principal, memory: Memory, policy: Policy) -> Memory:
    """What comes back into force as it may by now: what it says may be new since it went out, and nobody looked at it.

    An approval still holds: it lapses with the words that it was given for.
    """
    return memory if principal.is_reviewer or memory.is_approved else judged(memory, policy)


def screened_for_orders(memory: Memory, policy: Policy) -> Memory:
    """A known memory with what runs brought to it, such as examples: that may be an order like any other text.

    Its approval stays otherwise, for it vouches for the learning and not for the counts.
    """
    again = judged(memory, policy)
    return again if again.status == "quarantined" else memory


def doubt_of(said: Mapping[str, Any]) -> str | None:
    """Why what is said reads like an order to whoever recalls it; None if it does not."""
    return suspicion(_all_text(said))


def admission(said: Mapping[str, Any], source: Source, policy: Policy) -> tuple[Status, str | None]:
    """Whether what is said may be recalled from the start, and if not, why. Args: said: the JUDGED_FIELDS."""
    doubt = doubt_of(said) if source != "human" else None
    if doubt is not None:
        return "quarantined", doubt
    if source in policy.review_sources:
        return "pending", f"source {source} needs approval in this project"
    return "active", None
