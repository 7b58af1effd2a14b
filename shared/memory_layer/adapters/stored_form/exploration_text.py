"""Exploration and signals of a receipt as text: the same in a row and in an item."""

import json

from memory_layer.adapters.stored_form.stored_values import compact_json
from memory_layer.ports.receipts import Exploration


def exploration_text(exploration: Exploration | None) -> str | None:
    """Text of an exploration. Returns: None for none."""
    return None if exploration is None else compact_json([exploration.seed, exploration.chances])


def exploration_of(text: str | None) -> Exploration | None:
    """Parses a text of `exploration_text`. Raises: ValueError: it is damaged."""
    if text is None:
        return None
    seed, chances = json.loads(text)
    return Exploration(seed, tuple(chances))


def signals_text(signals: tuple[tuple[int, ...], ...]) -> str | None:
    """Text of the signals of a context's fragments. Returns: None for none."""
    return compact_json(signals) if signals else None


def signals_of(text: str | None) -> tuple[tuple[int, ...], ...]:
    """Parses a text of `signals_text`. Raises: ValueError: it is damaged."""
    return tuple(map(tuple, json.loads(text))) if text is not None else ()
