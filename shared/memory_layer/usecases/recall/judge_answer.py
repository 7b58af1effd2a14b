"""Judgement of an answer: its evidence, the relevance of each hit, and what the question names and no hit covers."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Final

from memory_layer.domain.arrays import np
from memory_layer.domain.memory import Memory, Ref, searchable_text
from memory_layer.domain.retrieval.asked_attribute import asked_attribute
from memory_layer.domain.retrieval.asked_period import AskedPeriod
from memory_layer.domain.retrieval.candidates import RecordTable
from memory_layer.domain.retrieval.evidence import (
    EVIDENCE_FLOOR,
    SearchFacts,
    evidence,
    relevances,
    without_missed,
    words_log_odds,
)
from memory_layer.domain.retrieval.mentions import keys_of_name, mention_keys
from memory_layer.domain.retrieval.question_words import (
    AskedWord,
    Ranks,
    asked_words,
    coverages,
    credits_of,
    with_other_spellings,
)
from memory_layer.domain.retrieval.release_questions import words_beside_release
from memory_layer.domain.retrieval.said_tokens import said_tokens
from memory_layer.domain.retrieval.specific_tokens import specific_tokens
from memory_layer.domain.text.analyzer import spellings, words_in
from memory_layer.domain.text.bridged_terms import bridged_terms, german_share
from memory_layer.domain.text.digest_cache import DigestCache
from memory_layer.domain.text.german import is_german, may_be_german
from memory_layer.usecases.recall.find_candidates import CandidateSearch
from memory_layer.usecases.recall.judge_candidates import CandidateHits

if TYPE_CHECKING:
    from memory_layer.domain.retrieval.blending import Column

HITS_JUDGED: Final = 10
"""First hits, on whose words the evidence of an answer rests."""

GAP_WEIGHT: Final = 0.35
"""Weight of a word from which on it is missed: the question is about it."""

UNTOLD_EVIDENCE: Final = 0.5
"""Most evidence of an answer none of whose hits says what attribute is asked for; it hides nothing (ADR-0020)."""

TEXTS_KEPT: Final = 2_048
KEPT_CHARS: Final = 2_000
"""Texts whose terms are kept, and the most characters of one: what is shown once is shown again."""

_terms_of: Final = DigestCache(bridged_terms, TEXTS_KEPT)

NAMED_LOG_ODDS: Final = 12.0
"""Log-odds of an answer that rests on an entity which the caller names: it is certain."""


@dataclass(frozen=True, slots=True)
class ShownHits:
    """Hits in the order that they are shown: the first ten at least, where there are as many.

    Args:
        memories: with all their words.
        records: of the memories.
        shares: their blended relevance, shape (n,).
        models: of the vectors in use; a hit that has none of it is judged by its words.
        is_named: as `Hits`.
    """

    memories: Sequence[Memory]
    records: RecordTable
    shares: Column
    models: Collection[str]
    is_named: bool = False


@dataclass(frozen=True, slots=True)
class AnswerChances:
    """Chances of an answer.

    Args:
        evidence: that the project knows an answer, 0..1.
        gaps: what the question names and none of the first hits covers, in its order.
        relevance: that each hit bears on the question, 0..1.
        knows_nothing: nothing relevant is known; never said while meanings cannot be compared.
    """

    evidence: float
    gaps: tuple[str, ...]
    relevance: Mapping[Ref, float]
    knows_nothing: bool = False


def judge_answer(
    search: CandidateSearch,
    ranks: Ranks,
    found: CandidateHits,
    hits: ShownHits,
    entities: Sequence[str] = (),
) -> AnswerChances:
    """Judges an answer by the hits that it would show.

    Args:
        ranks: of words; without an embedding all words weigh alike.
        entities: named by the caller.
    """
    tokens = specific_tokens(search.query)
    words = words_beside_release(
        asked_words(search.query, ranks if found.has_cosines else None, search.synonyms), tokens
    )
    period, judged = search.period, hits.memories[:HITS_JUDGED]
    exact = said_tokens(tokens, [searched_words_of(memory) for memory in judged] if tokens else ())
    texts = [covering_terms(memory, period) for memory in judged]
    apart = partial(map, lambda memory: searched_words_of(memory).lower(), judged)
    credits = exact.credits(words, with_other_spellings(words, credits_of(words, texts), apart))
    said = [max(of_word) for of_word in zip(*credits, strict=True)] or [0.0] * len(words)
    if period is not None and period.is_whole and any(map(period.is_told, judged)):
        found = replace(
            found, best_cosine=max(found.best_cosine, found.chance_cosine)
        )  # it has no subject to be near to
    covered = coverages(words, credits)
    facts = replace(
        _facts(found, words, said, max(covered, default=0.0)), german=_german_share(search.query, texts)
    )
    log_odds = (
        NAMED_LOG_ODDS
        if hits.is_named
        else without_missed(_log_odds(facts, hits, covered), exact.share_missed(words))
    )
    spelled = {} if search.query.isascii() else spellings(search.query)
    gaps = [
        spelled.get(word.word, word.word)
        for word, credit in zip(words, said, strict=True)
        if _is_gap(word, credit)
    ]
    chance = evidence(log_odds)
    if not hits.is_named and _lacks_attribute(search.query, words, said):
        chance = min(chance, UNTOLD_EVIDENCE)
    bearing = relevances(log_odds, hits.shares.tolist(), nearness_of(found, hits.records).tolist())
    return AnswerChances(
        chance,
        tuple(
            dict.fromkeys((*gaps, *(token.text for token in exact.missed), *_unmet(entities, hits.memories)))
        ),
        dict(zip((memory.ref for memory in hits.memories), bearing, strict=True)),
        knows_nothing=found.has_cosines and chance < EVIDENCE_FLOOR,
    )


def _log_odds(facts: SearchFacts, hits: ShownHits, covered: Sequence[float]) -> float:
    """Log-odds of the answer: by meaning and words, or by the words alone of a hit without a vector.

    Args:
        covered: share of the question that each of the first hits says.
    """
    by_words = [
        words_log_odds(share, facts.searched)
        for share, memory in zip(covered, hits.memories, strict=False)
        if memory.embedding_model not in hits.models
    ]
    return max([facts.log_odds, *by_words])


def _german_share(question: str, texts: Sequence[frozenset[str]]) -> float:
    """Share of the first hits that are German as the question is. Args: texts: their terms."""
    words = words_in(question)
    return german_share(texts) if may_be_german(words) and is_german(words) else 0.0


def _lacks_attribute(question: str, words: Sequence[AskedWord], said: Sequence[float]) -> bool:
    """Tells if a question asks for an attribute that none of the first hits names. Args: said: share of each word."""
    attribute = asked_attribute(words_in(question))
    return attribute is not None and any(
        word.word.casefold() == attribute and _is_gap(word, credit)
        for word, credit in zip(words, said, strict=True)
    )


def _is_gap(word: AskedWord, credit: float) -> bool:
    return not credit and word.weight >= GAP_WEIGHT


def covering_terms(memory: Memory, period: AskedPeriod | None) -> frozenset[str]:
    """Terms that a memory covers a question with: of its texts, tags and category, and of the days that it tells of."""
    said = searched_words_of(memory)
    terms = _terms_of.of(said) if len(said) <= KEPT_CHARS else bridged_terms(said)
    return terms | period.terms if period is not None and period.is_told(memory) else terms


def searched_words_of(memory: Memory) -> str:
    """Words of a memory that count as said: of its texts, tags and category."""
    labels = (*memory.tags, *(() if memory.category == "general" else (memory.category,)))
    return " ".join((searchable_text(memory.content, memory.context) or memory.content, *labels))


def _facts(
    found: CandidateHits, words: Sequence[AskedWord], said: Sequence[float], covered: float
) -> SearchFacts:
    names = [
        bool(credit) or any(found.words.holders.get(term) for term in word.terms)
        for word, credit in zip(words, said, strict=True)
        if word.is_name
    ]
    nearness = found.best_cosine - found.chance_cosine if found.has_cosines else 0.0
    return SearchFacts(nearness, covered, found.searched, lacks_names=bool(names) and not any(names))


def nearness_of(found: CandidateHits, records: RecordTable) -> Column:
    """Cosines above chance of hits that the search found; 0 of those that the graph alone brought in."""
    if not found.has_cosines or not len(found.records):
        return np.zeros(len(records))
    known = found.nearness
    return np.array([known.get(identity, 0.0) for identity in records.identities.tolist()], np.float64)


def _unmet(entities: Sequence[str], memories: Iterable[Memory]) -> list[str]:
    """Entities that the caller names and no hit mentions."""
    met = {key for memory in memories for key in mention_keys(memory)} if entities else set()
    return [entity for entity in entities if met.isdisjoint(keys_of_name(entity))]
