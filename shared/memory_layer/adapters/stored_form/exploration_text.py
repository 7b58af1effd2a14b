"""Exploration of a recall as text: the same in a row and in an item."""

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
