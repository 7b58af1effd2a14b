"""The rules of a project's tiers: the seed's numbers, what belongs to which class, what contradicts itself."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest
from pydantic import ValidationError

from memory_layer.domain.memory import Memory
from memory_layer.domain.policy import DamagedPolicy, Policy, policy_of, policy_text
from memory_layer.domain.tier_policy import (
    DEFAULT_TIER_POLICY,
    GB,
    PATTERNS_MAX,
    ContentClass,
    TierRules,
    class_of,
    find_tier_policy_flaws,
    matches_pin,
    with_overrides,
)
from memory_layer.edge.shapes.problems import violations_of
from memory_layer.edge.shapes.requests import Settings, replaced_policy
from tests.given import a_memory, new_scope

SCOPE = new_scope()
CODE = DEFAULT_TIER_POLICY["code"]


def labelled(*tags: str, entities: tuple[str, ...] = ()) -> Memory:
    return a_memory(SCOPE, tags=tags, entities=entities)


@pytest.mark.parametrize(
    ("name", "pin", "compress", "evict"),
    [
        ("code", (("*.js", "*.ts", "*.py"), 100, 24), (6, 3, 0.7), (2, 0.6, 0.4)),
        ("documentation", (("README*", "*.md"), 50, 12), (12, 2, 0.8), (1, 0.4, 0.6)),
        ("research", (("*.pdf", "abstract*"), 200, 48), (24, 1, 0.9), (5, 0.2, 0.8)),
    ],
)
def test_the_defaults_are_the_seeds(
    name: ContentClass, pin: tuple[Any, ...], compress: tuple[Any, ...], evict: tuple[Any, ...]
) -> None:
    rules = DEFAULT_TIER_POLICY[name]
    assert (rules.pin.patterns, rules.pin.max_size_mb, rules.pin.ttl_hours) == pin
    found = rules.compress
    assert (found.age_threshold_hours, found.access_threshold, found.compression_ratio) == compress
    assert (rules.evict.max_total_size_gb, rules.evict.lru_weight, rules.evict.quality_weight) == evict


def test_general_is_as_research_for_a_day() -> None:
    general, research = DEFAULT_TIER_POLICY["general"], DEFAULT_TIER_POLICY["research"]
    assert (general.compress, general.evict) == (research.compress, research.evict)
    assert (general.match, general.pin.ttl_hours) == ((), 24)


def test_the_defaults_have_no_flaw() -> None:
    assert list(find_tier_policy_flaws(DEFAULT_TIER_POLICY)) == []


@pytest.mark.parametrize(
    ("memory", "name"),
    [
        (labelled("src/api/routes.py"), "code"),
        (labelled("deploy/run.sh"), "code"),
        (labelled(entities=("urn:file:web/main.ts",)), "code"),
        (labelled("src/README.md"), "code"),
        (labelled("README"), "documentation"),
        (labelled("guides/setup.rst"), "documentation"),
        (labelled(entities=("urn:file:docs/adr/0001.txt",)), "documentation"),
        (labelled("smith2020.pdf"), "research"),
        (labelled("abstract of smith2020"), "research"),
        (labelled("postgres", "pool"), "general"),
        (labelled(entities=("urn:table:orders",)), "general"),
        (labelled(), "general"),
    ],
)
def test_a_memory_belongs_to_the_first_class_that_one_of_its_labels_matches(
    memory: Memory, name: ContentClass
) -> None:
    assert class_of(memory, DEFAULT_TIER_POLICY) == name


def test_patterns_of_nothing_but_stars_are_allowed_and_come_to_their_end() -> None:
    """They cost their length times the label's; as one regular expression the first would outlast the sun."""
    patterns = ("*a" * 127 + "b", "**/" * 80 + "x", "[!a-z]" * 40)
    policy = policy_with("code", match=patterns).tier_policy
    assert list(find_tier_policy_flaws(policy)) == []
    assert class_of(labelled("a" * 250, "a/" * 120), policy) == "general"


def test_a_pin_is_matched_by_the_same_labels() -> None:
    assert matches_pin(labelled(entities=("urn:file:src/a.py",)), CODE)
    assert not matches_pin(labelled("src/a.go"), CODE)


def policy_with(name: ContentClass, **changes: Any) -> Policy:
    rules = with_overrides(DEFAULT_TIER_POLICY[name], changes)
    return Policy(tier_policy={**DEFAULT_TIER_POLICY, name: rules})


def flaws_of(**changes: Any) -> dict[str, str]:
    return {
        "/".join(flaw.path): flaw.detail
        for flaw in find_tier_policy_flaws(policy_with("code", **changes).tier_policy)
    }


def test_a_policy_that_would_evict_what_it_pins_is_refused() -> None:
    told = flaws_of(pin={"max_size_mb": 2_049})
    assert "it would evict what it pins" in told["code/pin/max_size_mb"]
    assert flaws_of(pin={"max_size_mb": 2_048}) == {}


def test_weights_sum_up_to_one_within_a_thousandth() -> None:
    assert flaws_of(evict={"lru_weight": 0.333, "quality_weight": 0.6665}) == {}
    assert "sum up to 1.1" in flaws_of(evict={"lru_weight": 0.7})["code/evict"]


