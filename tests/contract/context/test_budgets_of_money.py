"""Budgets of money and weights of the settings: what a page may cost, and what makes a fragment worth its place."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest

from memory_layer.bootstrap.embedded import EmbeddedBackend
from memory_layer.domain.access import Principal
from memory_layer.domain.context.feedback_tuning import Feedback
from memory_layer.domain.policy import CLASS_WEIGHTS, Policy, PriorityWeights
from memory_layer.edge.shapes.context_answers import context_json
from memory_layer.errors import Invalid
from memory_layer.usecases.context.assemble import AssembledPage, assemble_context
from memory_layer.usecases.context.request import ContextRequest
from memory_layer.usecases.review.configure import get_policy, set_policy
from memory_layer.usecases.review.tune_context import get_tuning, give_feedback
from tests.given import StandingClock, remembered

INTENT = "how long does the gateway wait for an answer?"
PROJECT = "web"


def fill(backend: EmbeddedBackend, admin: Principal) -> None:
    for name in ("warehouse", "bank", "printer", "mail relay", "map service", "weather station"):
        content = (
            f"The gateway waits thirty seconds for an answer of the {name}, then it tells the customer so."
        )
        remembered(backend.ports, admin, content, project=PROJECT, on_duplicate="create")


def context(backend: EmbeddedBackend, who: Principal, **asked: Any) -> AssembledPage:
    request = ContextRequest(intent=INTENT, time_ms=20_000, **asked)
    return assemble_context(backend.ports, who, PROJECT, request)


def settings(backend: EmbeddedBackend, admin: Principal, **changed: Any) -> Policy:
    return set_policy(
        backend.ports, admin, PROJECT, lambda before: replace(before, **changed), keeps_others=True
    )


@pytest.mark.parametrize("cost_max", [0.0, 0.0001, 0.0003, 0.001])
def test_a_page_never_costs_more_than_its_budget(
    backend: EmbeddedBackend, admin: Principal, cost_max: float
) -> None:
    """Falls where the tokens that the money buys are rounded up, or `tokens_max` alone is held."""
    fill(backend, admin)
    found = context(backend, admin, model="claude-sonnet-4-5", cost_max=cost_max)
    assert found.cost is not None
    assert found.cost <= cost_max
    assert found.cost == pytest.approx(found.assembled.total_tokens * 3 / 1_000_000)
    told = [each.detail for each in found.assembled.warnings if each.code == "BUDGET_EXCEEDED"]
    is_short = any(each.reason == "over_budget" for each in found.assembled.omitted)
    assert all(detail.endswith("raise cost_max for more") for detail in told)
    assert any(f"cost_max {cost_max:g}" in detail for detail in told) is is_short
    assert is_short or cost_max == 0.001


@pytest.mark.parametrize("model", [None, "gpt-4o"])
def test_a_kept_context_has_its_price_too(
    backend: EmbeddedBackend, admin: Principal, model: str | None
) -> None:
    """Falls where settings are not read beside a kept context."""
    fill(backend, admin)
    first, again = (context(backend, admin, model=model) for _ in range(2))
    assert (first.was_kept, again.was_kept) == (False, True)
    assert first.cost == again.cost
    assert (first.cost is None) is (model is None)


def test_the_smaller_of_both_budgets_holds(backend: EmbeddedBackend, admin: Principal) -> None:
    fill(backend, admin)
    free = context(backend, admin, tokens_max=120)
    rich = context(backend, admin, tokens_max=120, model="gpt-4o", cost_max=100.0)
    assert rich.assembled.rendered == free.assembled.rendered
    poor = context(backend, admin, tokens_max=120, model="gpt-4o", cost_max=0.0001)
    assert len(poor.assembled.fragments) < len(free.assembled.fragments)


def test_a_projects_own_price_goes_before_the_list_and_counts_at_once(
    backend: EmbeddedBackend, admin: Principal
) -> None:
    """A context that was kept under the old price is not answered: the settings are a write."""
    fill(backend, admin)
    listed = context(backend, admin, model="gpt-4o", cost_max=0.0003)
    settings(backend, admin, token_prices={"gpt-4o": 1000.0})
    dear = context(backend, admin, model="gpt-4o", cost_max=0.0003)
    assert len(listed.assembled.fragments) > 0
    assert (dear.assembled.rendered, dear.cost) == ("", 0.0)


def test_a_model_without_a_price_is_refused_with_those_that_have_one(
    backend: EmbeddedBackend, admin: Principal
) -> None:
    fill(backend, admin)
    with pytest.raises(Invalid, match=r"no price for 'house-model'.*gpt-4o.*token_prices"):
        context(backend, admin, model="house-model", cost_max=1.0)
    settings(backend, admin, token_prices={"house": 0.5})
    assert context(backend, admin, model="house-model", cost_max=1.0).cost is not None
    with pytest.raises(Invalid, match="a cost is that of a model"):
        context(backend, admin, cost_max=1.0)


def test_a_model_without_a_price_has_its_context_where_no_money_bounds_it(
    backend: EmbeddedBackend, admin: Principal
) -> None:
    """Falls where the price is asked for its own sake; what is kept is answered with the same warning, once."""
    fill(backend, admin)
    pages = [context_json(context(backend, admin, model="house-model")) for _ in range(2)]
    assert [page["metadata"]["cached"] for page in pages] == [False, True]
    for page in pages:
        assert page["fragments"]
        assert (page["metadata"]["model"], page["metadata"]["cost"]) == ("house-model", None)
        told = [one["detail"] for one in page["warnings"] if one["code"] == "INCOMPLETE"]
        assert sum("no price for 'house-model'" in detail for detail in told) == 1


def test_the_cost_is_told_where_a_model_is_named_and_only_there(
    backend: EmbeddedBackend, admin: Principal
) -> None:
    fill(backend, admin)
    priced = context_json(context(backend, admin, model="gpt-5-2025-08-07"))["metadata"]
    assert (priced["model"], priced["cost"]) == ("gpt-5-2025-08-07", priced["total_tokens"] * 1.25 / 1e6)
    plain = context_json(context(backend, admin))["metadata"]
    assert (plain["model"], plain["cost"]) == (None, None)


RECENT: Mapping[Any, PriorityWeights] = {
    "general": PriorityWeights(relevance=0.1, recency=0.8, credibility=0.05, coherence=0.05)
}


def test_weights_of_the_settings_make_the_priority(
    backend: EmbeddedBackend, admin: Principal, clock: StandingClock
) -> None:
    remembered(backend.ports, admin, "The gateway waits thirty seconds for an answer.", project=PROJECT)
    clock.advance(days=60)
    before = context(backend, admin).assembled.fragments[0]
    settings(backend, admin, context_weights=RECENT)
    after = context(backend, admin).assembled.fragments[0]
    expected = 0.1 * after.relevance + 0.8 * after.recency + 0.05 * after.credibility + 0.05 * after.coherence
    assert after.priority_score == pytest.approx(expected, abs=0.001)
    assert after.priority_score < before.priority_score


def test_weights_of_the_settings_stand_whatever_feedback_says(
    backend: EmbeddedBackend, admin: Principal
) -> None:
    """Feedback moves the classes that nobody set; taken away from the settings, the tuned ones count again."""
    fill(backend, admin)
    settings(backend, admin, context_weights=RECENT)
    found = context(backend, admin)
    give_feedback(
        backend.ports,
        admin,
        PROJECT,
        found.request_id,
        Feedback(coherence_score=0.1, user_satisfaction=0.0),
    )
    tuned = get_tuning(backend.ports, admin, PROJECT).weights
    assert tuned["general"] == RECENT["general"]
    assert tuned["code"].coherence > CLASS_WEIGHTS["code"].coherence
    settings(backend, admin, context_weights={})
    assert (
        get_tuning(backend.ports, admin, PROJECT).weights["general"].coherence
        > CLASS_WEIGHTS["general"].coherence
    )


def test_weights_that_make_no_whole_are_refused(backend: EmbeddedBackend, admin: Principal) -> None:
    fill(backend, admin)
    with pytest.raises(Invalid, match=r"sum up to 1\.4"):
        settings(backend, admin, context_weights={"code": PriorityWeights(relevance=0.8)})
    assert get_policy(backend.ports, admin, PROJECT).context_weights == {}
