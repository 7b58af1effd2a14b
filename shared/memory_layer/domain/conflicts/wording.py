"""Order of the words that tell something, by which two texts say the same or one tells more."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence, Set
from dataclasses import dataclass
from itertools import islice

from memory_layer.domain.conflicts.clauses import all_clauses_of
from memory_layer.domain.conflicts.interchangeable_words import (
    COUPLED,
    HEADS,
    MODALS,
    UNTOLD,
    meaning,
    table_form,
)
from memory_layer.domain.conflicts.quantities import Quantity
from memory_layer.domain.conflicts.quantity_parser import quantity_at
from memory_layer.domain.conflicts.recurring_times import RECURRENCE
from memory_layer.domain.text import opposites
from memory_layer.domain.text.opposites import word_set

CLAUSES_MAX = 200
TURNED_MAX = 400
"""Most words among which a moved group is looked for."""

NOT = "not"
END = "^"
"""Mark of an end of an axis."""
HEAD = "("
"""Mark of a word that relates others."""

NEGATORS = opposites.NEGATORS | word_set("nicht kein keine keinen keinem keiner nie niemals ohne")


Told = tuple[str, str]
"""Meaning of a word, and its spelling."""


@dataclass(frozen=True, slots=True)
class Wording:
    """Words that tell something, each with its meaning. Args: clauses: of each clause, in order."""

    clauses: tuple[tuple[Told, ...], ...]
    forces: tuple[str, ...] = ()

    @property
    def negations(self) -> int:
        return sum(meant == NOT for meant, _ in self.told)

    @property
    def turns(self) -> int:
        """Number of negations and negative ends: `optional` is as good as a `not required`."""
        return sum(meant == NOT or (meant.startswith(END) and meant.endswith("-1")) for meant, _ in self.told)

    def unsigned(self) -> "Wording":
        """Wording without what affirms and denies: `not required` reads as `optional`."""
        clauses = (tuple(_unsigned(clause)) for clause in self.clauses)
        return Wording(tuple(filter(None, clauses)), self.forces)

    @property
    def told(self) -> tuple[Told, ...]:
        return tuple(word for clause in self.clauses for word in clause)


def read_wording(text: str) -> Wording:
    """Reads the words of a text that tell something; markup, articles and manners of speaking tell nothing."""
    named = _LETTER.sub(_LETTER_NAMED, bare(text))
    rows = [_parts(row) for row in islice(all_clauses_of(named), CLAUSES_MAX)]
    left_out = UNTOLD | {"then"} if any(HEADS.get(word) == "when" for row in rows for word in row) else UNTOLD
    return Wording(
        tuple(filter(None, (tuple(_coupled(list(_told(row, left_out)))) for row in rows))),
        tuple(MODALS[word] for row in rows for word in map(table_form, row) if word in MODALS),
    )


def names_letter(plain: str) -> bool:
    """Tells whether a text, bare, names something by the letter A, which is then read as a word of its own."""
    return _LETTER.search(plain) is not None


def may_negate(word: str) -> bool:
    """Tells whether a word of a clause may be read as a `not`."""
    return table_form(word) in NEGATORS or _sense(word) == NOT


_LETTER = re.compile(r"(?<=[a-z\d,;] )A\b(?!'|\.\w| [A-Z]|-)")
_LETTER_NAMED = "a_"
"""The letter that names something (`Service A`), which is an article in small."""

_MARKUP = re.compile(
    r"^[ \t]*(?:[-*+\u2022>]|\d{1,3}[.)]|#{1,6})[ \t]+|\*{1,3}(?=\S)|(?<=\S)\*{1,3}"
    r"|(?<![\w_])_(?=[^\W_])|(?<=[^\W_])_(?![\w_])",
    re.MULTILINE,
)
_LINK = re.compile(r"\[([^\[\]\n]{1,200})\](?:\([^()\s]{1,500}\)|\[[^\[\]\n]{0,100}\])")


_STRUCK = re.compile(r"(?<![\w~])~~(?=[^\s~])[^~\n]{1,200}(?<=\S)~~(?!~)")
"""Words that are struck out, and said no more."""

_ROLE = re.compile(r"(?::[a-z][\w:-]{0,40}:|\{[a-z][\w:-]{0,40}\})(?=`)")
"""Roles of reStructuredText and MyST: the kind of thing that a piece of code names."""


_CODE = re.compile(r"`([^`\n]{1,200})`")
_LABEL = re.compile(
    r"\A\W*(?:note|tip|hint|info|important|warning|caution|hinweis|tipp|achtung|wichtig)\W*:\W*",
    re.IGNORECASE,
)
_QUOTES = str.maketrans(dict.fromkeys("\u201e\u201c\u201d\u00ab\u00bb", '"') | {"\u00df": "ss"})


def unstruck(text: str) -> str:
    """Text without the words that are struck out."""
    return _STRUCK.sub("", text) if "~~" in text else text


def bare(text: str) -> str:
    """Text without the markup around its words, and without a label such as `Note:` before them."""
    plain = _ROLE.sub("", _LINK.sub(r"\1", unstruck(text))).translate(_QUOTES)
    return _LABEL.sub("", _MARKUP.sub("", _CODE.sub(_unglued, plain)))


def _unglued(code: re.Match[str]) -> str:
    """Code that is part of a word, without its marks."""
    before, after = code.string[: code.start()][-1:], code.string[code.end() :][:1]
    is_part = any(one.isalnum() or one == "-" for one in (before, after))
    return code[1] if is_part else code[0]


_JOINED = re.compile(r"[^\W\d_]+(?:-[^\W\d_]+)+")


def _parts(words: Sequence[str]) -> list[str]:
    """Words of a clause, hyphenated ones in their parts."""
    return [part for word in words for part in (word.split("-") if _JOINED.fullmatch(word) else (word,))]


_SAID = re.compile(r"[^\W_]|[\u2600-\u27bf\u274c\u2705]")
_OPERATORS = word_set("< > <= >= == != = ~= && ||")


def _sense(word: str) -> str:
    """Meaning of a word; an identifier, a path or a flag stands for itself."""
    return meaning(word) if word.isalpha() else word


def _told(words: Sequence[str], left_out: Set[str]) -> Iterator[Told]:
    """Yields each word that tells something."""
    at = 0
    while at < len(words):
        found = quantity_at(words, at, in_names=True)
        if found is not None:
            yield _amount(found[0]), found[0].text
            at = found[1]
            continue
        meant = _told_by(words, at, left_out)
        if meant:
            yield meant, words[at]
        at += 1


def _told_by(words: Sequence[str], at: int, left_out: Set[str]) -> str:
    """Meaning of a word among others; empty: it tells nothing."""
    word = table_form(words[at])
    if word in NEGATORS:
        return NOT
    if word in opposites.OPPOSITES:
        axis, sign = opposites.OPPOSITES[word]
        return f"{END}{axis}{sign:+d}"
    if word in left_out or word in MODALS or (word == "to" and _is_infinitive(words, at)):
        return ""
    if word in HEADS:
        return f"{HEAD}{HEADS[word]}"
    return _sense(word) if _SAID.search(word) or word in _OPERATORS else ""


def _is_infinitive(words: Sequence[str], at: int) -> bool:
    """Tells whether a `to` belongs to a verb: after words that tell nothing, as in `make sure to`."""
    return at == 0 or words[at - 1] in UNTOLD or words[at - 1] in MODALS


def _amount(quantity: Quantity) -> str:
    """Amount in its base unit; of versions and ranges the numbers as they are written."""
    if quantity.bound == "range" or len(quantity.low) > 1:
        return f"#{'-'.join(_NUMBER.findall(quantity.text))}{quantity.bound}"
    return f"#{'~' * (quantity.dimension == RECURRENCE)}{quantity.low[0]:g},{quantity.high[0]:g}"


_NUMBER = re.compile(r"\d+(?:\.\d+)*")


def _coupled(told: list[Told]) -> list[Told]:
    """Puts the two words around an `and` or `or` into one order."""
    for at in range(1, len(told) - 1):
        before, after = told[at - 1], told[at + 1]
        if told[at][0] in _COUPLING and _is_plain(before[0]) and _is_plain(after[0]) and before > after:
            told[at - 1], told[at + 1] = after, before
    return told


_COUPLING = frozenset(f"{HEAD}{word}" for word in COUPLED)


def _is_plain(meant: str) -> bool:
    return meant != NOT and not meant.startswith(HEAD)


def _unsigned(clause: Sequence[Told]) -> Iterator[Told]:
    for meant, spelled in clause:
        if meant != NOT:
            yield meant[1:-2] if meant.startswith(END) else meant, spelled


@dataclass(frozen=True, slots=True)
class Deviation:
    """Words in which two texts differ; none on either side: both say the same words in another order."""

    new: tuple[str, ...]
    known: tuple[str, ...]


def deviation(new: Wording, known: Wording) -> Deviation | None:
    """Words that keep a known text from saying all that a new one says; None where it does, be it among more.

    A group of words may stand elsewhere; words around an `and` may change places. What the known one says of
    the same thing beyond the new one's words narrows it, and counts; its further clauses do not.
    """
    mine, theirs = Counter(new.forces), Counter(known.forces)
    if mine - theirs and theirs - mine:
        return Deviation(tuple(mine - theirs), tuple(theirs - mine))
    if new.negations != known.negations:
        new, known = new.unsigned(), known.unsigned()
    if _is_alike(new.told, known.told) or _is_joined_alike(new.told, known.told):
        return None
    if all(any(_is_alike(one, other) for other in known.clauses) for one in new.clauses):
        return None
    return Deviation(_beyond(new.told, known.told), _beyond(known.told, new.told))


def is_same_wording(one: Wording, other: Wording) -> bool:
    """Tells whether two texts say the same words, with their negations, but for a group that stands elsewhere."""
    return Counter(one.forces) == Counter(other.forces) and _is_alike(one.told, other.told)


def _is_alike(one: Sequence[Told], other: Sequence[Told]) -> bool:
    """Tells whether two rows of words are one, but for a group of words that stands elsewhere."""
    mine, theirs = [meant for meant, _ in one], [meant for meant, _ in other]
    if mine == theirs:
        return True
    if Counter(mine) != Counter(theirs) or len(mine) > TURNED_MAX:
        return False
    first = next(at for at, pair in enumerate(zip(mine, theirs, strict=True)) if pair[0] != pair[1])
    last = next(at for at in range(len(mine), 0, -1) if mine[at - 1] != theirs[at - 1])
    spans = ((start, end) for start in {first, 0} for end in {last, len(mine)})
    return any(_is_turned(mine[start:end], theirs[start:end]) for start, end in spans)


def _is_turned(mine: list[str], theirs: list[str]) -> bool:
    """Tells whether two groups of words that tell something changed places, as a whole."""
    return any(
        mine[at:] + mine[:at] == theirs and any(map(_is_plain, mine[:at])) and any(map(_is_plain, mine[at:]))
        for at in range(1, len(mine))
    )


def _is_joined_alike(one: Sequence[Told], other: Sequence[Told]) -> bool:
    """Tells whether two rows differ in blanks alone: `lock file` and `lockfile`."""
    joined = ("".join(spelled for _, spelled in row) for row in (one, other))
    return next(joined) == next(joined)


def _beyond(one: Sequence[Told], other: Sequence[Told]) -> tuple[str, ...]:
    """Words of a row that the other does not have, as they are spelled."""
    left = Counter(meant for meant, _ in other)
    found = []
    for meant, spelled in one:
        left[meant] -= 1
        if left[meant] < 0:
            found.append(spelled)
    return tuple(found)
