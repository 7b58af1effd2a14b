"""Approaches to the work that learnings of iterations mention, in one wording for all that mean the same."""

import re

from memory_layer.domain.text.plain_words import CLAUSE_END, READ_CHARS, plain_words, standalone_line

TEST_DRIVEN = "Test-driven development approach"
INCREMENTAL = "Incremental implementation"
REFACTOR_AFTER = "Implement first, refactor after"
MINIMAL = "Minimal changes approach"


def _all(*words: str) -> tuple[re.Pattern[str], ...]:
    return tuple(re.compile(f" (?:{word})(?= )") for word in words)


_SIZE = "(?:small|smaller|smallest|tiny)"
_RULES: tuple[tuple[str, tuple[re.Pattern[str], ...]], ...] = (
    (TEST_DRIVEN, _all("test driven|tdd")),
    (TEST_DRIVEN, _all("tests?|tested|testing", "(?<! at )first(?! (?:time|try|attempt|run|go|place)\\b)")),
    (INCREMENTAL, _all("incremental(?:ly)?|step by step|step at a time|in (?:small )?(?:increments|steps)")),
    (
        REFACTOR_AFTER,
        _all("refactor(?:s|ed|ing)?", "after(?! (?:(?:the|a|this|each|every) )?refactor)|afterwards?"),
    ),
    (MINIMAL, _all(f"minimal(?:ly)?|{_SIZE} (?:(?:[|] )?[^ |]+ ){{0,2}}changes?")),
)
"""Approaches, each with the patterns that must all match. Source: SPEC 6.8; Loop Learning, normalization examples.

`At first` and `the first time` state no order of work; work that came after a refactoring was no refactoring.
"""

_STEMS = ("test", "tdd", "increment", "step", "refactor", "minimal", "small", "tiny")
"""Stems of which every text that a rule matches has one; other texts need not be parsed."""

_DENIALS = frozenset(
    [
        *("not", "no", "never", "without", "avoid", "avoided", "avoiding", "instead", "rather", "skipped"),
        *("cannot", "cant", "dont", "didnt", "doesnt", "wont"),
    ]
)
_DENIED_WORDS = 3


def approach_of(text: str) -> str | None:
    """Detects the approach that a learning mentions; None if the text is too short to tell.

    Returns:
        One of four wordings, or else the text itself on one line of at most 100 characters. A denied approach
        ("did not write tests first") does not count.
    """
    head = text.lstrip()[:READ_CHARS]
    lowered = head.lower()
    if any(stem in lowered for stem in _STEMS):
        words = plain_words(head)
        for approach, patterns in _RULES:
            if all(_is_affirmed(pattern, words) for pattern in patterns):
                return approach
    return standalone_line(head)


def _is_affirmed(pattern: re.Pattern[str], words: str) -> bool:
    return any(not _is_denied(words[: match.start()]) for match in pattern.finditer(words))


def _is_denied(before: str) -> bool:
    clause = before.rpartition(CLAUSE_END)[2]
    return not _DENIALS.isdisjoint(clause.split()[-_DENIED_WORDS:])
