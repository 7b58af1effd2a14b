"""Classification of texts and queries by rules of words and their inflections; none where the rules are unsure.

A wrong category costs more than none: it may make a memory expire, or boost memories that nobody asked for.
"""

import re
from collections.abc import Iterator, Mapping
from functools import cache

from memory_layer.domain.memory import Category, Dimension, MemoryType
from memory_layer.domain.text import category_rules, wording_patterns

SUMMARY_MAX_CHARS = 200

_HEAD_CHARS = 2_000
"""Characters that are read of a text: its beginning shows its category."""

TYPE_OF_CATEGORY: Mapping[Category, MemoryType] = {
    "gotcha": "warning",
    "troubleshooting": "learning",
    "workaround": "learning",
    "convention": "convention",
    "context": "context",
    "todo": "context",
}
"""Types by category; other categories are patterns (SPEC 1.3)."""


def type_for(category: Category) -> MemoryType:
    """Default type of a memory of this category."""
    return TYPE_OF_CATEGORY.get(category, "pattern")


_LABEL = re.compile(
    rf"\W{{0,8}}(?P<label>{'|'.join(sorted(category_rules.LABELS, key=len, reverse=True))})"
    r"s?(?:[ -]?\d{1,5})?\W{0,3}"
    "[:\\]\u2013\u2014]",  # a colon, a bracket, a dash
    re.IGNORECASE,
)


_OTHER_RULES = tuple(rule for rule in category_rules.CATEGORY_RULES if not rule.is_of_words)


@cache
def _any_category() -> re.Pattern[str]:
    """Pattern of all wordings, compiled on first use: it takes 20 ms, and reads need none."""
    return wording_patterns.any_wording(category_rules.CATEGORY_RULES)


@cache
def _any_dimension() -> re.Pattern[str]:
    """Pattern of all wordings of dimensions: most texts are knowledge."""
    patterns = (category_rules.EVENT, category_rules.RELATIONSHIP, category_rules.ENTITY)
    return wording_patterns.any_of_words(patterns)


def category_of_label(content: str) -> Category | None:
    """Category that a text names itself (`Gotcha: …`); None if it names none."""
    label = _LABEL.match(content)
    return category_rules.LABELS[label["label"].lower()] if label else None


def detect_category(content: str) -> Category:
    """Detects the category of a text, by its own label or else by the rules; `general` when unsure."""
    head = content[:_HEAD_CHARS]
    label = category_of_label(head)
    return category_by_rules(head) if label is None else label


def category_by_rules(head: str) -> Category:
    """Category of the first rule that holds for the beginning of a text; `general` when none does."""
    lowered = head.lower()
    rules = category_rules.CATEGORY_RULES if _any_category().search(lowered) else _OTHER_RULES
    return next((rule.category for rule in rules if rule.holds(head, lowered)), "general")


def detect_intent(query: str) -> Category | None:
    """Detects the category that a query clearly asks for, for the ranking boost; None for a plain question."""
    head = query[:_HEAD_CHARS]
    lowered = head.lower()
    return next((rule.category for rule in category_rules.INTENT_RULES if rule.holds(head, lowered)), None)


def detect_dimension(content: str, category: Category) -> Dimension:
    """Detects the dimension of a memory: preference, event, relationship, entity; else knowledge.

    Source: the dimensions of LoCoMo (ACL 2024); Persona-Scoped Memory, memory types.
    """
    lowered = content[:_HEAD_CHARS].lower()
    if category in ("preference", "tool_preference"):
        return "preference"
    if not _any_dimension().search(lowered):
        return "knowledge"
    if category_rules.EVENT.search(lowered):
        return "event"
    if category_rules.RELATIONSHIP.search(lowered):
        return "relationship"
    return "entity" if category_rules.ENTITY.search(lowered) else "knowledge"


_MARKERS = re.compile(r"^(?:\s*(?:#{1,6}\s+|[-*+>•]\s+|\d{1,3}[.)]\s+|\[[ x]\]\s+|(?:```|~~~)[^\n]*\n))+")
_SENTENCE_END = re.compile(
    "[.!?\u2026]+[\"')\\]\u201d\u2019\u00bb*_`]*(?=\\s|$)"  # then what closes: quotes, brackets, emphasis
    "|[\u3002\uff01\uff1f]"  # Chinese and Japanese write on without a space
)
_ABBREVIATION = re.compile(
    r"(?:^|[\s(\[\"'])(?:e\.g|i\.e|vs|cf|ca|approx|incl|excl|resp|mr|mrs|ms|dr|prof|st|ver|min|max|dept|est"
    r"|jan|feb|mar|apr|jun|jul|aug|sept?|oct|nov|dec|[a-z]|(?:[a-z]\.)+[a-z])\.$",
    re.IGNORECASE,
)
_ABBREVIATION_THAT_MAY_END = re.compile(
    r"(?:^|[\s(])(?:etc|al|inc|ltd|co|corp|jr|sr|[ap]\.m)\.$", re.IGNORECASE
)
_ABBREVIATION_OF_NUMBERS = re.compile(r"(?:^|[\s(])(?:no|nr|nos|fig|sec|ch|vol|pp?)\.$", re.IGNORECASE)


def first_sentence(content: str) -> str:
    """First sentence of a text, as its summary on one line, at most 200 characters, without list marks.

    A full stop ends no sentence inside versions, numbers, URLs, names or after an abbreviation.
    """
    block = _first_block(content)
    return _shortened(next(sentences_of(block), block))


def sentences_of(line: str) -> Iterator[str]:
    """Yields the sentences of a line; what is left after the last of them is one too."""
    start = 0
    for end in _SENTENCE_END.finditer(line):
        if not goes_on(line[start : end.end()], line[end.end() :]):
            yield line[start : end.end()].strip()
            start = end.end()
    if line[start:].strip():
        yield line[start:].strip()


def goes_on(sentence: str, rest: str) -> bool:
    """Tests if a sentence continues after its apparent end, by the text before and after that."""
    follows = rest.lstrip()[:1]
    if not follows or not sentence.endswith("."):
        return follows.islower() and not sentence.endswith(("!", "?"))
    last = sentence.rsplit(None, 1)[-1]
    if follows.islower():
        return sentence.endswith("..") or _is_abbreviation(last)
    if _ABBREVIATION_THAT_MAY_END.search(last):
        return False
    if follows.isdigit() and _ABBREVIATION_OF_NUMBERS.search(last):
        return True
    return bool(_ABBREVIATION.search(last))


def _first_block(content: str) -> str:
    """First heading or paragraph of a text, on one line."""
    head = content.strip()[: 10 * SUMMARY_MAX_CHARS]
    bare = _MARKERS.sub("", head, count=1)
    ends_at_line = head.lstrip().startswith(("#", "-", "*", "+", "•")) and head != bare
    block = re.split(r"\n" if ends_at_line else r"\n\s*\n|\n(?=\s*[-*#] )|\n(?=\s*```)", bare, maxsplit=1)[0]
    return " ".join(block.split()) or " ".join(head.split())


def _is_abbreviation(word: str) -> bool:
    return bool(_ABBREVIATION.search(word) or _ABBREVIATION_THAT_MAY_END.search(word))


def _shortened(text: str) -> str:
    if len(text) <= SUMMARY_MAX_CHARS:
        return text
    room = text[: SUMMARY_MAX_CHARS - 1]
    whole_words = room.rsplit(" ", 1)[0] if " " in room[SUMMARY_MAX_CHARS // 2 :] else room
    return f"{whole_words.rstrip(' ,;:-')}…"
