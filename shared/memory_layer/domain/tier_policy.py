"""Tier policy: rules for each class of content on how long a memory stays near, which a project may set."""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, fields, is_dataclass, replace
from datetime import datetime, timedelta
from functools import lru_cache
from heapq import nsmallest
from typing import Annotated, Any, Final, Literal, NamedTuple, TypeVar

from annotated_types import Ge, Gt, Le, MaxLen

from memory_layer.domain.globs import forget_globs, glob_matches, required_texts
from memory_layer.domain.memory import Memory
from memory_layer.domain.text_rules import glob_problem, text_problem

ContentClass = Literal["code", "documentation", "research", "general"]
FALLBACK: Final[ContentClass] = "general"
"""Class of a memory that no class's globs match."""

MB, GB = 2**20, 2**30

PATTERNS_MAX: Final = 64
WEIGHTS_TOLERANCE: Final = 0.001
"""Tolerance on the sum 1 of a class's weights: a third has no last digit."""

Patterns = Annotated[tuple[str, ...], MaxLen(PATTERNS_MAX)]
Hours = Annotated[int, Ge(0), Le(876_000)]
Share = Annotated[float, Ge(0.0), Le(1.0)]


@dataclass(frozen=True, slots=True, kw_only=True)
class PinRules:
    """Rules for memories that stay hot however seldom recalled: the matching ones, newest first, for a while.

    Args:
        patterns: globs over tags and URNs (`*.md`, `urn:file:src/`), and ids, of what stays hot.
        max_size_mb: how much of what matches is held, the newest first.
        ttl_hours: for how long after the last change of what it says; being recalled adds nothing.
    """

    patterns: Patterns
    max_size_mb: Annotated[int, Ge(0), Le(100_000_000)]
    ttl_hours: Hours


@dataclass(frozen=True, slots=True, kw_only=True)
class CompressRules:
    """Rules for contents that leave their row: the age, the threshold of recalls, and the ratio to shrink to.

    Args:
        age_threshold_hours: untouched for so many hours it may leave its row.
        access_threshold: recalled as often as that it stays hot.
        compression_ratio: it leaves only if it shrinks to this share of its size; in a request: is told in it.
    """

    age_threshold_hours: Hours
    access_threshold: Annotated[int, Ge(0), Le(1_000_000)]
    compression_ratio: Share


@dataclass(frozen=True, slots=True, kw_only=True)
class EvictRules:
    """Rules of eviction: the size that may stay near, and the weights of age and low quality in choosing what goes.

    Args:
        max_total_size_gb: more of the class than that goes cold, the worst first; for a request: is left out.
        lru_weight: how much age counts in choosing what goes, 0 to 1.
        quality_weight: how much want of quality counts; with `lru_weight` it makes 1.
    """

    max_total_size_gb: Annotated[float, Gt(0.0), Le(100_000.0)]
    lru_weight: Share
    quality_weight: Share


@dataclass(frozen=True, slots=True, kw_only=True)
class TierRules:
    """The rules of one class, and the globs over tags and URNs by which a memory belongs to it.

    Args:
        match: globs over tags and URNs of what belongs to the class.
        pin: what stays hot for a while.
        compress: what leaves its row.
        evict: how much may stay near.
    """

    match: Patterns
    pin: PinRules
    compress: CompressRules
    evict: EvictRules


TierPolicy = Mapping[ContentClass, TierRules]

DEFAULT_TIER_POLICY: Final[TierPolicy] = {
    "code": TierRules(
        match=(
            *("*.{js,jsx,mjs,cjs,ts,tsx,py,go,rs,java,kt,rb,php,c,h,cc,cpp,hpp,cs,swift,scala,sh,sql}",),
            *("src/", "lib/", "test/", "tests/"),
        ),
        pin=PinRules(patterns=("*.js", "*.ts", "*.py"), max_size_mb=100, ttl_hours=24),
        compress=CompressRules(age_threshold_hours=6, access_threshold=3, compression_ratio=0.7),
        evict=EvictRules(max_total_size_gb=2.0, lru_weight=0.6, quality_weight=0.4),
    ),
    "documentation": TierRules(
        match=("README*", "*.{md,mdx,rst,adoc}", "docs/"),
        pin=PinRules(patterns=("README*", "*.md"), max_size_mb=50, ttl_hours=12),
        compress=CompressRules(age_threshold_hours=12, access_threshold=2, compression_ratio=0.8),
        evict=EvictRules(max_total_size_gb=1.0, lru_weight=0.4, quality_weight=0.6),
    ),
    "research": TierRules(
        match=("*.{pdf,tex,bib}", "abstract*", "papers/"),
        pin=PinRules(patterns=("*.pdf", "abstract*"), max_size_mb=200, ttl_hours=48),
        compress=CompressRules(age_threshold_hours=24, access_threshold=1, compression_ratio=0.9),
        evict=EvictRules(max_total_size_gb=5.0, lru_weight=0.2, quality_weight=0.8),
    ),
    "general": TierRules(
        match=(),
        pin=PinRules(patterns=(), max_size_mb=200, ttl_hours=24),
        compress=CompressRules(age_threshold_hours=24, access_threshold=1, compression_ratio=0.9),
        evict=EvictRules(max_total_size_gb=5.0, lru_weight=0.2, quality_weight=0.8),
    ),
}
"""Default rules, in the order in which classes are tried.

Source: Context Assembly, default policies by content type; `general` has research's.
"""


