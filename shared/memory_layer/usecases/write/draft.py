"""Record drafts: a caller's claims checked, gaps filled with defaults, admission status decided."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any, Final

from memory_layer.domain.access import SHARED_PROJECT, Principal, may_claim_human, may_write_under
from memory_layer.domain.duplicates import MERGED_IDS
from memory_layer.domain.fields import rfc3339
from memory_layer.domain.lifecycle import default_expiry
from memory_layer.domain.memory import (
    POSITION_MAX,
    Memory,
    Scope,
    Source,
    content_hash,
    to_thousandths,
)
from memory_layer.domain.policy import Policy
from memory_layer.domain.remedies import give, omit
from memory_layer.domain.safety.redaction import RedactionFinding
from memory_layer.domain.text.classification import (
    detect_category,
    detect_dimension,
    first_sentence,
    type_for,
)
from memory_layer.domain.time.resolve_times import resolve_times
from memory_layer.domain.trust import SPOKEN, said_by_agent, says_otherwise
from memory_layer.errors import Conflict, Forbidden, Invalid
from memory_layer.usecases.ground.admission import AdmittedText, refuse_secret_names
from memory_layer.usecases.write.screening import SCREENED_FIELDS, admission_status, held_if_unproven

SOURCE_CONFIDENCE: Mapping[Source, float] = {"human": 1.0, "run": 0.5, "learning": 0.3}
"""Confidence of a new memory, by source (Project Memories, confidence rules)."""


@dataclass(frozen=True, slots=True)
class RecordDraft:
    """Record not stored yet, with what was redacted from it; `displaced`: another turn has its position."""

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
    """Builds the record of admitted fields.

    Raises:
        Forbidden: the fields claim what this caller may not claim.
        Invalid: as `check_coherence`; or id or project look like a secret.
    """
    refuse_secret_names({"id": id, "project": scope.project}, policy)
    if scope.project == SHARED_PROJECT and not principal.is_reviewer:
        raise Forbidden("what a whole tenant shares is written by a reviewer")
    given = {name: value for name, value in admitted.fields.items() if value is not None or name in _NULLABLE}
    source: Source = given.setdefault("source", "human" if may_claim_human(principal) else "run")
    given = {**_defaults(principal, given, source, policy, now), **without_figures(principal, given)}
    check_claims(principal, admitted.fields, source)
    status, reason = admission_status({**given, "id": id}, source, policy, is_proven=principal.is_proven)
    memory = Memory(
        id=id,
        tenant=scope.tenant,
        project=scope.project,
        version=version,
        status=status,
        status_reason=reason,
        content_hash=content_hash(given["content"]),
        times=resolve_times(given["content"], given.get("said_at")),
        created_at=now,
        updated_at=now,
        **_exact_scores(given),
    )
    check_coherence(memory)
    return RecordDraft(memory, admitted.redacted)


_NULLABLE = frozenset({"expires_at", "task_type", "persona"})
"""Fields in which null is a value, and not a gap."""

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
        "created_by": principal.author,
    }


def _exact_scores(given: Mapping[str, Any]) -> dict[str, Any]:
    scores = {name: to_thousandths(given[name]) for name in _SCORES if given.get(name) is not None}
    return {**given, **scores}


CALLER_SET_FIELDS = (
    *("type", "category", "dimension", "task_type", "content", "summary", "detail", "context", "session_id"),
    *("position", "created_by", "persona", "tags", "entities", "relations", "relevance_score", "confidence"),
    *("success_rate", "expires_at", "said_at", "valid_from", "valid_to", "pinned"),
)
"""Fields that a caller may set, at first and later; a reviewer's approval vouches for them."""


def without_figures(principal: Principal, said: Mapping[str, Any]) -> dict[str, Any]:
    """Fields of a request without figures that an agent only claims: they are measured, or a person's to set."""
    return {name: value for name, value in said.items() if not (principal.is_agent and name in _NOT_CLAIMED)}


_NOT_CLAIMED = frozenset({"success_rate", "relevance_score"})


def check_claims(principal: Principal, said: Mapping[str, Any], source: Source) -> None:
    """Refuses fields that this caller may not set.

    Raises:
        Forbidden: with the field, and who may set it.
    """
    if source == "human" and not may_claim_human(principal):
        raise Forbidden("source: human is for people and reviewers; an agent says run or learning")
    if said.get("created_by") not in (None, principal.author) and not principal.is_admin:
        raise Forbidden("an admin alone says who a memory is from", omit("/created_by"))
    if "persona" in said and not may_write_under(principal, said["persona"]):
        raise Forbidden(_whose_persona(principal))
    if principal.is_reviewer:
        return
    if (said.get("confidence") or 0.0) > SOURCE_CONFIDENCE[source]:
        raise Forbidden(
            f"source {source} starts at confidence {SOURCE_CONFIDENCE[source]} at most; "
            "a reviewer raises it by approving"
        )
    if said.get("pinned") and not may_claim_human(principal):
        raise Forbidden("only people pin memories")


