"""German questions: how they are known, and what their words are in English, in every form and in compounds."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from typing import Final

from memory_layer.domain.safety.text_caches import kept_by_text
from memory_layer.domain.text.analyzer import STOP_WORDS, folded
from memory_layer.domain.text.german_daily_table import GERMAN_DAILY
from memory_layer.domain.text.german_letters import from_ascii, in_ascii
from memory_layer.domain.text.german_table import GERMAN
from memory_layer.domain.text.german_verbs import infinitives, unprefixed, whole_verbs

_FUNCTION_WORDS: Final = """
ab aber alle allem allen aller alles als am an andere anderen anstatt auch auf aus außerdem bei beide beiden
beim bereits bevor bezüglich bin bis bist da dabei dadurch dafür daher damit dann daran darauf daraus darf darum
darüber das dass dazu dein deine deinem deinen deiner dem den denn der deren des deshalb dich die dies diese
diesem diesen dieser dieses doch dort du durch dürfen dürfte ein eine einem einen einer eines einige einigen
er es etwa etwas euch eure euren eurer für gegen geht gehen gemacht gibt habe haben hat hatte hatten
her hier hin hätte hätten ich ihm ihn ihnen ihr ihre ihrem ihren ihrer im immer in ins ist ja je jede
jedem jeden jeder jedes jedoch jetzt kann kein keine könnte könnten können lasse lassen legt lege
lässt mache machen macht man mehr mein meine meinem meinen meiner mich mir mit möchte möchten muss
müssen müsste nach nachdem nicht noch nun nur nutzen nutzt ob obwohl oder oft ohne schon sehr sein seine seinem
seinen seiner seit setze setzen setzt sich sie sind so sobald sodass soll sollen sollte sollten sondern sowie
um und uns unser unsere unserem unseren unserer viel viele vielen vieler vom von vor wann war waren warum was
wegen weil welche welchem welchen welcher welches wem wen wenn wer werde werden weshalb wessen wie wieder wieso
wieviel wieviele wir wird wo wobei wodurch wofür wogegen woher wohin wollen womit wonach woran worauf woraus
worden worin worum worunter worüber wovon wovor wozu wurde wurden während wäre wären würde würden zu zum
zur zurück zwischen über kannst musst hast willst möchtest solltest könntest falls sofern solange somit danach
ebenfalls allerdings innerhalb zunächst eigene eigenen eigener eigenes weitere weiteren statt bitte hinzu hierzu
"""
FUNCTION_WORDS: Final = frozenset(folded(f"{_FUNCTION_WORDS} {in_ascii(_FUNCTION_WORDS)}").split())
"""Words of a German question that say nothing of its subject; those of English are the analyzer's stop words."""

_ENGLISH_TOO: Final = frozenset(["also", "am", "an", "bin", "die", "hat", "in", "man", "so", "war", "was"])
_GERMAN_ALONE: Final = FUNCTION_WORDS - _ENGLISH_TOO
_ENGLISH_ALONE: Final = STOP_WORDS - FUNCTION_WORDS
_ENDINGS: Final = (
    *("ungen", "innen", "ung", "ten", "tet", "end", "te", "en", "er"),
    *("es", "em", "st", "n", "e", "s", "t"),
)
_SHORT: Final = 4
_NOUN_ENDINGS: Final = ("er", "ern", "e", "es", "s")
_LINKS: Final = ("", "s", "n", "en", "es", "e")
_STEM_MIN: Final = 5
_COMPOUND_MIN: Final = 8
_HEAD_MIN: Final = 3
_LONGEST: Final = 40


def may_be_german(words: Iterable[str]) -> bool:
    """Tells, faster than `is_german`, whether any word is one that English does not have. Args: words: folded."""
    return not _GERMAN_ALONE.isdisjoint(map(str.lower, words))


def is_german(words: Iterable[str]) -> bool:
    """Tells whether a question or a text is German: by function words that English does not have, and more of them than
    English ones; one that has none of either, by a word of the table, of which none is English.

    Args:
        words: folded.
    """
    lowered = [word.lower() for word in words]
    german = sum(map(_GERMAN_ALONE.__contains__, lowered))
    english = sum(map(_ENGLISH_ALONE.__contains__, lowered))
    return german > english or (german == english == 0 and any(word in _words() for word in lowered))


@kept_by_text(1_024)
def whole_words(words: tuple[str, ...]) -> Sequence[str]:
    """Words of a German question, its verbs with the prefix from the end of the clause; where that stood, nothing."""
    return whole_verbs(words, _words())


