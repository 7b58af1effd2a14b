"""Explanation of hits: the words and entities of the question that each of them says, as its reader sees it."""

from collections.abc import Iterable, Sequence
from dataclasses import replace

from memory_layer.domain.ranking import Match, RankedMemory
from memory_layer.domain.retrieval.matches import matches
from memory_layer.domain.retrieval.mentions import Key, keys_of_name, said_keys
from memory_layer.domain.retrieval.question_words import asked_words
from memory_layer.domain.text.analyzer import spellings
from memory_layer.usecases.recall.find_candidates import CandidateSearch
from memory_layer.usecases.recall.judge_answer import covering_terms


def explained(
    hits: Sequence[RankedMemory], search: CandidateSearch, entities: Iterable[str]
) -> list[RankedMemory]:
    """Hits, each with what it says of the question.

    Args:
        hits: as they are shown, so that no match tells of words that are redacted.
        entities: named by the caller.
    """
    words = asked_words(search.query, None, search.synonyms)
    memories = [hit.memory for hit in hits]
    found = matches(
        words,
        _asked_keys(search.query, entities),
        memories,
        [covering_terms(memory, search.period) for memory in memories],
    )
    spelled = spellings(search.query)
    return [replace(hit, matched=_as_asked(match, spelled)) for hit, match in zip(hits, found, strict=True)]


def _asked_keys(query: str, entities: Iterable[str]) -> set[Key]:
    return {*said_keys(query), *(key for name in entities for key in keys_of_name(name))}


def _as_asked(match: Match, spelled: dict[str, str]) -> Match:
    return replace(match, words=tuple(spelled.get(word, word) for word in match.words))
