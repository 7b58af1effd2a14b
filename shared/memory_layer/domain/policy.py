"""Policy of a project, with the defaults of SPEC 2.76 to 2.83, and its text with a digest."""

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields
from hashlib import sha256
from typing import Annotated, Any, ClassVar, Final, Literal

from annotated_types import Ge, Gt, Le, MaxLen, MinLen

from memory_layer.domain.memory import MemoryType, Source
from memory_layer.domain.tier_policy import (
    DEFAULT_TIER_POLICY,
    WEIGHTS_TOLERANCE,
    ContentClass,
    TierPolicy,
    tier_policy_of,
)

DIGEST: Final = "digest"


class DamagedText(ValueError):
    """Text other than `sealed_text` wrote."""


def sealed_text(document: Mapping[str, object]) -> str:
    """Serializes a document with its digest. Args: document: JSON values, without a field `digest`."""
    return json.dumps({**document, DIGEST: _digest(document)})


def unsealed_text(text: str) -> dict[str, Any]:
    """Parses a text of `sealed_text` and checks its digest; a text without one is accepted as it is.

    Raises:
        DamagedText
    """
    try:
        document = json.loads(text)
        digest = document.pop(DIGEST, None)
    except (ValueError, TypeError, AttributeError, RecursionError) as error:
        raise DamagedText(str(error)) from error
    if digest not in (None, _digest(document)):
        raise DamagedText("the text does not match its digest")
    return document  # type: ignore[no-any-return]


def _digest(document: Mapping[str, object]) -> str:
    return sha256(json.dumps(document, sort_keys=True).encode()).hexdigest()


PrivacyMode = Literal["secrets", "personal", "refuse", "off"]
BlendMode = Literal["minmax", "flag"]
OutcomeModel = Literal["fixed", "beta"]
Profile = Literal["learned", "governed", "task"]
Days = Annotated[int, Ge(1), Le(36_500)]

ExplorationShare = Annotated[float, Ge(0.0), Le(1.0)]
PromptLimit = Annotated[int, Ge(1), Le(100)]

Saying = Annotated[str, MinLen(1), MaxLen(64)]
Synonyms = Annotated[Mapping[Saying, Annotated[tuple[Saying, ...], MinLen(1), MaxLen(16)]], MaxLen(500)]

EventSources = Annotated[tuple[Annotated[str, MinLen(1), MaxLen(256)], ...], MaxLen(50)]

ModelName = Annotated[str, MinLen(1), MaxLen(128)]
TokenPrices = Annotated[Mapping[ModelName, Annotated[float, Gt(0.0), Le(100_000.0)]], MaxLen(200)]

Weight = Annotated[float, Ge(0.0), Le(1.0)]


@dataclass(frozen=True, slots=True, kw_only=True)
class PriorityWeights:
    """Weights of the priority signals of a fragment; each 0..1, all together 1.

    Source: Context Assembly, priority scoring algorithm; SPEC 3.17.

    Args:
        relevance: of how near it is to the intent.
        recency: of how new it is.
        credibility: of how far to believe it.
        coherence: of how well it fits the others.
    """

    __pydantic_config__: ClassVar[dict[str, str]] = {"extra": "forbid"}  # read at the edge only

    relevance: Weight = 0.4
    recency: Weight = 0.2
    credibility: Weight = 0.25
    coherence: Weight = 0.15


CLASS_WEIGHTS: Final[Mapping[ContentClass, PriorityWeights]] = {
    "code": PriorityWeights(relevance=0.4, recency=0.25, credibility=0.2, coherence=0.15),
    "documentation": PriorityWeights(relevance=0.4, recency=0.15, credibility=0.3, coherence=0.15),
    "research": PriorityWeights(relevance=0.4, recency=0.1, credibility=0.35, coherence=0.15),
    "general": PriorityWeights(),
}
"""Weights by class: code ages fast; a paper depends on the credibility of its source. `general` has those of
Context Assembly, priority scoring algorithm, which asks for others by domain and names none."""


def weights_flaw(weights: PriorityWeights) -> str | None:
    """Reason for which weights are none; None: they sum up to 1."""
    each = asdict(weights)
    total = sum(each.values())
    if abs(total - 1.0) <= WEIGHTS_TOLERANCE:
        return None
    said = ", ".join(f"{name} {weight:g}" for name, weight in each.items())
    return f"{said} sum up to {total:g} (those left out have their defaults); make it 1"


_WEIGHT_NAMES: Final = ", ".join(each.name for each in fields(PriorityWeights))
WEIGHTS_RULE: Final = f"give an object of {_WEIGHT_NAMES}: each 0 to 1, and they sum up to 1"


