"""What hangs together with the best hits bears on a question too: the answer to a question, who is asked about, and
what shares a rare name."""

import math
import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Final

from memory_layer.domain.memory import Memory, Ref
from memory_layer.domain.retrieval.mentions import Key, entity_key, key_of, mention_keys
from memory_layer.domain.text.entity_extraction import mentions_in, name_words_of, subject_of

REPLY_SHARE: Final = 0.5
"""Of what a turn that asks is more relevant than the next one, that one gets so much; .3 to .7 is one plateau."""

SUBJECT_SHARE: Final = 0.15
"""Of what is missing to the best: where the query names who says it; .1 to .2 is one plateau."""

TIE_SHARE: Final = 0.3
"""The same for what a named thing, or one of the best hits, is tied to, divided by the root of how many are."""

TIES_OF: Final = 3
"""The best hits, of which what they speak of is looked up."""

RARE_MAX: Final = 12
"""What more records are tied to tells them apart from nothing: a hub."""

KEYS_MAX: Final = 24
"""Things looked up for one question."""

_ASKS = re.compile("[?\uff1f\u061f]")

Relevances = Mapping[Ref, float]
"""By memory, 0..1."""


def raised(relevance: float, share: float) -> float:
    """Nearer to 1 by a share of what is missing, 0..1."""
    return relevance + share * (1.0 - relevance)


def with_answers(
    relevances: Relevances, memories: Iterable[Memory], asking_factor: float
) -> dict[Ref, float]:
    """A turn that asks hands on its relevance to the next turn: what shares the words of a question is followed by
    what answers it.

    Args:
        relevances: of all of them.
        asking_factor: what a turn that only asks was counted as, which its answer does not suffer from.

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
    """Whether it is said by, or about, somebody of these names. Args: names: as `name_words_of` makes them."""
    subject = subject_of(memory.content)
    return subject is not None and name_words_of(subject) <= frozenset(names)


def keys_in_question(query: str, entities: Iterable[str]) -> dict[Key, float]:
    """What a question names exactly, with full weight: entities that the caller named, and in its words URNs, paths
    and identifiers. A name in a question is of its subject, or of half of the project."""
    exact = (m for m in mentions_in(query) if m.kind in ("urn", "path", "identifier"))
    return dict.fromkeys([*map(entity_key, entities), *map(key_of, exact)], 1.0)


def keys_of_hits(best: Sequence[Memory], relevances: Relevances) -> dict[Key, float]:
    """What the best hits speak of and name, with the relevance of the best that does."""
    found: dict[Key, float] = {}
    for memory in best[:TIES_OF]:
        for key in mention_keys(memory):
            found[key] = max(found.get(key, 0.0), relevances[memory.ref])
    return found


def shares_of(weight: float, total: int, refs: Iterable[Ref]) -> dict[Ref, float]:
    """What one thing adds to each record that it is tied to: less, the more there are, so that a hub floods nothing.

    Args:
        weight: of the thing, 0..1.
        total: of all records that it is tied to, >= 1.
    """
    return dict.fromkeys(refs, TIE_SHARE * weight / math.sqrt(total))


def is_rare(total: int) -> bool:
    """Whether a thing that the best hit speaks of leads anywhere else, and not everywhere."""
    return 1 < total <= RARE_MAX


def _place(memory: Memory) -> tuple[str, str, int] | None:
    if memory.session_id is None or memory.position is None:
        return None
    return memory.project, memory.session_id, memory.position
