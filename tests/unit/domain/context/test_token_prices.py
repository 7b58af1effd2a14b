"""Prices of tokens: which one a model has, and how many tokens an amount buys."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_layer.domain.context.token_prices import TokenPrice, price_of


@pytest.mark.parametrize(
    ("model", "usd"),
    [
        ("gpt-5", 1.25),
        ("gpt-5-mini-2025-08-07", 0.25),  # the longest beginning counts
        ("claude-opus-4-1-20250805", 15.0),
        ("claude-opus-4-5@20251101", 5.0),
        ("claude-sonnet-4-5-20250929-v1:0", 3.0),
    ],
)
def test_a_dated_model_has_the_price_of_its_name(model: str, usd: float) -> None:
    found = price_of(model, {})
    assert found == TokenPrice(model, usd)


@pytest.mark.parametrize("model", ["gpt-5o", "gpt-5.1", "gpt", "", "my-gpt-5"])
def test_a_name_that_only_looks_alike_has_no_price(model: str) -> None:
    """Falls where any beginning counts: gpt-5o would be bought at the price of gpt-5."""
    assert price_of(model, {}) is None


def test_own_prices_go_before_the_list() -> None:
    own = {"gpt-5": 9.0, "house": 0.5}
    assert price_of("gpt-5-mini", own) == TokenPrice("gpt-5-mini", 9.0)
    assert price_of("house-7b", own) == TokenPrice("house-7b", 0.5)


@given(
    st.floats(0.0, 1_000.0),
    st.floats(0.001, 100_000.0),
)
def test_as_many_tokens_as_the_amount_buys_and_not_one_more(cost_max: float, usd: float) -> None:
    price = TokenPrice("m", usd)
    tokens = price.affordable(cost_max)
    assert tokens >= 0
    assert price.cost(tokens) <= cost_max < price.cost(tokens + 2)
