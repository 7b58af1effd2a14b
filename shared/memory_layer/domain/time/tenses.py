"""Tense of the clause about a place in a text: past, future, or unknown; English and German, by marks of verbs."""

import re
from typing import Final, Literal

Tense = Literal["past", "future"]

_NO_PASSIVE: Final = (
    r"(?<!\bis )(?<!\bare )(?<!\bbe )(?<!\bbeing )(?<!\bgets )(?<!\bget )"
    r"(?<!'s )(?<!\ba )(?<!\ban )(?<!\bthe )"
)

PAST: Final = re.compile(
    rf"\b{_NO_PASSIVE}(?:was|were|had|did|didn't|went|got|came|saw|took|gave|found|told|said|felt|left|met|ran|won|lost|bought"
    r"|brought|broke|began|built|caught|chose|drove|ate|fell|flew|forgot|held|heard|kept|knew|led|made|paid|rode|sang"
    r"|sat|sent|shot|slept|spent|spoke|stood|swam|taught|thought|threw|woke|wore|wrote|sold|became|drew|drank|grew"
    r"|war|waren|hatte|hatten|wurde|wurden|ging|gingen|kam|kamen|gab|gaben|fand|fanden|lief|liefen|fiel|fielen|bekam|traf"
    r"|trafen|schrieb|sah|sahen|nahm|nahmen|stand|standen|schlug|brach|begann|verlor|stieg|sank|zog|rief|blieb|hielt"
    r"|warf|sprach|trat|entschied|schien|verschwand)\b"
    rf"|\b{_NO_PASSIVE}(?!(?:based|named|supposed|required|allowed|expected|excited|interested|tired|related|limited"
    r"|scheduled|planned|dedicated|distributed|shared|used to)\b)[a-z]{2,}(?<!e)ed\b"
    r"|\b(?!(?:gesamt|gewinnt|gelingt|gehört|gerät|gefällt|genügt|gehen|geben|gegen|geraten|gewesen|geschlossen"
    r"|ge\u00f6ffnet|gesperrt|gesch\u00fctzt|gestattet|geeignet|gedacht|geregelt|gesucht|geplant\w*"
    r"|angesetzt\w*|vorgesehen\w*|eingeplant\w*|vorgeschlagen\w*)\b)"
    r"(?:auf|aus|ab|an|ein|um|zu|vor|nach|mit|weg|bei|frei|los|her|hin|dar|dazu|fest|fort|zurück|zusammen|hinzu)?ge"
    r"[a-zäöüß]{3,}(?:t|en)\b|\bgewesen\b"
    r"|\b(?:habe|hast|hat|haben|bin|ist|sind)\b(?=[^.!?;:\n]{0,120}?(?<!zu )\b(?:be|ver|er|ent|zer|über|unter|miss)"
    r"[a-zäöüß]{3,}(?:t|en)\s*(?:[.,;!?]|$|und\b))"
    r"|\b(?!(?:k\u00f6nnt|sollt|m\u00fcsst|h\u00e4tt|m\u00f6cht|d\u00fcrft|w\u00fcrd|arbeit|wart|start|halt|biet|kost|leit|bitt"
    r"|heut|heute|bitte|seit)e?n?\b)[a-z\u00e4\u00f6\u00fc\u00df]{3,}te(?:n|st)? (?:ich|er|sie|es|wir|man)\b"
    r"|\b(?:las|schlief|a\u00df|trank|half|bat|lag|sa\u00df|rief|lie\u00df|wu\u00dfte|wusste|dachte|brachte|kannte|starb)(?:en)?\b"
    r"|^(?:War|Waren|Hatte|Wurde|Ging|Kam|Sah|Las|Lief)\b"
    r"|(?:^|(?<=[.!?]\s))[A-ZÄÖÜ]\w+ (?!(?:könnte|sollte|müsste|sollten|könnten|müssten|hätten|often|listen|arbeiten"
    r"|warten|starten|halten|bieten|kosten|leiten)\b)[a-zäöüß]{2,}(?:(?:[bfghklmnr]|[td]e)te|ten)\b"
)
"""Marks of the past; participles that stand beside `is` or an article are adjectives or a passive of the present."""

FUTURE: Final = re.compile(
    r"\b(?:will|won't|shall|gonna|going to|plan(?:s|ned|ning)? (?:to|on)|hop(?:e|es|ing) to|about to|upcoming"
    r"|coming (?:up|out)|due|can't wait|lets|looking forward|see you|let's|scheduled|supposed to|expected to"
    r"|thinking (?:of|about)|looking to|considering|aim(?:s|ing)? (?:to|for)"
    r"|excited (?:for|to)|(?:am|is|are|I'm|he's|she's|it's|we're|they're|you're) (?:\w+ )?[a-z]{2,}ing"
    r"|wird|werden|werde|geplant|angesetzt|vorgesehen|eingeplant"
    r"|being [a-z]{2,}ed|steht an|voraussichtlich|plant|plane|planen"
    r"|soll|sollen|wollen|m\u00f6chte|m\u00f6chten|freue mich)\b|\w'll\b",
    re.IGNORECASE,
)

