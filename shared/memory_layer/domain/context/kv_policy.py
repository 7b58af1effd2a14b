"""The tier policy at work in a context: what goes in first and whole, what as one line, what falls first."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any, TypeAlias

from memory_layer.domain import tier_policy
from memory_layer.domain.context.fragments import Offer
from memory_layer.domain.memory import Memory, Ref
from memory_layer.domain.tiers.eviction import quality
from memory_layer.domain.tiers.moves import is_old, last_touched

KvPolicy: TypeAlias = Mapping[str, Mapping[str, Any]]
"""What one request has otherwise than its project: fields of TierRules by part, `pin`, `compress`, `evict`."""


def treated(
    offers: Sequence[Offer], asked: KvPolicy, policy: tier_policy.TierPolicy, now: datetime
) -> list[Offer]:
    """Offers with what the rules of their class say of them.

    A request's rules hold for it; of the project's it is its own pins that hold, for what the defaults pin and
    compress is a matter of storage, and none of what bears on a question.

    Args:
        asked: what this request has otherwise.
        policy: of the project, as use has tuned it.

    Source: Context Assembly, KV policy engine.
    """
    classed = [_classed(offer, policy) for offer in offers]
    if not asked and not pin_patterns(asked, policy):
        return classed
    rules = {offer.memory.ref: _rules_of(offer.memory, asked, policy) for offer in classed}
    pinned = _pinned((offer.memory for offer in classed), rules, asked, policy, now)
    oldest = max((now - last_touched(offer.memory) for offer in classed), default=timedelta())
    standing = {
        offer.memory.ref: _standing(offer.memory, rules[offer.memory.ref], now, oldest)
        for offer in (classed if "evict" in asked else ())
    }
    gone = _evicted((offer.memory for offer in classed if offer.memory.ref not in pinned), asked, standing)
    return [
        replace(
            offer,
            is_pinned=offer.memory.ref in pinned,
            is_compressed="compress" in asked and _is_compressed(offer.memory, rules[offer.memory.ref], now),
            line_share=asked.get("compress", {}).get("compression_ratio", 0.0),
            is_evicted=offer.memory.ref in gone,
            standing=standing.get(offer.memory.ref, 1.0),
        )
        for offer in classed
    ]


def _classed(offer: Offer, policy: tier_policy.TierPolicy) -> Offer:
    name = tier_policy.class_of(offer.memory, policy)
    return offer if name == offer.content_class else replace(offer, content_class=name)


def pin_patterns(asked: KvPolicy, policy: tier_policy.TierPolicy) -> tuple[str, ...]:
    """Globs over tags and URNs, and ids, of what is to be looked for, whether or not it bears on the intent."""
    own = (
        rules.pin.patterns
        for name, rules in policy.items()
        if rules.pin != tier_policy.DEFAULT_TIER_POLICY[name].pin
    )
    given = asked.get("pin", {}).get("patterns", ())
    return tuple(dict.fromkeys((*given, *(pattern for patterns in own for pattern in patterns))))


def _rules_of(memory: Memory, asked: KvPolicy, policy: tier_policy.TierPolicy) -> tier_policy.TierRules:
    return tier_policy.with_changed(policy[tier_policy.class_of(memory, policy)], asked)


def _pinned(
    memories: Iterable[Memory],
    rules: Mapping[Ref, tier_policy.TierRules],
    asked: KvPolicy,
    policy: tier_policy.TierPolicy,
    now: datetime,
) -> set[Ref]:
    """The newest of what matches, for a while, as long as there is room."""
    found: set[Ref] = set()
    taken_bytes = 0
    for memory in sorted(memories, key=lambda one: (one.updated_at, one.ref), reverse=True):
        pin = rules[memory.ref].pin
        size_bytes = len(memory.content.encode())
        is_over = _lapses(asked) and tier_policy.has_lapsed(memory, rules[memory.ref], now)
        if is_over or not _pins(memory, rules[memory.ref], asked, policy):
            continue
        if taken_bytes + size_bytes <= pin.max_size_mb * tier_policy.MB:
            found.add(memory.ref)
            taken_bytes += size_bytes
    return found


def _pins(
    memory: Memory, rules: tier_policy.TierRules, asked: KvPolicy, policy: tier_policy.TierPolicy
) -> bool:
    name = tier_policy.class_of(memory, policy)
    is_meant = "pin" in asked or policy[name].pin != tier_policy.DEFAULT_TIER_POLICY[name].pin
    return is_meant and tier_policy.matches_pin(memory, rules)


def _lapses(asked: KvPolicy) -> bool:
    """A project's pin does; what a request names itself it wants now, however old, unless it names the hours too."""
    pin = asked.get("pin", {})
    return "patterns" not in pin or "ttl_hours" in pin


def _is_compressed(memory: Memory, rules: tier_policy.TierRules, now: datetime) -> bool:
    return is_old(memory, rules, now) and memory.access_count < rules.compress.access_threshold


def _evicted(memories: Iterable[Memory], asked: KvPolicy, standing: Mapping[Ref, float]) -> set[Ref]:
    """Of more than the request has room for, those in the worst standing."""
    max_gb = asked.get("evict", {}).get("max_total_size_gb")
    if max_gb is None:
        return set()
    sizes = {memory.ref: len(memory.content.encode()) for memory in memories}
    excess_bytes = sum(sizes.values()) - max_gb * tier_policy.GB
    gone: set[Ref] = set()
    for ref in sorted(sizes, key=lambda ref: (standing[ref], ref)):
        if excess_bytes <= 0:
            break
        gone.add(ref)
        excess_bytes -= sizes[ref]
    return gone


def _standing(memory: Memory, rules: tier_policy.TierRules, now: datetime, oldest: timedelta) -> float:
    share = (now - last_touched(memory)) / oldest if oldest else 0.0
    missed = rules.evict.lru_weight * max(0.0, share) + rules.evict.quality_weight * (1.0 - quality(memory))
    return max(0.0, 1.0 - missed)
