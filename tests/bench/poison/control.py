"""The control: the product with its safeguards of trust taken out, by this benchmark; it has no switch for them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from unittest.mock import patch

import numpy as np

from memory_layer.domain.memory import Memory
from memory_layer.domain.outcome import OUTCOME_STEPS
from memory_layer.usecases.learn import report_outcome
from memory_layer.usecases.recall import compose_prompt, recall, relevant_memories
from memory_layer.usecases.write import draft, screening

_REPLACED = (
    (recall, "order_by_trust", lambda *given: given[3]),
    (relevant_memories, "hits_by_trust", lambda *given: given[2]),
    (compose_prompt, "rows_by_trust", lambda *given: np.arange(len(given[1]))),
    (Memory, "is_trusted", property(lambda _: False)),
    (report_outcome, "allowed_move", lambda _memory, result, *_, **__: OUTCOME_STEPS[result]),
    (screening, "suspicion", lambda _: None),
    (draft, "check_claims", lambda *_: None),
    (draft, "without_figures", lambda _, said: dict(said)),
)


@contextmanager
def undefended() -> Iterator[None]:
    """Takes out the order of trust, standing, bounds of verdicts, the screening of words, and caps on claims."""
    with ExitStack() as taken_out:
        for where, name, instead in _REPLACED:
            taken_out.enter_context(patch.object(where, name, instead))
        yield


@contextmanager
def unordered() -> Iterator[None]:
    """Takes out the order of trust alone."""
    with ExitStack() as taken_out:
        for where, name, instead in _REPLACED[:3]:
            taken_out.enter_context(patch.object(where, name, instead))
        yield
