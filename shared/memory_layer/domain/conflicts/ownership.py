"""Statements of who is responsible for something, in whichever words: `Clara owns the importer`."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from memory_layer.domain.conflicts.attribute_words import content_terms
from memory_layer.domain.text.analyzer import folded
from memory_layer.domain.text.opposites import word_set
from memory_layer.domain.text.wording_groups import grouped

_ROLES = "owner|maintainer|lead|manager|contact|reviewer|approver|head|attorney|sponsor|verantwortlicher"
_DOES = "owns|maintains|leads|manages|runs|verantwortet|betreut|leitet"
_DONE = "owned|maintained|led|managed|run|looked after|handled|verantwortet|betreut|geleitet"
_STEPS = "completed|approved|merged|granted|signed off|decided|published|released|triaged|issued"
_ASK = "ask|contact|email|e-mail|ping|talk to|speak to|speak with|reach out to|check with"
_CONCERN = (
    r"(?P<what>(?:to|for|about|before|when|if) "
    r"(?!(?:you|we|they) (?:are|get|have|need|see|want)\b|(?:any|more|further|help|support|advice|questions)\b)"
    r"[^,;.()]{3,60}?)"
)
_IS_DONE = "(?:is|are|must be|has been|have been) (?:now )?"
_YOU = r"(?:please |you (?:can|should|must|need to) )?"
_POSTS = (
    "manager|lead|owner|officer|maintainer|head|chief|contact|reviewer|approver|sponsor|chair|deputy|on-call|admin"
    "|commander|coordinator"
)
_THE = "the|our|der|die|unser|unsere"
_BODY = rf"(?P<who>(?:{_THE} )?[\w-]+(?: [\w-]+){{0,2}} (?:team|board|council|committee))"
_DUTY = r"(?:on (?:call|duty|[\w-]{3,20} duty))"
_NOW = r"(?: (?:this|the current) \w+| today| now| currently)?"
_IS = r"(?:is|ist) (?:now |currently )?"
_POST = rf"(?:{_THE}) (?P<what>(?:[\w-]+ ){{0,4}}(?:{_POSTS})\b[^,;.()]{{0,40}}?){_NOW}"
_WHO = r"(?P<who>(?:[^,;.()]|\.(?=\w)){2,40}?)"
_WHAT = r"(?P<what>[^,;.()]{3,60}?)"
_END = r"(?=$|[,;.()]| (?:since|now|and|until|from|because|seit|und)\b)"

_PATTERNS = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        rf"^{_WHAT} (?:is|are|ist|wird) (?:now |currently )?(?:{_DONE}) (?:by|von|vom) {_WHO}{_END}",
        rf"^{_WHAT} (?:belongs|gehört|gehort) (?:to |dem |der )?{_WHO}{_END}",
        rf"^{_WHO} (?:{_DOES}) {_WHAT}{_END}",
        rf"^{_WHO} (?:is|are) (?:now )?(?:responsible for|in charge of) {_WHAT}{_END}",
        rf"^{_WHO} ist (?:zustandig|verantwortlich) fur {_WHAT}{_END}",
        rf"^{_WHO} (?:is|ist) (?:the |der |die )?(?P<role>{_ROLES}) (?:of|for|von|vom|fur) {_WHAT}{_END}",
        rf"^(?:the |der |die )?(?P<role>{_ROLES}) (?:of|for|von|vom|fur) {_WHAT} (?:is|ist) {_WHO}{_END}",
        rf"^(?:verantwortlich|zustandig) fur (?:den |die |das )?{_WHAT} (?:ist|sind) {_WHO}{_END}",
        rf"^{_WHO} {_IS}{_POST}{_END}",
        rf"^{_POST} {_IS}{_WHO}{_END}",
        rf"^{_WHO} {_IS}(?P<what>{_DUTY}[^,;.()]{{0,40}}?){_NOW}{_END}",
        rf"^(?:[^,;]{{3,30}}, )?{_WHAT} {_IS_DONE}(?:{_STEPS}) by {_WHO}{_END}",
        rf"^(?:to [^,;]{{3,40}}, )?{_YOU}(?:{_ASK}) {_WHO} {_CONCERN}{_END}",
        rf"^{_BODY} (?:ultimately |finally )?decides {_WHAT}{_END}",
        rf"^{_WHAT}'s (?P<role>{_ROLES}) (?:is|ist) {_WHO}{_END}",
    )
)

_HINTS = (_ROLES, _POSTS, _DOES, _DONE, _STEPS, _ASK)
_MORE_HINTS = "decides|duty|on call|belongs|responsible|charge|geh(?:o|ö)rt|verantwortlich|zust"
_HINT = re.compile(rf"\b(?:{grouped((*_HINTS, _MORE_HINTS))})", re.IGNORECASE)
_HINT_IN_LOWER_CASE = re.compile(_HINT.pattern)
"""As `_HINT`, and found in a quarter of the time."""
_SENTENCE = re.compile(r"(?<=[.!?;])\s+|\n+")
_GROUPS = word_set("team squad group crew guild the by")


@dataclass(frozen=True, slots=True)
class Responsibility:
    """Claim that somebody answers for something; both as sets of stems, and `spelled` as written."""

    what: frozenset[str]
    who: frozenset[str]
    spelled: str


def responsibilities(text: str) -> Iterator[Responsibility]:
    """Yields who answers for what, from the first sentences of a text."""
    if not _may_name_responsible(text):
        return
    for sentence in _SENTENCE.split(text)[:12]:
        plain = folded(sentence).strip(" -*`")
        for pattern in _PATTERNS:
            match = pattern.match(plain)
            if match and _is_named(match["who"]):
                yield _responsibility(match["what"], match["who"])
                break


def _may_name_responsible(text: str) -> bool:
    found = _HINT_IN_LOWER_CASE.search(text.lower()) if text.isascii() else _HINT.search(text)
    return found is not None


def _responsibility(what: str, who: str) -> Responsibility:
    bare = (term for term in content_terms(who) if term not in _GROUPS)
    return Responsibility(frozenset(content_terms(what)) - _EMPTY, frozenset(bare), who.strip())


_EMPTY = word_set("servic modul compon packag der die das den dem")
"""Stems that a subject may drop: the billing service, billing."""


def _is_named(who: str) -> bool:
    """Tells whether the words name a person or a team, not a thing: `Clara`, `the payments team`."""
    words = who.split()
    return 0 < len(words) <= 5 and (
        words[-1].lower() in _GROUPS
        or all(_begins_as_name(word) for word in words if word.lower() not in _GROUPS)
    )


def _begins_as_name(word: str) -> bool:
    """Tells whether a word begins as one of a name does: `Platform`, `2nd` of `2nd Line`; a bare number does not."""
    return word[:1].isupper() or (word[:1].isdigit() and word[-1:].isalpha())


def disagreement(one: Sequence[Responsibility], other: Sequence[Responsibility]) -> tuple[str, str] | None:
    """Two names of whom each text makes responsible for the same thing, as written; None where they agree."""
    for mine in one:
        for theirs in other:
            is_same = mine.who <= theirs.who or theirs.who <= mine.who
            if mine.what and mine.what == theirs.what and not is_same:
                return mine.spelled, theirs.spelled
    return None