def class_of(memory: Memory, policy: TierPolicy) -> ContentClass:
    """First class that one of the memory's tags or URNs belongs to."""
    place_of = _places(tuple(policy[name].match for name in DEFAULT_TIER_POLICY))
    first = min(map(place_of, (*memory.tags, *memory.entities)), default=len(DEFAULT_TIER_POLICY))
    return _CLASSES[first]


_CLASSES: Final[tuple[ContentClass, ...]] = (*DEFAULT_TIER_POLICY, FALLBACK)


@lru_cache(maxsize=8)
def _places(matches: tuple[tuple[str, ...], ...]) -> Callable[[str], int]:
    """Place of a label's class among these; many memories share a label, and a context asks for those of 200."""

    @lru_cache(maxsize=8_192)
    def place_of(label: str) -> int:
        places = enumerate(matches)
        return next((at for at, patterns in places if matches_labels(patterns, (label,))), len(matches))

    return place_of


def forget_labels() -> None:
    """Clears the caches of labels, after an erasure."""
    _places.cache_clear()
    forget_globs()


def matches_pin(memory: Memory, rules: TierRules) -> bool:
    """Tells whether a memory matches the pins of its class, age and room aside."""
    return matches_memory(memory, rules.pin.patterns)


def has_lapsed(memory: Memory, rules: TierRules, now: datetime) -> bool:
    """Tells whether the pin of the memory's class has expired for it.

    The time counts from the last change of content, not from the last use: a pinned memory, shown for that, would
    renew its own pin.
    """
    return now - memory.updated_at >= timedelta(hours=rules.pin.ttl_hours)


def matches_memory(memory: Memory, patterns: Collection[str]) -> bool:
    """Tells whether patterns match a memory: by a tag, a URN, the path in one; or its id, which is no glob."""
    return memory.id in patterns or matches_labels(patterns, (*memory.tags, *memory.entities))


def matches_labels(patterns: Iterable[str], labels: Collection[str]) -> bool:
    """Tells whether one of the tags or URNs matches; of `urn:file:src/app.py` also the path in it."""
    return any(
        any(needle in label for needle in required_texts(pattern))
        and any(glob_matches(pattern, name) for name in _names(label))
        for pattern in patterns
        for label in labels
    )


def first_matching_labels(patterns: Collection[str], labels: Iterable[str], k: int) -> tuple[str, ...]:
    """First `k` in order of the tags or URNs that match."""
    return tuple(nsmallest(k, (label for label in labels if matches_labels(patterns, (label,)))))


def _names(label: str) -> tuple[str, ...]:
    is_urn = label.startswith("urn:") and label.count(":") > 1
    return (label, label.split(":", 2)[2]) if is_urn else (label,)


class TierPolicyFlaw(NamedTuple):
    """Flaw of a tier policy. Args: path: of the field, from the class on."""

    path: tuple[str, ...]
    detail: str


def find_tier_policy_flaws(policy: TierPolicy) -> Iterator[TierPolicyFlaw]:
    """Yields flaws beyond the bounds of single numbers: patterns that cannot match, contradictory rules."""
    for name, rules in policy.items():
        yield from _pattern_flaws((name, "match"), rules.match)
        yield from _pattern_flaws((name, "pin", "patterns"), rules.pin.patterns)
        weights = rules.evict.lru_weight + rules.evict.quality_weight
        if abs(weights - 1.0) > WEIGHTS_TOLERANCE:
            detail = f"lru_weight and quality_weight sum up to {weights:g}; make it 1"
            yield TierPolicyFlaw((name, "evict"), detail)
        if rules.pin.max_size_mb * MB > rules.evict.max_total_size_gb * GB:
            yield TierPolicyFlaw(
                (name, "pin", "max_size_mb"),
                f"{rules.pin.max_size_mb} MB pinned of {rules.evict.max_total_size_gb:g} GB in all: it would evict "
                "what it pins; lower pin.max_size_mb, or raise evict.max_total_size_gb",
            )


def _pattern_flaws(path: tuple[str, ...], patterns: tuple[str, ...]) -> Iterator[TierPolicyFlaw]:
    for number, pattern in enumerate(patterns):
        if problem := pattern_problem(pattern):
            yield TierPolicyFlaw((*path, str(number)), problem)


def pattern_problem(pattern: str) -> str | None:
    """Problem that keeps a pattern from matching as it was meant; None: there is none."""
    if not pattern:
        return "the pattern is empty; leave it out"
    return text_problem(pattern) or glob_problem(pattern, "pattern")


Rules = TypeVar("Rules", TierRules, PinRules, CompressRules, EvictRules)


def with_overrides(rules: Rules, given: Mapping[str, Any]) -> Rules:
    """Rules with these fields changed; a part given in part keeps its other fields."""
    parts = {
        name: with_overrides(getattr(rules, name), value)
        for name, value in given.items()
        if is_dataclass(getattr(rules, name))
    }
    return replace(rules, **{**given, **parts})


def tier_policy_of(document: Mapping[str, Any]) -> TierPolicy:
    """Parses a tier policy that `dataclasses.asdict` and JSON serialized.

    Raises:
        TypeError, LookupError: the document is no tier policy.
    """
    return {name: _rules_of(document[name]) for name in DEFAULT_TIER_POLICY}


def _rules_of(document: Mapping[str, Any]) -> TierRules:
    pin = document["pin"]
    rules = TierRules(
        match=tuple(document["match"]),
        pin=PinRules(**{**pin, "patterns": tuple(pin["patterns"])}),
        compress=CompressRules(**document["compress"]),
        evict=EvictRules(**document["evict"]),
    )
    if document.keys() != {field.name for field in fields(TierRules)}:
        raise TypeError("it has a rule that is not known")
    return rules