DEFAULT_EXPIRY_DAYS: Mapping[MemoryType, Days | None] = {
    "pattern": None,
    "warning": 90,
    "learning": 180,
    "context": 30,
    "convention": None,
    "strategy": 180,
    "antipattern": 180,
    "estimate": 90,
}
"""Source: SPEC 7.1 to 7.8."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """Limits on one caller in an hour (SPEC 4.23, 4.32).

    Args:
        failed_per_session_hour: `failed` verdicts of one session.
        failed_per_principal_hour: `failed` verdicts of one principal in all sessions.
        citations_per_principal_hour: memories that the runs of one principal cite.
        writes_per_principal_hour: memories that one principal stores or changes.
        events_per_principal_hour: entity events that one principal reports.
        held_back_per_principal_hour: texts of one principal that wait for a person.
    """

    __pydantic_config__: ClassVar[dict[str, str]] = {"extra": "forbid"}  # read at the edge only

    failed_per_session_hour: Annotated[int, Ge(1), Le(1_000)] = 3
    failed_per_principal_hour: Annotated[int, Ge(1), Le(10_000)] = 12
    citations_per_principal_hour: Annotated[int, Ge(1), Le(1_000_000)] = 500
    writes_per_principal_hour: Annotated[int, Ge(1), Le(1_000_000)] = 2_000
    events_per_principal_hour: Annotated[int, Ge(1), Le(1_000_000)] = 200
    held_back_per_principal_hour: Annotated[int, Ge(1), Le(1_000_000)] = 50


@dataclass(frozen=True, slots=True, kw_only=True)
class Policy:
    """Settings of a project.

    Args:
        default_expiry_days: by type, after how many days a memory ends by itself; null: never.
        review_sources: sources whose memories wait for a person.
        event_sources: names of agents' tokens whose entity events count as a person's.
        privacy_mode: what is redacted before it is stored: secrets, personal data too, nothing; or refuse it.
        profile: how a recall that names none is ranked.
        blend: how keywords and meaning become one relevance.
        outcome_model: `fixed` steps, or the mean of a `beta` posterior over evidence that fades.
        limits: how often `failed` may be said, and how much one principal may do in an hour.
        tier_policy: by class of content, what stays hot, leaves its row, and goes cold.
        prompt_limit: how many memories a prompt has that says no limit itself.
        exploration: how much lists try out what verdicts have not told apart, 0 to 1; 0: not at all.
        synonyms: by a word or two of the project, what else is said for it; beside the table that the product has.
        context_weights: by class of content, what makes a fragment of a context worth its place; those given stand,
            whatever feedback says; the four make 1.
        token_prices: US dollars for a million input tokens, by a model or the beginning of its name; before the list
            that the product has.
        context_prefetch: a server between two requests assembles the context that a session will likely ask for next;
            refused in the cloud, where nothing runs between requests.
        version: number of its changes; 0: never set.
    """

    default_expiry_days: Mapping[MemoryType, Days | None] = field(default_factory=lambda: DEFAULT_EXPIRY_DAYS)
    review_sources: tuple[Source, ...] = ()
    event_sources: EventSources = ()
    privacy_mode: PrivacyMode = "secrets"
    profile: Profile = "learned"
    blend: BlendMode = "minmax"
    outcome_model: OutcomeModel = "fixed"
    limits: Limits = field(default_factory=Limits)
    tier_policy: TierPolicy = field(default_factory=lambda: DEFAULT_TIER_POLICY)
    synonyms: Synonyms = field(default_factory=dict)
    prompt_limit: PromptLimit = 10
    exploration: ExplorationShare = 0.5
    context_weights: Mapping[ContentClass, PriorityWeights] = field(default_factory=dict)
    token_prices: TokenPrices = field(default_factory=dict)
    context_prefetch: bool = False
    version: int = 0

    def expiry_days(self, type_: MemoryType) -> int | None:
        """Days until a memory of this type expires; None: never."""
        return self.default_expiry_days.get(type_, DEFAULT_EXPIRY_DAYS[type_])


class DamagedPolicy(ValueError):
    """Text other than `policy_text` wrote."""


def policy_text(policy: Policy) -> str:
    """Serializes a policy for rows, items and snapshots, with a digest, since damage would take effect unnoticed.

    Tier rules that the project never set are left out, so that those of a later release apply.
    """
    document = asdict(policy) | {"default_expiry_days": dict(policy.default_expiry_days)}
    if policy.tier_policy == DEFAULT_TIER_POLICY:
        del document["tier_policy"]
    return sealed_text(document)


_DEFAULTS: Final = Policy()


def policy_of(text: str | None) -> Policy:
    """Parses a policy that `policy_text` wrote; the defaults where a project never set any.

    Raises:
        DamagedPolicy
    """
    if text is None:
        return _DEFAULTS
    try:
        document = unsealed_text(text)
        document["limits"] = Limits(**document["limits"])
        document["review_sources"] = tuple(document["review_sources"])
        document["event_sources"] = tuple(document.get("event_sources", ()))
        document["synonyms"] = {word: tuple(said) for word, said in document.get("synonyms", {}).items()}
        document["context_weights"] = {
            name: PriorityWeights(**weights) for name, weights in document.get("context_weights", {}).items()
        }
        if "tier_policy" in document:
            document["tier_policy"] = tier_policy_of(document["tier_policy"])
        return Policy(**document)
    except (ValueError, TypeError, LookupError, AttributeError, RecursionError) as error:
        raise DamagedPolicy(str(error)) from error
