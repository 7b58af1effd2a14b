"""Expansion of a search's hits by related memories: the answer to a question, memories about the question's subject,
and those that share a rare name."""

import math
import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Final

from memory_layer.domain.memory import Memory, Ref
from memory_layer.domain.retrieval.mentions import Key, entity_key, key_of, mention_keys
from memory_layer.domain.text.entity_extraction import mentions_in, name_words_of, subject_of

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

_ASKS = re.compile("[?\uff1f\u061f]")

Relevances = Mapping[Ref, float]
"""Relevance by memory, 0..1."""


def raise_toward_one(relevance: float, share: float) -> float:
    """Raises a relevance by a share of its gap to 1; result 0..1."""
    return relevance + share * (1.0 - relevance)


def with_answers(
    relevances: Relevances, memories: Iterable[Memory], asking_factor: float
) -> dict[Ref, float]:
    """Passes relevance on from a turn that asks to the next turn, because the answer to a question follows it.

    Args:
        relevances: of all memories.
        asking_factor: factor that reduced the relevance of a turn that only asks; its answer is not reduced.

    Source: ADR-0012 (LoCoMo: R@5 + 1.6, R@10 + 1.5 points).
    """
    turns = {place: memory for memory in memories if (place := _place(memory)) is not None}
    found = dict(relevances)
    for (project, session, position), memory in turns.items():
        answer = turns.get((project, session, position + 1))
        if answer is None or not _ASKS.search(memory.content):
            continue
        handed_on = min(1.0, relevances[memory.ref] / asking_factor)
        found[answer.ref] += REPLY_SHARE * max(0.0, handed_on - relevances[answer.ref])
    return found


def is_about(memory: Memory, names: Collection[str]) -> bool:
    """Tests if a memory is by, or about, somebody of these names. Args: names: as `name_words_of` makes them."""
    subject = subject_of(memory.content)
    return subject is not None and name_words_of(subject) <= frozenset(names)


def keys_in_question(query: str, entities: Iterable[str]) -> dict[Key, float]:
    """Keys that a question names exactly, with full weight: entities that the caller named, and URNs, paths and
    identifiers in its words. Plain names do not count: they name its subject, or half of the project."""
    exact = (m for m in mentions_in(query) if m.kind in ("urn", "path", "identifier"))
    return dict.fromkeys([*map(entity_key, entities), *map(key_of, exact)], 1.0)


def keys_of_hits(best: Sequence[Memory], relevances: Relevances) -> dict[Key, float]:
    """Keys that the best hits mention or name, each with the relevance of the best such hit."""
    found: dict[Key, float] = {}
    for memory in best[:TIES_OF]:
        for key in mention_keys(memory):
            found[key] = max(found.get(key, 0.0), relevances[memory.ref])
    return found


def shares_of(weight: float, total: int, refs: Iterable[Ref]) -> dict[Ref, float]:
    """Share that one entity adds to each record tied to it: less, the more records, so that a hub floods nothing.

    Args:
        weight: of the entity, 0..1.
        total: number of all records tied to it, >= 1.
    """
    return dict.fromkeys(refs, TIE_SHARE * weight / math.sqrt(total))


def is_rare(total: int) -> bool:
    """Tests if an entity is tied to other records than the hit, and to no more than RARE_MAX."""
    return 1 < total <= RARE_MAX


def _place(memory: Memory) -> tuple[str, str, int] | None:
    if memory.session_id is None or memory.position is None:
        return None
    return memory.project, memory.session_id, memory.position
