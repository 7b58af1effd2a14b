"""One text of several that are merged: the one that says all, or the longest and what the others say beyond it."""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from heapq import nlargest

from memory_layer.domain.text import opposites
from memory_layer.domain.text.analyzer import analyze
from memory_layer.domain.text.classification import sentences_of

Says = Callable[[str, str], bool]
"""Test of whether a known sentence says all that a new one says."""

COMPARED_MAX = 4
"""Sentences of a text that are compared with a new one, those of the most words in both first."""


@dataclass(frozen=True, slots=True, eq=False)
class Piece:
    """Sentence or block of code of a text.

    Args:
        line: its line; pieces of one line are written on one line again.
        lead: the piece without which it says something else: its heading, `Never:` before a list, the sentence before
            an `It`; None: it stands by itself.
        told: its words behind those of its lead.
        mark: what its line begins with, where another piece has that: a list mark, or an indent.
    """

    line: int
    words: str
    lead: "Piece | None"
    told: str
    terms: frozenset[str]
    mark: str = ""


def pieces_of(text: str) -> list[Piece]:
    """Pieces of a text in order."""
    pieces: list[Piece] = []
    leaders: list[Piece] = []
    for line, block in enumerate(_blocks(text)):
        while leaders and not _is_led(block, leaders[-1], pieces[-1]):
            leaders.pop()  # a list under a heading ends, and the heading leads on
        for mark, words in _sentences(block):
            lead = pieces[-1] if pieces and _leans(words) else leaders[-1] if leaders else None
            pieces.append(_piece(line, words, lead, mark))
        if pieces and block.strip() and _LEADS.search(pieces[-1].words):
            leaders.append(pieces[-1])
    return pieces


_HEADING = re.compile(r"#{1,6}\s")
_ITEM = re.compile(r"\s*(?:[-*+\u2022]|\d{1,3}[.)])\s+")
_LEADS = re.compile(r"^#{1,6}\s|:[*_]*\s*$")


def _is_led(block: str, leader: Piece, last: Piece) -> bool:
    """Tells whether a line may belong to what leads: any under a heading but another one, items and code after a colon.

    A blank line ends a list, and nothing else.
    """
    if _HEADING.match(leader.words):
        return not _HEADING.match(block)
    if not block.strip():
        return leader is last
    return block[:1].isspace() or bool(_ITEM.match(block) or _FENCE.match(block))


def _leans(words: str) -> bool:
    return words.partition(" ")[0].lower().rstrip(",") in _LEANING


_LEANING = opposites.PRONOUNS | opposites.word_set(
    "its their such so otherwise therefore also then er es sie dies diese"
)
"""First words of a sentence that is about what the sentence before it named."""


def _piece(line: int, words: str, lead: Piece | None, mark: str) -> Piece:
    told = words if lead is None else f"{lead.words} {_ITEM.sub('', words, count=1)}"
    return Piece(line, words, lead, told, frozenset(analyze(told)), mark)


_FENCE = re.compile(r"\s*(?:```|~~~)")


def _blocks(text: str) -> Iterator[str]:
    """Yields the lines of a text; code between fences is one."""
    fenced: list[str] = []
    for line in text.splitlines():
        if fenced or _FENCE.match(line):
            fenced.append(line)
            if len(fenced) > 1 and _FENCE.match(line):
                yield "\n".join(fenced)
                fenced = []
        else:
            yield line.rstrip()
    if fenced:
        yield "\n".join(fenced)


def _sentences(block: str) -> list[tuple[str, str]]:
    """Sentences of a line, the first with its list mark, the others beside it; code and headings are one."""
    if not block.strip():
        return []
    if _FENCE.match(block) or _HEADING.match(block):
        return [("", block)]
    mark = _ITEM.match(block)
    start = mark.end() if mark else len(block) - len(block.lstrip())
    first, *others = list(sentences_of(block[start:])) or [""]
    return [("", block[:start] + first), *((block[:start], words) for words in others)]


def missing(known: Sequence[Piece], new: Sequence[Piece], says: Says) -> Iterator[Piece]:
    """Yields the new pieces that no known one says: what is not shown to be said is missing."""
    told = {piece.told: piece for piece in known}
    distinct = list(told.values())
    lost: set[Piece] = set()
    for piece in new:
        is_said = piece.told in told or any(
            says(like.told, piece.told) for like in _most_alike(piece, distinct)
        )
        if piece.lead in lost or not is_said:
            lost.add(piece)
            yield piece


def _most_alike(piece: Piece, known: Sequence[Piece]) -> list[Piece]:
    near = [one for one in known if not piece.terms.isdisjoint(one.terms)]
    return nlargest(
        COMPARED_MAX, near, lambda one: len(piece.terms & one.terms) / len(piece.terms | one.terms)
    )


@dataclass(frozen=True, slots=True)
class UnitedText:
    """Text of several. Args: sources: places of the texts that it has words of, first the one that it begins with."""

    text: str
    sources: tuple[int, ...]


def united_text(texts: Sequence[str], says: Says, bytes_max: int) -> UnitedText | None:
    """Unites texts without losing a sentence: one of them that says all, else the first and what it does not say.

    Args:
        texts: in the order in which they are tried, the longest first.
        bytes_max: of the united text.

    Returns:
        None where it does not fit.
    """
    read = [pieces_of(text) for text in texts]
    for at, known in enumerate(read):
        if all(
            next(missing(known, one, says), None) is None for place, one in enumerate(read) if place != at
        ):
            return UnitedText(texts[at], (at,))
    text, known, sources = texts[0].strip("\n"), list(read[0]), [0]
    for at, one in enumerate(read[1:], 1):
        kept = _with_leads(one, missing(known, one, says))
        if kept:
            sources.append(at)
            before, after = _places(known, kept)
            head = [_written(before), ""] if before else []
            text = "\n".join([*head, text, *([_written(after)] if after else [])])
            known = [*before, *known, *after]
        if len(text.encode()) > bytes_max:
            return None
    return UnitedText(text, tuple(sources))


def _root(piece: Piece) -> Piece:
    while piece.lead is not None:
        piece = piece.lead
    return piece


def _places(known: Sequence[Piece], new: Sequence[Piece]) -> tuple[list[Piece], list[Piece]]:
    """New pieces that stand before a text, lest its last heading or `Never:` leads them, and those behind it."""
    is_led = bool(known) and _LEADS.search(_root(known[-1]).words) is not None
    before = [piece for piece in new if is_led and not _HEADING.match(_root(piece).words)]
    return before, [piece for piece in new if piece not in before]


def _with_leads(pieces: Sequence[Piece], wanted: Iterable[Piece]) -> list[Piece]:
    """Pieces with those that lead them, in their order: an `It` needs the sentence before it."""
    kept: set[Piece] = set()
    for piece in wanted:
        at: Piece | None = piece
        while at is not None and at not in kept:
            kept.add(at)
            at = at.lead
    return [piece for piece in pieces if piece in kept]


def _written(pieces: Sequence[Piece]) -> str:
    """Pieces as text, those of one line on one line, behind its mark: without it `Never:` leads an item no more."""
    lines: dict[int, list[Piece]] = {}
    for piece in pieces:
        lines.setdefault(piece.line, []).append(piece)
    return "\n".join(line[0].mark + " ".join(piece.words for piece in line) for line in lines.values())
