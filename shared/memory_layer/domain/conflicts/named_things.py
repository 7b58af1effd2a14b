"""Names in a text: identifiers, flags, paths, code, proper names and abbreviations, as they are spelled."""

import re
from collections.abc import Iterator, Set

from memory_layer.domain.conflicts.interchangeable_words import meaning
from memory_layer.domain.conflicts.wording import NEGATORS
from memory_layer.domain.text import opposites
from memory_layer.domain.text.analyzer import STOP_WORDS

_TOKEN = re.compile(r"[^\s`]+")
_EDGES = "\"'\u201c\u201d\u2018\u2019.,;:!?()[]{}*\u2026<>"
_SENTENCE_STARTS = frozenset(".!?:;\n")
_SIGNED = re.compile(r"\w[_/\\@#=+.]\w|^--?[a-z]|[a-z][A-Z]|[A-Za-z]\d|\d[A-Za-z]")
_STEM = "~"
"""Mark of a stem among spellings: a name in code is not known by it."""
_ABBREVIATIONS = opposites.word_set("e.g i.e etc vs and/or w/o a.m p.m")
_ORDINARY = STOP_WORDS | opposites.LIGHT_WORDS | NEGATORS | opposites.EMPHATIC | opposites.OPPOSITES.keys()


def _tokens(text: str) -> Iterator[str]:
    return filter(None, (match[0].strip(_EDGES) for match in _TOKEN.finditer(text)))


def spoken_forms(text: str) -> frozenset[str]:
    """All spellings by which names are found in a text."""
    return frozenset(form for token in _tokens(text) for form in _forms(token))


def names_of(text: str) -> Iterator[str]:
    """Yields identifiers, flags, code, proper names and abbreviations, as they are spelled."""
    for at, piece in enumerate(text.split("`")):
        before = "." if at == 0 else "`"
        for match in _TOKEN.finditer(piece):
            name = match[0].strip(_EDGES)
            is_first = before[-1] in _SENTENCE_STARTS or "\n" in piece[: match.start()].rpartition(before)[2]
            if name and (at % 2 or _is_name(name, is_first=is_first)) and _WORDY.search(name):
                yield name
            before = match[0]


_WORDY = re.compile(r"[^\W\d]")


def _is_name(token: str, *, is_first: bool) -> bool:
    plain = token.lower().removesuffix("'s")
    if plain in _ABBREVIATIONS or plain in _ORDINARY or "'" in plain or "\u2019" in plain:
        return False
    is_capital = token[0].isupper() and (not is_first or (token.isupper() and len(token) > 1))
    return is_capital or _SIGNED.search(token) is not None


def is_named(name: str, spoken: Set[str]) -> bool:
    """Tells whether a text has a name. Args: spoken: of the text, as `spoken_forms` gives them."""
    forms = _forms(name) if name[0].isupper() else frozenset((name.lower(),))
    return not forms.isdisjoint(spoken)


def _forms(token: str) -> frozenset[str]:
    """Spellings that identify a name: itself, and its stem if it is a word."""
    plain = token.lower().removesuffix("'s").strip(_EDGES)
    return frozenset(
        (plain, *((f"{_STEM}{meaning(plain)}",) if plain.replace("-", "").isalpha() else ()))
    ) - {""}