def in_english(word: str, *, is_surely_german: bool) -> tuple[str, ...]:
    """English words for a German one; none if it is not known.

    Args:
        word: folded, in lower case.
        is_surely_german: it stands in a German question; else only a form of a known word will do, no part of one.
    """
    if len(word) > _LONGEST:
        return ()
    return _translated(word) if is_surely_german else _known_form(word)


@kept_by_text(8_192)
def _known_form(word: str) -> tuple[str, ...]:
    return _form_of(word, _words())


@kept_by_text(8_192)
def _translated(word: str) -> tuple[str, ...]:
    said = _known(word) or _of_hyphened(word) or _of_verb(unprefixed(word)) or _of_compound(word)
    return said or next(
        (found for other in from_ascii(word) if (found := _known(other) or _of_compound(other))), ()
    )


def _known(word: str) -> tuple[str, ...]:
    said = tuple(dict.fromkeys((*_form_of(word, _words()), *_of_verb(infinitives(word)))))
    return (" ".join(said),) if said else _stems().get(german_stem(word), ()) or _of_short_noun(word)


def _of_short_noun(word: str) -> tuple[str, ...]:
    """English for a form of a noun of four letters: `Bilder`, `Pfade`."""
    bare = (word[:_SHORT] for ending in _NOUN_ENDINGS if word[_SHORT:] == ending)
    return next((_words()[one] for one in bare if one in _words()), ())


def _of_verb(forms: Iterable[str]) -> tuple[str, ...]:
    """English for the first of some infinitives that is known."""
    return next((_words()[form] for form in forms if form in _words()), ())


def _form_of(word: str, known: Mapping[str, tuple[str, ...]]) -> tuple[str, ...]:
    """What is said for a word, or for it without one ending."""
    if word in known:
        return known[word]
    if not word.endswith(_ENDINGS):
        return ()
    bare = (word.removesuffix(ending) for ending in _ENDINGS if word.endswith(ending))
    return next((known[one] for one in bare if len(one) >= _STEM_MIN and one in known), ())


def _of_hyphened(word: str) -> tuple[str, ...]:
    """English for a word of parts joined by hyphens, unknown parts as they are."""
    parts = word.split("-") if "-" in word else []
    said = [_known(part) or _of_compound(part) for part in parts]
    return (
        tuple(one for part, found in zip(parts, said, strict=True) for one in found or (part,))
        if any(said)
        else ()
    )


def _of_compound(word: str) -> tuple[str, ...]:
    """English for a compound: of two known parts, else of one known part beside the rest as it is."""
    if not _COMPOUND_MIN <= len(word) <= _LONGEST or not word.isalpha():
        return ()
    cuts = range(_HEAD_MIN, len(word) - _HEAD_MIN)
    tails = [(word[:at], tail) for at in cuts if (tail := _known(word[at:]))]
    whole = ((*head, *tail) for first, tail in tails if (head := _head(first)))
    return next(whole, ()) or next(((first, *tail) for first, tail in tails), ()) or _with_rest(word)


def _head(word: str) -> tuple[str, ...]:
    """English for the first part of a compound, which may end in a letter that only links it."""
    bare = (word[: len(word) - len(link)] for link in _LINKS if word.endswith(link))
    return next((said for one in bare if len(one) >= _HEAD_MIN and (said := _known(one))), ())


def _with_rest(word: str) -> tuple[str, ...]:
    cuts = range(len(word) - _HEAD_MIN, _STEM_MIN - 1, -1)
    return next(((*head, word[at:]) for at in cuts if (head := _head(word[:at]))), ())


def german_stem(word: str) -> str:
    """Stem of a German word of five letters or more. Args: word: folded, in lower case."""
    for ending in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= _STEM_MIN:
            return german_stem(word.removesuffix(ending))
    return word


@cache
def _words() -> Mapping[str, tuple[str, ...]]:
    return dict(reversed(entries()))


@cache
def _stems() -> Mapping[str, tuple[str, ...]]:
    """What is said for the stem of a word that is long enough; of two words with one stem for the first."""
    found = ((german_stem(word), said) for word, said in reversed(entries()))
    return {stem: said for stem, said in found if len(stem) >= _STEM_MIN}


@cache
def entries() -> list[tuple[str, tuple[str, ...]]]:
    """German words, folded and in lower case, with what is said for them."""
    table = f"{GERMAN}\n{GERMAN_DAILY}".replace("\n", " | ")
    lines = (entry.strip().partition(": ") for entry in table.split(" | "))
    return [
        (folded(word).lower(), (said,)) for words, _, said in lines if words for word in words.split(", ")
    ]
