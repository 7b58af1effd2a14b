"""Claims that are alike word for word but for one word, which is a value: another amount, or another default."""

import re
from collections.abc import Sequence

from memory_layer.domain.conflicts.alternatives import SINGLE_VALUED
from memory_layer.domain.conflicts.claims import Claim
from memory_layer.domain.conflicts.no_values import is_counted, selects_things
from memory_layer.domain.conflicts.quantities import Quantity
from memory_layer.domain.conflicts.quantity_parser import quantity_at
from memory_layer.domain.conflicts.quantity_words import COUNTS
from memory_layer.domain.conflicts.recurring_times import ADVERBS
from memory_layer.domain.conflicts.value_words import is_report
from memory_layer.domain.text import opposites
from memory_layer.domain.text.analyzer import analyze

WORDS_BEFORE = 2
"""Least words before a value: what it is the value of."""

SENTENCE_WORDS_MIN = 7
"""Words from which on a clause without a known verb is a sentence, and no phrase that names something."""

_AMOUNT = re.compile(r"[v$€<>=~`]*\d[\d.,:]*[a-z%]{0,4}`?")
_YEAR = re.compile(r"(?:19|20)\d\d")
_DEFAULTS = opposites.word_set("default defaults standardmassig standard vorgabe")
_LINKS = opposites.word_set("to is are of on with value only the ist auf")
_IS = opposites.word_set("is are ist sind")
_NOT_COUNTED = opposites.word_set("one a an first second third half another ein eine every each")
_OPENERS = opposites.word_set(
    "starting beginning from since until before after as because vor nach seit ab bis"
)
_SETTINGS = _OPENERS | opposites.PREPOSITIONS | opposites.CONDITIONS
_PLATFORMS = opposites.word_set("for under using with fur unter mit")
_NUMBERED = opposites.word_set(
    "step schritt section chapter figure example level attempt part phase round stage http https oauth status code"
)

_BARE_NUMBER = re.compile(r"v?\d[\d.,:]*x?")
_BARE = ("number", "version")
"""Dimensions of numbers without a unit."""

_OR = opposites.word_set("or oder")
_TAKE_ONE = SINGLE_VALUED | opposites.word_set("listen listens listening lauscht lauschen")
"""Verbs with which a thing behind a preposition is the one that there is."""

_NO_NOUNS = (
    opposites.LIGHT_WORDS
    | opposites.VERB_MARKS
    | opposites.IMPERATIVES
    | opposites.DETERMINERS
    | opposites.PREPOSITIONS
    | _NOT_COUNTED
)


def other_word(mine: Sequence[Claim], theirs: Sequence[Claim]) -> tuple[Claim, Claim, int] | None:
    """Finds the two claims, and the place in them, in which texts of the same claims differ by one word."""
    if len(mine) != len(theirs):
        return None
    apart = [(one, other) for one, other in zip(mine, theirs, strict=True) if one.words != other.words]
    if len(apart) != 1:
        return None
    one, other = apart[0]
    if len(one.words) != len(other.words):
        return None
    places = [at for at, word in enumerate(one.words) if word != other.words[at]]
    return (one, other, places[0]) if len(places) == 1 else None


def values_at(one: Claim, other: Claim, at: int) -> tuple[str, str] | None:
    """Values that two claims give in one place; None where the word there is none, or names which thing is meant."""
    if at < WORDS_BEFORE or selects_things(one) or one.is_past:
        return None
    values = one.words[at].strip("`"), other.words[at].strip("`")
    is_given = values[0] != values[1] and all(
        _gives_default(claim.words, at) or _defines(claim.words, at) for claim in (one, other)
    )
    is_value = (
        is_given
        or all(_tells_how_often(claim.words, at) for claim in (one, other))
        or (all(map(_is_amount, values)) and _gives_amount(one, at))
    )
    return values if is_value else None


def _is_amount(word: str) -> bool:
    if word in _NOT_COUNTED or _YEAR.fullmatch(word):
        return False
    return _AMOUNT.fullmatch(word) is not None or word.split("-")[0] in COUNTS


def _gives_amount(claim: Claim, at: int) -> bool:
    """Tells whether an amount is told: with a verb, and not in a name, nor as when the rest holds."""
    words = claim.words
    if is_report(words):
        return False
    is_phrase = claim.subject_length is None and len(words) < SENTENCE_WORDS_MIN
    is_setting = words[0] in _SETTINGS or not opposites.CONDITIONS.isdisjoint(words[:at])
    return not (
        is_phrase
        or is_setting
        or _is_named(claim, at)
        or any(_is_of_a_day(claim, each) for each in claim.quantities)
    )


def _is_named(claim: Claim, at: int) -> bool:
    """Tells whether a number is of a name or dates the rest: `step 3`, `for Python 3.9`, `since 2.1`."""
    before, leading = claim.words[at - 2 : at][::-1]
    is_of_platform = before in claim.names and leading in _PLATFORMS
    return before in _NUMBERED | _OPENERS or is_of_platform or _is_behind_noun(claim, at)


def _is_behind_noun(claim: Claim, at: int) -> bool:
    """Tells whether a bare number tells one thing from others of its kind: `in tier 1`, `the invoice 4711 is paid`.

    It is a value behind a verb that takes one (`lauscht auf Port 8080`), with a bound (`3.2 or newer`), or where it
    counts what follows (`workers take 3 jobs`).
    """
    words, noun = claim.words, claim.words[at - 1]
    following = next(iter(words[at + 1 : at + 2]), "")
    is_noun = noun.isalpha() and not noun.endswith("s") and noun not in _NO_NOUNS
    if not is_noun or following in _OR or not _BARE_NUMBER.fullmatch(words[at]):
        return False
    found = quantity_at(words, at)
    if found is not None and (found[0].dimension not in _BARE or found[0].bound != "is"):
        return False
    is_introduced = words[at - 2] in opposites.PREPOSITIONS
    if is_introduced:
        return at < 3 or words[at - 3] not in _TAKE_ONE
    is_counting = following in claim.names or (
        following.endswith("s") and following not in opposites.VERB_MARKS
    )
    return noun in claim.names or not is_counting


def _is_of_a_day(claim: Claim, quantity: Quantity) -> bool:
    return quantity.dimension.startswith("date") or is_counted(claim, quantity)


def _tells_how_often(words: Sequence[str], at: int) -> bool:
    """Tells whether a word says how often, and does not name a thing as an adjective: `are taken daily`."""
    return words[at] in ADVERBS and (at == len(words) - 1 or words[at - 1] in opposites.BE)


def _defines(words: Sequence[str], at: int) -> bool:
    """Tells whether a clause says which code one thing is, and nothing more: `the default branch is main`, as code."""
    is_whole = words[0] in opposites.DETERMINERS and at == len(words) - 1 and words[at - 1] in _IS
    return is_whole and words[at].startswith("`") and "and" not in words


def _gives_default(words: Sequence[str], at: int) -> bool:
    """Tells whether a word is the default of something that stands before it: `(default: js)`, `defaults to 8`."""
    cue = next((place for place in range(at - 1, max(0, at - 4), -1) if words[place] in _DEFAULTS), 0)
    if cue == 0 or words[0] in opposites.VERB_MARKS or not _LINKS.issuperset(words[cue + 1 : at]):
        return False
    subject, value = words[cue - 1], words[at]
    if words[cue] == "defaults":
        return not subject.endswith("ed") and bool(subject.startswith("`") or analyze(subject))
    return subject not in opposites.DETERMINERS and (value.startswith("`") or _is_amount(value))
