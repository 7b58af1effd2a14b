"""Tier policy applied to a context: offers that are pinned, compressed to one line, or evicted first."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any, TypeAlias

from memory_layer.domain import tier_policy
from memory_layer.domain.context.fragments import Offer
from memory_layer.domain.memory import Memory, Ref
from memory_layer.domain.tiers.eviction import quality
from memory_layer.domain.tiers.moves import is_old, last_touched

KvPolicy: TypeAlias = Mapping[str, Mapping[str, Any]]
"""Overrides of one request: fields of TierRules by part, `pin`, `compress`, `evict`."""


def apply_kv_policy(
    offers: Sequence[Offer], asked: KvPolicy, policy: tier_policy.TierPolicy, now: datetime
) -> list[Offer]:
    """Applies the rules of their class to offers.

    A request's own rules hold in full; of the project's rules only the pins that it set itself, for the default pins
    and compression concern storage, and have no bearing on a question.

    Args:
        asked: the overrides of this request.
        policy: of the project, as use has tuned it.

    Source: Context Assembly, KV policy engine.
    """
    classed = _with_classes(offers, policy)
    if not asked and not pin_patterns(asked, policy):
        return classed
    rules = {offer.memory.ref: _rules_of(offer.memory, asked, policy) for offer in classed}
    pinned = _pinned((offer.memory for offer in classed), rules, asked, policy, now)
    oldest = max((now - last_touched(offer.memory) for offer in classed), default=timedelta())
    standing = {
        offer.memory.ref: _standing(offer.memory, rules[offer.memory.ref], now, oldest)
        for offer in (classed if "evict" in asked else ())
    }
    evicted_refs = _evicted(
        (offer.memory for offer in classed if offer.memory.ref not in pinned), asked, standing
    )
    return [
        offer._replace(
            is_pinned=offer.memory.ref in pinned,
            is_compressed="compress" in asked and _is_compressed(offer.memory, rules[offer.memory.ref], now),
            line_share=asked.get("compress", {}).get("compression_ratio", 0.0),
            is_evicted=offer.memory.ref in evicted_refs,
            standing=standing.get(offer.memory.ref, 1.0),
        )
        for offer in classed
    ]


def weighs_accesses(asked: KvPolicy) -> bool:
    """Tells whether the rules of a request look at how often and when memories were recalled."""
    return "compress" in asked or "evict" in asked


def _with_classes(offers: Sequence[Offer], policy: tier_policy.TierPolicy) -> list[Offer]:
    """Offers with their classes, found once for all that have the same labels: it is a tenth of a context."""
    named: dict[tuple[tuple[str, ...], tuple[str, ...]], tier_policy.ContentClass] = {}
    classed = []
    for offer in offers:
        labels = (offer.memory.tags, offer.memory.entities)
        name = named.get(labels)
        if name is None:
            name = named[labels] = tier_policy.class_of(offer.memory, policy)
        classed.append(offer if name == offer.content_class else offer._replace(content_class=name))
    return classed


def pin_patterns(asked: KvPolicy, policy: tier_policy.TierPolicy) -> tuple[str, ...]:
    """Globs over tags and URNs, and ids, of memories to fetch, whether or not they bear on the intent."""
    own = (
        rules.pin.patterns
        for name, rules in policy.items()
        if rules.pin != tier_policy.DEFAULT_TIER_POLICY[name].pin
    )
    given = asked.get("pin", {}).get("patterns", ())
    return tuple(dict.fromkeys((*given, *(pattern for patterns in own for pattern in patterns))))


def _rules_of(memory: Memory, asked: KvPolicy, policy: tier_policy.TierPolicy) -> tier_policy.TierRules:
    return tier_policy.with_overrides(policy[tier_policy.class_of(memory, policy)], asked)


def _pinned(
    memories: Iterable[Memory],
    rules: Mapping[Ref, tier_policy.TierRules],
    asked: KvPolicy,
    policy: tier_policy.TierPolicy,
    now: datetime,
) -> set[Ref]:
    """Refs of pinned memories: the newest that match, for a while, as long as there is room."""
    found: set[Ref] = set()
    taken_bytes = 0
    for memory in sorted(memories, key=lambda one: (one.updated_at, one.ref), reverse=True):
        pin = rules[memory.ref].pin
        size_bytes = len(memory.content.encode())
        is_over = _lapses(asked) and tier_policy.has_lapsed(memory, rules[memory.ref], now)
        if is_over or not _is_pinned(memory, rules[memory.ref], asked, policy):
            continue
        if taken_bytes + size_bytes <= pin.max_size_mb * tier_policy.MB:
            found.add(memory.ref)
            taken_bytes += size_bytes
    return found


def _is_pinned(
    memory: Memory, rules: tier_policy.TierRules, asked: KvPolicy, policy: tier_policy.TierPolicy
) -> bool:
    name = tier_policy.class_of(memory, policy)
    is_meant = "pin" in asked or policy[name].pin != tier_policy.DEFAULT_TIER_POLICY[name].pin
    return is_meant and tier_policy.matches_pin(memory, rules)


def _lapses(asked: KvPolicy) -> bool:
    """Tells whether pins expire: a project's do; a request's only where it names the hours, for it wants them now."""
    pin = asked.get("pin", {})
    return "patterns" not in pin or "ttl_hours" in pin


def _is_compressed(memory: Memory, rules: tier_policy.TierRules, now: datetime) -> bool:
    return is_old(memory, rules, now) and memory.access_count < rules.compress.access_threshold


def _evicted(memories: Iterable[Memory], asked: KvPolicy, standing: Mapping[Ref, float]) -> set[Ref]:
    """Refs of the memories in the worst standing, beyond the size that the request has room for."""
    max_gb = asked.get("evict", {}).get("max_total_size_gb")
    if max_gb is None:
        return set()
    sizes = {memory.ref: len(memory.content.encode()) for memory in memories}
    excess_bytes = sum(sizes.values()) - max_gb * tier_policy.GB
    evicted_refs: set[Ref] = set()
    for ref in sorted(sizes, key=lambda ref: (standing[ref], ref)):
        if excess_bytes <= 0:
            break
        evicted_refs.add(ref)
        excess_bytes -= sizes[ref]
    return evicted_refs


def _standing(memory: Memory, rules: tier_policy.TierRules, now: datetime, oldest: timedelta) -> float:
    share = (now - last_touched(memory)) / oldest if oldest else 0.0
    missed = rules.evict.lru_weight * max(0.0, share) + rules.evict.quality_weight * (1.0 - quality(memory))
    return max(0.0, 1.0 - missed)