_HABIT: Final = re.compile(
    r"\b(?:every|each|usually|always|never|sometimes|often|typically|normally|whenever|if|unless|should|must|may"
    r"|can|could|would|annual(?:ly)?|monthly|weekly|yearly|birthday|jeden|jede|jedes|immer|nie|niemals|meistens|oft"
    r"|wenn|falls|sollte|muss|kann|darf|w\u00fcrde)\b"
)
"""Words by which a clause speaks of a rule or of a mere possibility, which has no date."""

_OF_ANOTHERS_PLAN: Final = re.compile(
    r"\b(?:asked|requested|agreed|decided|proposed|promised|offered|voted|wanted|hoped|invited|told|said|urged)\b"
    r".*\bto [a-z]+(?: \w+){0,5} $"
)
"""What was asked or agreed for a day that may lie on either side: `she asked us to vote on Friday`."""

_CLAUSE_END: Final = re.compile(
    r"[.!?;:\n\u2013\u2014](?=\s|$)|\s[-\u2013\u2014]\s|,\s(?:but|so|and|und|aber)\s"
    r"|,\s(?=(?:er|sie|es|wir|ich|dass|weil)\s)"
    r"|\s(?:and|but|so|because|while|und|aber|weil)\s(?=(?:I|I'm|I'll|we|we're|he|she|they|it|you|ich|wir|er|sie|es)\b)"
)


_SENTENCE_END: Final = re.compile(r"[.!?;:\n](?=\s|$)")


def tense_at(text: str, start: int, end: int) -> Tense | None:
    """Tense of the clause that text[start:end] stands in: that of the nearest mark; None: unknown, or no fact.

    Args:
        text: with ' for every apostrophe.
    """
    first, last = clause_about(text, start, end)
    clause = text[first:last]
    if _HABIT.search(clause):
        return None
    if _OF_ANOTHERS_PLAN.search(clause[: start - first]):
        return None
    past = _gap(PAST, clause, start - first, end - first)
    future = _gap(FUTURE, clause, start - first, end - first)
    if past == future:
        return None
    return "past" if past < future else "future"


NEAR_CHARS: Final = 300
"""Most letters on either side of words about time that tell what they mean; few sentences are longer."""


def clause_about(text: str, start: int, end: int) -> tuple[int, int]:
    """Begin and end of the clause that text[start:end] stands in, at most NEAR_CHARS away."""
    first, last = max(0, start - NEAR_CHARS), min(len(text), end + NEAR_CHARS)
    before = [found.end() for found in _CLAUSE_END.finditer(text, first, start)]
    after = _CLAUSE_END.search(text, end, last)
    return (before[-1] if before else first), (after.start() if after else last)


def sentence_about(text: str, start: int, end: int) -> tuple[int, int]:
    """Begin and end of the sentence that text[start:end] stands in, at most NEAR_CHARS away."""
    first, last = max(0, start - NEAR_CHARS), min(len(text), end + NEAR_CHARS)
    before = [found.end() for found in _SENTENCE_END.finditer(text, first, start)]
    after = _SENTENCE_END.search(text, end, last)
    return (before[-1] if before else first), (after.start() + 1 if after else last)


_FAR: Final = 1_000_000
_IN_BRACKETS: Final = 10_000
"""Letters by which a mark in brackets is farther than any outside."""


def _gap(marks: re.Pattern[str], clause: str, start: int, end: int) -> int:
    """Letters between a place and the nearest mark outside it; more than the clause has if there is none."""
    gaps = (
        (_IN_BRACKETS if clause.count("(", 0, found.start()) > clause.count(")", 0, found.start()) else 0)
        + max(start - found.end(), found.start() - end, 0)
        for found in marks.finditer(clause)
        if found.end() <= start or found.start() >= end
    )
    return min(gaps, default=_FAR)


_PERSON: Final = re.compile(
    r"\b(?:I|I'm|I'll|we|we're|we'll|he|she|they|my|our|us|you|ich|wir|er|sie|mein\w*|unser\w*)\b"
)


def has_person(text: str, start: int, end: int) -> bool:
    """Tests if the clause about text[start:end] has a personal pronoun: it tells of people, and not of a rule."""
    first, last = clause_about(text, start, end)
    return _PERSON.search(text, first, last) is not None
