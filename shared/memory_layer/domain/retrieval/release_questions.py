"""Questions on a release: which words ask what a version brought, and what is searched for in their place.

`Which bugs were fixed in 2.4.0?` shares `bugs` and `fixed` with the lines of every other release.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from memory_layer.domain.retrieval.question_words import AskedWord
from memory_layer.domain.retrieval.specific_tokens import SpecificToken, is_version, specific_tokens
from memory_layer.domain.safety.text_caches import kept_by_text
from memory_layer.domain.text.analyzer import distinct_terms, terms_of, words_in
from memory_layer.domain.text.german import FUNCTION_WORDS
from memory_layer.domain.text.opposites import word_set

RELEASE_TERMS: Final = distinct_terms(
    "change changes changed new news release releases released version versions note notes changelog feature features"
    " bug bugs bugfix bugfixes fix fixes fixed break breaks broke broken breaking deprecated deprecation deprecations"
    " add adds added remove removes removed removal drop dropped improve improved improvement improvements highlight"
    " highlights upgrade upgrading migrate migration introduce introduced come comes came bring brings brought ship"
    " ships shipped patch patches anything something publish published yanked regression regressions"
    " geändert änderung änderungen neu neues neue fehler behoben gebracht bringt enthält hinzugefügt entfernt"
    " veröffentlicht neuerungen fassung"
)
"""Analysed words that ask what a release brought, whichever release it is."""

_KINDS: Final = tuple(
    (distinct_terms(asked), distinct_terms(f"{asked} {told}"))
    for asked, told in (
        ("fix fixes fixed bug bugs bugfix bugfixes behoben fehler", "repaired"),
        ("break breaks broke broken breaking", "incompatible"),
        ("add adds added feature features introduced hinzugefügt neuerungen", "new enhancement neu"),
        ("remove removed removal removes drop dropped entfernt", "drops"),
        ("deprecated deprecation deprecations", "deprecates"),
    )
)
"""Analysed words that ask for one kind of news, and those with which its lines or their headings begin."""

_RANGE_WORDS: Final = word_set(
    "since after before between until through from than later newer older earlier seit nach vor zwischen bis ab"
)
"""Words by which a question asks of other releases than those that it names."""

_LABEL_CHARS: Final = 24
"""Beginning of a line that tells its kind of news: `Fixed: …`, `BREAKING CHANGE …`."""


def words_beside_release(words: Sequence[AskedWord], tokens: Sequence[SpecificToken]) -> list[AskedWord]:
    """Words of a question without those that ask of any release alike; all of them where it names no version."""
    if not any(map(is_version, tokens)):
        return list(words)
    return [word for word in words if RELEASE_TERMS.isdisjoint(word.terms)]


def asked_release(question: str) -> Sequence[SpecificToken]:
    """Versions of a question that asks of nothing but what these releases brought; empty: it asks of something else."""
    versions = [token for token in specific_tokens(question) if is_version(token)]
    if (
        not versions
        or not _RANGE_WORDS.isdisjoint(question.casefold().split())
        or RELEASE_TERMS.isdisjoint(distinct_terms(question))
    ):
        return ()
    named = {word for token in versions for word in words_in(f"{token.text} {token.of}".casefold())}
    return () if any(word.casefold() not in named for word in _other_words(question)) else versions


def kinds_asked(question: str) -> frozenset[str]:
    """Terms of the kinds of news that a question asks for; empty: it asks for all."""
    terms = distinct_terms(question)
    return frozenset().union(*(told for asked, told in _KINDS if not asked.isdisjoint(terms)))


def is_of_kind(kinds: frozenset[str], content: str, context: str | None) -> bool:
    """Tests if a line is news of one of some kinds, by its beginning and the headings over it; of none all are."""
    return not kinds or not kinds.isdisjoint(distinct_terms(f"{content[:_LABEL_CHARS]} {context or ''}"))


@kept_by_text(64)
def searched_words(question: str) -> str | None:
    """Words that a question on a release is searched by: its version, with and without a `v`, and its other words.

    Returns:
        None: the question asks of no release, and all its words are searched for.
    """
    tokens = specific_tokens(question)
    versions = [token.bare for token in tokens if is_version(token)]
    if not versions or RELEASE_TERMS.isdisjoint(distinct_terms(question)):
        return None
    return " ".join(
        dict.fromkeys((*_other_words(question), *versions, *(f"v{version}" for version in versions)))
    )


def _other_words(question: str) -> list[str]:
    return [
        word
        for word in words_in(question)
        if terms_of(word) and word.lower() not in FUNCTION_WORDS and RELEASE_TERMS.isdisjoint(terms_of(word))
    ]
