"""Detection of the kind of task that an objective sets, by words and their inflections, tried in a fixed order."""

import re

from memory_layer.domain.memory import TaskType
from memory_layer.domain.text.plain_words import plain_words

_TEST_IN_NAME = re.compile(
    r"(?<=[a-z0-9])(?P<after>Tests?|Specs?)(?![a-z])|(?<![A-Za-z0-9])(?P<before>tests?)(?=[A-Z])"
)


def _any(*wordings: str) -> re.Pattern[str]:
    """Pattern of any of these wordings, among `plain_words`."""
    return re.compile(f" (?:{'|'.join(wordings)}) ")


_RULES: tuple[tuple[TaskType, re.Pattern[str]], ...] = (
    (
        "test-fix",
        _any(
            "(?:(?:unit|doc|py)?tests?|tested|testing)",
            "specs?",
            "jest",
            "vitest",
            "failing",
        ),
    ),
    (
        "feature",
        _any(
            "implement(?:s|ed|ing|ations?)?",
            "(?:add(?:s|ed|ing)?|new) (?:[^ |]+ ){0,3}features?",
            "(?:build(?:s|ing)?|built)",
        ),
    ),
    (
        "refactor",
        _any(
            "refactor(?:s|ed|ings?)?",
            "reorgani[sz](?:e|es|ed|ing|ations?)",
            "restructur(?:e|es|ed|ings?)",
            "clean(?:s|ed|ing|ups?)?",
        ),
    ),
    (
        "bug-fix",
        _any(
            "(?:(?:bug|hot)?fix(?:es|ing)?|bugfixed|hotfixed)",
            "fixed(?! (?:width|size|sized|length|point|rate|price|position)\\b)",
            "bugs?|buggy",
            "errors?|errored|erroring",
            "crash(?:es|ed|ing)?",
            "issues?",
        ),
    ),
    (
        "documentation",
        _any("document(?:s|ed|ing|ations?)?", "readmes?", "guid(?:e|es|ed|ing)", "docs?"),
    ),
    (
        "architecture",
        _any("architectur(?:es?|al|ally)", "design(?:s|ed|ing)?", "structur(?:e|es|ed|ing)"),
    ),
    (
        "performance",
        _any(
            "optimi[sz](?:e|es|ed|ing|ations?)",
            "performances?",
            "speed(?:s|ed|ing|ups?)?|sped",
            "slow(?:s|er|est|ed|ing|ly|ness|downs?)?",
        ),
    ),
)
"""Rules by task type. Source: Loop Learning, task type detection; its substrings as words, so that `latest` is no
test, and with the nouns of the same stem (documentation, optimization), but without agents (builder, optimizer)."""


def detect_task_type(objective: str) -> TaskType:
    """Detects the kind of task, so that learnings of one task serve the next of its kind; `general` if no rule matches.

    Names of tests count as tests (`login.test.ts`, `LoginTest`, `testLogin`); other identifiers in camel case
    are names of things, and do not count.
    """
    words = plain_words(_TEST_IN_NAME.sub(r" \g<0> ", objective))
    return next((task_type for task_type, rule in _RULES if rule.search(words)), "general")