@pytest.mark.parametrize(
    ("pattern", "said"),
    [
        ("{a,b}" * 7, "make 128 patterns; the limit is 64"),
        ("*" * 257, "257 characters long; the limit is 256"),
        ("src/[ab", "square bracket without its other half"),
        ("{a,b", "brace without its other half"),
        ("a\x00b", "NUL"),
        ("", "the pattern is empty"),
    ],
)
def test_a_pattern_that_cannot_be_matched_is_told_where_it_stands(pattern: str, said: str) -> None:
    assert said in flaws_of(match=("ok", pattern))["code/match/1"]
    assert said in flaws_of(pin={"patterns": (pattern,)})["code/pin/patterns/0"]
    assert flaws_of(match=("{a,b}" * 6,)) == {}


def refused(**tier_policy: Any) -> dict[str, str]:
    with pytest.raises(ValidationError) as told:
        Settings.model_validate({"tier_policy": tier_policy})
    errors = [{**error, "loc": ("body", *error["loc"])} for error in told.value.errors()]
    return {one.pointer: one.detail for one in violations_of(errors)}


@pytest.mark.parametrize(
    ("tier_policy", "pointer", "said"),
    [
        ({"video": {}}, "/tier_policy/video/[key]", "'code', 'documentation', 'research' or 'general'"),
        ({"code": {"pins": {}}}, "/tier_policy/code/pins", "there are: match, pin, compress, evict"),
        (
            {"code": {"pin": {"size": 1}}},
            "/tier_policy/code/pin/size",
            "there are: patterns, max_size_mb, ttl_hours",
        ),
        ({"code": {"pin": {"ttl_hours": "12"}}}, "/tier_policy/code/pin/ttl_hours", "whole number"),
        (
            {"code": {"pin": {"ttl_hours": -1}}},
            "/tier_policy/code/pin/ttl_hours",
            "at least 0",
        ),
        (
            {"code": {"evict": {"max_total_size_gb": 0}}},
            "/tier_policy/code/evict/max_total_size_gb",
            "more than",
        ),
        ({"code": {"match": ["a"] * (PATTERNS_MAX + 1)}}, "/tier_policy/code/match", "at most 64"),
        ({"code": {"compress": None}}, "/tier_policy/code/compress", ""),
        ({"code": 3}, "/tier_policy/code", ""),
    ],
)
def test_what_is_not_known_is_refused_with_what_is(tier_policy: Any, pointer: str, said: str) -> None:
    assert said in refused(**tier_policy)[pointer]


def test_a_class_given_in_part_keeps_the_rest_of_its_defaults() -> None:
    given = {"tier_policy": {"code": {"compress": {"access_threshold": 9}, "match": ["*.zig"]}}}
    before = policy_with("research", pin={"ttl_hours": 1})
    after = replaced_policy(before, Settings.model_validate(given))
    code = after.tier_policy["code"]
    assert code == replace(CODE, match=("*.zig",), compress=replace(CODE.compress, access_threshold=9))
    assert {**after.tier_policy, "code": CODE} == DEFAULT_TIER_POLICY, (
        "PUT replaces: research is as it was made"
    )


def test_it_comes_back_as_it_was_and_older_texts_have_none() -> None:
    policy = policy_with("code", evict={"max_total_size_gb": 0.5}, pin={"patterns": ("*.zig",)})
    assert policy_of(policy_text(policy)) == policy
    assert "tier_policy" not in json.loads(policy_text(Policy(version=3)))
    assert policy_of(policy_text(Policy(version=3))).tier_policy == DEFAULT_TIER_POLICY


def test_any_flipped_bit_of_it_is_known() -> None:
    """Falls without the digest: another limit would be in force."""
    policy = policy_with("code", evict={"max_total_size_gb": 0.5})
    text = policy_text(policy).encode()
    start = text.index(b"tier_policy")
    for place in range(start * 8, min(start + 400, len(text)) * 8):
        flipped = bytearray(text)
        flipped[place // 8] ^= 1 << place % 8
        try:
            said = policy_of(flipped.decode())
        except (DamagedPolicy, UnicodeDecodeError):
            continue
        assert said == policy, flipped


@pytest.mark.parametrize("change", [{"code": 1}, {"codes": {}}, {}, [], {"code": {"pin": {}}}])
def test_a_tier_policy_that_is_none_is_damaged(change: Any) -> None:
    document = json.loads(policy_text(Policy()))
    del document["digest"]
    with pytest.raises(DamagedPolicy):
        policy_of(json.dumps({**document, "tier_policy": change}))


def test_a_rule_of_a_later_release_is_not_read_as_if_it_were_not_there() -> None:
    text = policy_text(policy_with("code", evict={"max_total_size_gb": 0.5}))
    document = json.loads(text)
    del document["digest"]
    document["tier_policy"]["code"]["promote"] = {}
    with pytest.raises(DamagedPolicy):
        policy_of(json.dumps(document))


def test_a_gigabyte_is_what_is_billed() -> None:
    assert GB == 1024 * 1024 * 1024
    assert isinstance(CODE, TierRules)
