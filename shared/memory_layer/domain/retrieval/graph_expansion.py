"""Expansion of a search's hits by related memories: the answer to a question, memories about the question's subject,
and those that share a rare name."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Final

from memory_layer.domain.arrays import NDArray, np, true_rows
from memory_layer.domain.retrieval.facts import HAS_QUESTION, NO_SESSION
from memory_layer.domain.retrieval.mentions import Key, entity_key, key_of
from memory_layer.domain.text.entity_extraction import mentions_in

if TYPE_CHECKING:
    from memory_layer.domain.retrieval.blending import Column
    from memory_layer.domain.retrieval.facts import Facts

REPLY_SHARE: Final = 0.5
"""Share of a question's lead in relevance that the next turn gets; .3 to .7 is one plateau."""

SUBJECT_SHARE: Final = 0.15
"""Share of the gap to 1 for a memory whose speaker the query names; .1 to .2 is one plateau."""

TIE_SHARE: Final = 0.3
"""Share of the gap for memories tied to a named entity, or to one of the best hits, over the root of their number."""

TIES_OF: Final = 3
"""Number of best hits whose entities are looked up."""

RARE_MAX: Final = 12
"""Most records tied to a rare entity; one with more is a hub, which distinguishes nothing."""

KEYS_MAX: Final = 24
"""Entities looked up for one question."""


def raise_toward_one(relevance: Column, share: Column) -> Column:
    """Raises relevance by a share of its gap to 1; result 0..1; shapes (n,)."""
    return relevance + share * (1.0 - relevance)


def with_answers(relevance: Column, facts: Facts, asking_factor: float) -> Column:
    """Passes relevance on from a turn that asks to the next turn, because the answer to a question follows it.

    Args:
        relevance: 0..1, of each record of `facts`; shape (n,).
        asking_factor: factor that reduced the relevance of a turn that only asks; its answer is not reduced.

    Source: ADR-0012 (LoCoMo: R@5 + 1.6, R@10 + 1.5 points).
    """
    session, position = facts["session"], facts["position"]
    is_turn = (session != NO_SESSION) & (position >= 0)
    asking = true_rows(is_turn & (facts["flags"] & HAS_QUESTION != 0))
    if not len(asking):
        return relevance
    answers = (session[asking, None] == session) & (position[asking, None] + 1 == position)
    handed_on = np.minimum(1.0, relevance[asking] / asking_factor)
    gained = np.where(answers, np.maximum(0.0, handed_on[:, None] - relevance), 0.0)
    return np.asarray(relevance + REPLY_SHARE * gained.max(axis=0, initial=0.0))


def keys_in_question(query: str, entities: Iterable[str]) -> dict[Key, float]:
    """Keys that a question names exactly, with full weight: entities that the caller named, and URNs, days, paths
    and identifiers in its words. Plain names do not count: they name its subject, or half of the project."""
    exact = (m for m in mentions_in(query) if m.kind in ("urn", "date", "path", "identifier"))
    return dict.fromkeys([*map(entity_key, entities), *map(key_of, exact)], 1.0)


def shares_of(weights: Column, totals: NDArray[np.int64]) -> Column:
    """Share that each entity adds to a record tied to it: less, the more records, so that a hub floods nothing.

    Args:
        weights: of the entities, 0..1; shape (n,).
        totals: number of all records tied to each, >= 1; shape (n,).
    """
    return np.asarray(TIE_SHARE * weights / np.sqrt(totals))


def is_rare(totals: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Tests which entities are tied to other records than the hit, and to no more than RARE_MAX."""
    return (totals > 1) & (totals <= RARE_MAX)
