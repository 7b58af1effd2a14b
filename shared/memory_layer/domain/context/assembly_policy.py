"""Assembly policy of a project: settings of context assembly and of cooling, as feedback and use have tuned them."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields
from datetime import datetime
from typing import Any, Final

from memory_layer.domain.context.learned_priority import JudgedPage, LearnedPriority, PriorityReplay
from memory_layer.domain.fields import instant, rfc3339
from memory_layer.domain.policy import (
    CLASS_WEIGHTS,
    DamagedPolicy,
    PriorityWeights,
    sealed_text,
    unsealed_text,
)
from memory_layer.domain.tier_policy import ContentClass

DEFAULT_SENSITIVITY: Final = 1.0
DEFAULT_ENTITY_SHARE: Final = 0.3


@dataclass(frozen=True, slots=True, kw_only=True)
class PolicyTuning:
    """Change of the policy.

    Args:
        why: a sentence for each number that moved.
        feedback: what was judged, by the names of `Feedback`; empty: it came of none, or of a release that kept none.
        is_agent: it was an agent's, within the bounds of its voice; False of all that earlier releases kept.
    """

    at: datetime
    by: str
    request_id: str | None
    why: tuple[str, ...]
    feedback: Mapping[str, float] = field(default_factory=dict)
    is_agent: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class AssemblyPolicy:
    """Settings of assembly in a project, and beside its tier policy those of the sweep of tiers.

    Args:
        weights: by class of content.
        conflict_sensitivity: factor on the severity of contradictions.
        entity_share: share of a budget, 0..1, that memories of the entities asked for may take first.
        cooling: by class, factor on the hours after which untouched memories cool (context.usage_tuning); absent: 1.
        learned: correction of places, fitted to what readers used.
        history: the last changes, oldest first.
        version: counts all changes; 0: never tuned.
    """

    weights: Mapping[ContentClass, PriorityWeights] = field(default_factory=lambda: CLASS_WEIGHTS)
    conflict_sensitivity: float = DEFAULT_SENSITIVITY
    entity_share: float = DEFAULT_ENTITY_SHARE
    cooling: Mapping[ContentClass, float] = field(default_factory=dict)
    learned: LearnedPriority = field(default_factory=LearnedPriority)
    history: tuple[PolicyTuning, ...] = ()
    version: int = 0


def assembly_policy_text(policy: AssemblyPolicy) -> str:
    """Serializes a policy as JSON with its digest, for rows and items.

    Weights that were never tuned are left out, so that those of a later release apply.
    """
    document = asdict(policy) | {
        "weights": {
            name: asdict(weights)
            for name, weights in policy.weights.items()
            if weights != CLASS_WEIGHTS[name]
        },
        "history": [asdict(change) | {"at": rfc3339(change.at)} for change in policy.history],
        "learned": asdict(policy.learned)
        | {"pages": [_page_document(page) for page in policy.learned.pages]},
    }
    del document["learned"]["is_set_aside"]
    if policy.learned == LearnedPriority():
        del document["learned"]
    return sealed_text(document)


def assembly_policy_of(text: str | None) -> AssemblyPolicy:
    """Parses a policy that `assembly_policy_text` wrote; the defaults where none was tuned.

    Raises:
        DamagedPolicy
    """
    if text is None:
        return AssemblyPolicy()
    try:
        document = unsealed_text(text)
        tuned = {name: _weights_of(weights) for name, weights in document.pop("weights").items()}
        cooling = {name: float(factor) for name, factor in document.pop("cooling", {}).items()}
        if unknown := (tuned.keys() | cooling.keys()) - CLASS_WEIGHTS.keys():
            raise DamagedPolicy(f"it speaks of {', '.join(sorted(unknown))}")
        history = tuple(_tuning_of(change) for change in document.pop("history"))
        learned = _learned_of(document.pop("learned", None))
        weights = {**CLASS_WEIGHTS, **tuned}
        return AssemblyPolicy(weights=weights, cooling=cooling, history=history, learned=learned, **document)
    except (ValueError, TypeError, LookupError, AttributeError, RecursionError) as error:
        raise DamagedPolicy(str(error)) from error


def _weights_of(document: Mapping[str, Any]) -> PriorityWeights:
    return PriorityWeights(**{each.name: float(document[each.name]) for each in fields(PriorityWeights)})


def _tuning_of(document: Mapping[str, Any]) -> PolicyTuning:
    return PolicyTuning(**{**document, "at": instant(document["at"]), "why": tuple(document["why"])})


def _page_document(page: JudgedPage) -> dict[str, Any]:
    return asdict(page) | {"at": rfc3339(page.at)}


def _learned_of(document: Mapping[str, Any] | None) -> LearnedPriority:
    if document is None:
        return LearnedPriority()
    pages = tuple(_page_of(page) for page in document["pages"])
    replay = PriorityReplay(**document["replay"])
    return LearnedPriority(pages, tuple(document["weights"]), replay, document["unlisted"])


def _page_of(document: Mapping[str, Any]) -> JudgedPage:
    kinds = {name: tuple(map(tuple, document[name])) for name in ("useful", "unused")}
    return JudgedPage(**{**document, "at": instant(document["at"]), **kinds})
