"""Prices of what a model reads, by which a budget of money becomes one of tokens."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

TOKENS_A_PRICE: Final = 1_000_000
"""Tokens that a price is for, as all vendors tell it."""

LIST_PRICES: Final[Mapping[str, float]] = {
    "claude-opus-4": 15.0,
    "claude-opus-4-5": 5.0,
    "claude-sonnet-4": 3.0,
    "claude-haiku-4-5": 1.0,
    "claude-3-5-haiku": 0.8,
    "gpt-5": 1.25,
    "gpt-5-mini": 0.25,
    "gpt-5-nano": 0.05,
    "gpt-4.1": 2.0,
    "gpt-4.1-mini": 0.4,
    "gpt-4.1-nano": 0.1,
    "gpt-4o": 2.5,
    "gpt-4o-mini": 0.15,
    "gemini-2.5-pro": 1.25,
    "gemini-2.5-flash": 0.3,
}
"""US dollars for a million input tokens that no cache holds, by the beginning of a model's name: list prices of late
2025. Prices change: those of a project's settings (`token_prices`) go before."""


@dataclass(frozen=True, slots=True)
class TokenPrice:
    """Price of a model's input. Args: model: as it was named; usd: for a million tokens, > 0."""

    model: str
    usd: float

    def affordable(self, cost_max: float) -> int:
        """Tokens that an amount buys, rounded down. Args: cost_max: US dollars, >= 0."""
        about = int(cost_max * TOKENS_A_PRICE / self.usd)  # a float may be a token too high or too low
        return max(tokens for tokens in (about - 1, about, about + 1) if self.cost(tokens) <= cost_max)

    def cost(self, tokens: int) -> float:
        """Cost of so many tokens, US dollars."""
        return tokens * self.usd / TOKENS_A_PRICE


def price_of(model: str, own: Mapping[str, float]) -> TokenPrice | None:
    """Price of a model; None: nobody knows it.

    Args:
        own: prices of a project, by the name of a model or its beginning; they go before the list.
    """
    for prices in (own, LIST_PRICES):
        named = max((name for name in prices if _is_of(model, name)), key=len, default=None)
        if named is not None:
            return TokenPrice(model, prices[named])
    return None


def _is_of(model: str, name: str) -> bool:
    """Tests if a model is the one named, or a dated or numbered one of it: gpt-5-2025-08-07, not gpt-5o."""
    return model == name or (model.startswith(name) and model[len(name)] in "-:@")