def _whose_persona(principal: Principal) -> str:
    if principal.user is not None:
        return "what is written for an end user lies under that user's persona"
    return "a memory is written under one's own persona, or under none"


CLOCKS_APART: Final = timedelta(days=1)
"""By how much the clock and the zone of a caller may be ahead: words that are said tomorrow would never age."""


def refuse_future(said_at: datetime | None, now: datetime) -> None:
    """Refuses words that nobody has said yet. Raises: Invalid."""
    if said_at is not None and said_at > now + CLOCKS_APART:
        raise Invalid.at("/said_at", "this lies in the future: nobody has said it yet", omit("/said_at"))


def check_coherence(memory: Memory) -> None:
    """Refuses fields that are valid each and inconsistent together.

    Raises:
        Invalid: with the field, and what it would need.
    """
    if memory.valid_from and memory.valid_to and memory.valid_from > memory.valid_to:
        raise Invalid.at(
            "/valid_to",
            f"the end lies before the beginning, {rfc3339(memory.valid_from)}",
            give("/valid_from"),
        )
    if memory.position is None:
        return
    if memory.session_id is None:
        raise Invalid.at("/position", "a position is a place in a session", give("/session_id"))
    if memory.position > POSITION_MAX:
        raise Invalid.at(
            "/position",
            f"a position is at most {POSITION_MAX:,}; go on in another session",
            limit=POSITION_MAX,
        )


def readmit_after_change(principal: Principal, before: Memory, after: Memory, policy: Policy) -> Memory:
    """Readmits a changed record: unless a reviewer changed it, its approval lapses, and it is screened.

    Words of an agent are an agent's, whoever spoke before.
    """
    if principal.is_reviewer:
        return held_if_unproven(principal, before, after)
    confidence = min(after.confidence, SOURCE_CONFIDENCE[after.source])
    lapsed = replace(after, approved_by=None, approved_at=None, confidence=confidence)
    if principal.is_agent and says_otherwise(before, after):
        lapsed = said_by_agent(lapsed, SOURCE_CONFIDENCE["run"])
    return with_admission_status(lapsed, policy)


def readmit_after_merge(principal: Principal, before: Memory, united: Memory, policy: Policy) -> Memory:
    """Screens a memory that another was merged into, as if its words had been written over."""
    if principal.is_reviewer:
        return held_if_unproven(principal, before, united)
    if before.is_approved and _caller_fields(before) != _caller_fields(united):
        return readmit_after_change(principal, before, united, policy)
    return with_admission_status(united, policy)


def says_more(before: Memory, after: Memory) -> bool:
    """Tells whether a merge brought words, besides the ids that it notes."""
    one, other = _caller_fields(before), _caller_fields(after)
    return any(one[name] != other[name] for name in SPOKEN)


def with_evidence_of(united: Memory, before: Memory) -> Memory:
    """Memory as it was but for the evidence that a merge brought: labels of others do not come with it."""
    return replace(united, tags=before.tags, entities=before.entities, relations=before.relations)


def _caller_fields(memory: Memory) -> dict[str, Any]:
    """Fields of a memory that callers set; the note of the ids merged into it is our own, and left out."""
    fields = {name: getattr(memory, name) for name in CALLER_SET_FIELDS}
    return fields | {"detail": {key: fact for key, fact in memory.detail.items() if key != MERGED_IDS}}


def with_admission_status(memory: Memory, policy: Policy) -> Memory:
    """Gives a record the status that admission finds for its present words; a record out of use stays so."""
    fields = {name: getattr(memory, name) for name in SCREENED_FIELDS}
    status, reason = admission_status(fields, memory.source, policy)
    return replace(memory, status=status, status_reason=reason) if memory.is_active else memory


def readmit_on_return(principal: Principal, memory: Memory, policy: Policy) -> Memory:
    """Screens a record that comes back into force: its words may have changed, unseen, while it was out of use.

    An approval still holds: it lapses only with the words that it was given for.
    """
    if principal.is_reviewer or memory.is_approved:
        return held_if_unproven(principal, memory, memory)
    return with_admission_status(memory, policy)


def quarantine_orders(memory: Memory, policy: Policy) -> Memory:
    """Quarantines a known memory if text that runs added to it, such as examples, reads like an order.

    Otherwise its approval stays, for it vouches for the learning and not for the counts.
    """
    again = with_admission_status(memory, policy)
    return again if again.status == "quarantined" else memory
