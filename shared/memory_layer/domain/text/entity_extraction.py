"""Extraction of the entities that a text mentions, by rule: names, places, dates, identifiers and paths."""

import re
from collections.abc import Iterator
from itertools import islice
from typing import Final, Literal, NamedTuple

from memory_layer.domain.text.analyzer import STOP_WORDS
from memory_layer.domain.text.urns import urns_in_text
from memory_layer.domain.time.calendar_dates import days_named

MentionKind = Literal["urn", "name", "place", "date", "identifier", "path"]

MENTIONS_MAX: Final = 48
"""Most mentions read of one text, the first: a text with more is a list, and connects everything with everything."""

NAME_WORDS_MAX: Final = 5
"""Most words of a name: a longer run of capitals is a heading."""

_WORD = re.compile(r"[^\W_]+(?:['\u2019&-][^\W_]+)*")
_CAPITALISED = re.compile(
    r"[^\W\d_a-z](?<![^\W_].)(?<![^\W_]['\u2019&-].)[^\W_]*(?:['\u2019&-][^\W_]+)*", re.DOTALL
)
"""Capitalised words, and words of scripts without capitals, which are skipped later. The letter is matched before
the lookbehind on the text before it, because most letters of a text do not match: here, and below."""
_GAP_IN_NAME = re.compile(" (?:(?:of|de|del|da|di|van|von|der|den|la|le|al|the) ){0,3}")
_GAP_BEFORE = re.compile(r"[\W_]*\Z")
_WORD_BEFORE = re.compile(r"([^\W\d_]{2,8}) \Z")
_LOOK_BACK: Final = 12
_ENDS_SENTENCE = re.compile(r"[.!?:;\u2026\n\r\u2028\u2029*\u2022|>]")
_PARTICLES: Final = frozenset(
    {"of", "de", "del", "da", "di", "van", "von", "der", "den", "la", "le", "al", "the"}
)
_BEFORE_A_PLACE: Final = frozenset({"in", "at", "from", "to", "near", "towards", "visited", "around"})
_NO_NAMES_TEXT: Final = """
monday tuesday wednesday thursday friday saturday sunday january february march april may june july august
september october november december jan feb mar apr jun jul aug sep sept oct nov dec mon tue wed thu fri sat sun
ok okay yes yeah yep wow hey hi hello bye oh thanks please todo note fixme warning error must never always
i'm i've i'll i'd that's it's what's let's don't can't
"""
NO_NAMES: Final = frozenset(_NO_NAMES_TEXT.split())
_SEGMENT = r"[\w@.+-]{1,100}"
_PATH = re.compile(
    rf"(?<![\w/.~-])(?:(?:~|\.{{1,2}})?/(?:{_SEGMENT}/){{0,24}}|(?:{_SEGMENT}/){{1,24}}){_SEGMENT}(?<!\.)"
)
_IDENTIFIER = re.compile(
    r"(?<![\w/.-])(?:"
    r"[A-Z][A-Z0-9]{1,9}-\d{1,7}(?:-\d{1,7})?"  # a ticket, CVE-2024-3094
    r"|[A-Za-z]\w{0,60}?_\w{1,60}"  # snake_case, SCREAMING_CASE
    r"|[a-z][a-z0-9]{0,60}(?:[A-Z][a-z0-9]{1,30}){1,6}"  # camelCase
    r"|[A-Z][a-z0-9]{1,30}(?:[A-Z][a-z0-9]{1,30}){1,6}"  # PascalCase
    r"|[A-Z]{1,4}\d{3,8}"  # an error code
    r")(?![\w-])"
)
_OF_IDENTIFIERS = re.compile(r"[-_0-9A-Z](?:(?<=_)|(?<=[A-Z]-)[0-9]|(?<=[A-Z][0-9])|(?<=[a-z0-9][A-Z]))")
"""Parts of which each identifier has one: `_`, `A1`, `A-1` or `aB`; most prose has none, and numbers are none."""
_SUBJECT = re.compile(r"\s{0,4}([^\W\d_][\w.'\u2019-]{0,39}(?: [\w.'\u2019-]{1,40}){0,2}):\s")
_SUBJECT_MAX_CHARS: Final = 128


class Mention(NamedTuple):
    """Mention of an entity in a text: its kind, the form by which texts are compared, and its spelling."""

    kind: MentionKind
    form: str
    text: str


def mentions_in(text: str) -> list[Mention]:
    """Finds the mentions in a text, each once, always in the same order, at most MENTIONS_MAX.

    A word that only begins its sentence is no name, nor is a stop word, a weekday or a month: capitals mean nothing
    there. No rule finds the names of scripts without capitals.
    """
    found: dict[tuple[str, str], Mention] = {}
    for mention in _all_mentions(text):
        found.setdefault((_comparable(mention.kind), mention.form), mention)
        if len(found) == MENTIONS_MAX:
            break
    return list(found.values())


def subject_of(text: str) -> str | None:
    """Speaker or subject of a text that begins with it and a colon, casefolded; None: it begins otherwise.

    `Melanie: we went camping` is by Melanie whatever it names; a mere mention says far less (ADR-0012).
    """
    subject = _subject(text)
    return None if subject is None else subject.casefold()


def _subject(text: str) -> str | None:
    match = _SUBJECT.match(text) if ":" in text[:_SUBJECT_MAX_CHARS] else None
    return match[1] if match else None


def name_words_of(text: str) -> frozenset[str]:
    """Set of the words of a text, in the form in which names are compared."""
    return frozenset(name_words(text))


def name_words(text: str) -> list[str]:
    """Words of a text in order, casefolded, without a possessive."""
    return [without_possessive(word).casefold() for word in _WORD.findall(text)]


def without_possessive(word: str) -> str:
    return word[:-2] if word[-2:] in ("'s", "\u2019s") else word


def _all_mentions(text: str) -> Iterator[Mention]:
    """Finds all mentions, the most exact first: a part of a URN, a path or an identifier is not also a name."""
    for urn in islice(urns_in_text(text), MENTIONS_MAX):
        text = text.replace(urn, _TAKEN)
        yield Mention("urn", urn, urn)
    days = islice(days_named(text), MENTIONS_MAX)
    yield from (Mention("date", day.isoformat(), day.isoformat()) for day in days)
    if "/" in text:
        paths = (match[0] for match in _PATH.finditer(text))
        yield from (Mention("path", path.casefold(), path) for path in paths if _is_path(path))
        text = _PATH.sub(_TAKEN, text)
    has_identifiers = _OF_IDENTIFIERS.search(text) is not None
    if has_identifiers:
        yield from (Mention("identifier", found.casefold(), found) for found in _IDENTIFIER.findall(text))
    if (subject := _subject(text)) and not _is_no_name(subject):
        yield Mention("name", subject.casefold(), subject)
    for name in _names(text):
        if not has_identifiers or not _IDENTIFIER.fullmatch(name.text):
            yield name


_TAKEN: Final = "/"
"""Placeholder of a mention found already: no word, and no end of a sentence."""


def _comparable(kind: MentionKind) -> str:
    """Kind for comparisons: a place counts as a name, being a name after a preposition, which it may lack elsewhere."""
    return "name" if kind == "place" else kind


def _is_path(path: str) -> bool:
    """Tests if a text is a path: it has a file's ending, begins as a path, or has three parts (`and/or` is none)."""
    last = path.rpartition("/")[2]
    return path[0] in "/~." or path.count("/") > 1 or "." in last[1:-1]


def _names(text: str) -> Iterator[Mention]:
    """Finds names as runs of capitalised words; the first of a sentence counts only together with the next."""
    start = end = 0
    for match in _CAPITALISED.finditer(text):
        if len(match[0]) < 2 or not match[0][0].isupper():
            continue
        begin = match.start()
        if end and text[end:begin] != " " and not _GAP_IN_NAME.fullmatch(text, end, begin):
            yield from _name(text, start, end)
            end = 0
        start, end = (start if end else begin), match.end()
    if end:
        yield from _name(text, start, end)


def _name(text: str, start: int, end: int) -> Iterator[Mention]:
    begins_sentence = _begins_sentence(text, start)
    if begins_sentence and " " not in text[start:end]:
        return
    words = [without_possessive(word) for word in text[start:end].split()]
    while words and _is_no_name(words[-1]):
        words.pop()
    while words and (_is_no_name(words[0]) or words[0] in _PARTICLES):
        words, begins_sentence = words[1:], False
    if not words or len(words) > NAME_WORDS_MAX or (begins_sentence and len(words) == 1):
        return
    before = _WORD_BEFORE.search(text, max(0, start - _LOOK_BACK), start)
    kind: MentionKind = "place" if before and before[1].casefold() in _BEFORE_A_PLACE else "name"
    both = (" ".join(words), " ".join(words[begins_sentence:]))  # `Congrats Caroline`, `Harry Potter`
    for written in dict.fromkeys(both):
        yield Mention(kind, written.casefold(), written)


def _begins_sentence(text: str, start: int) -> bool:
    if text[start - 1 : start] == " " and text[start - 2 : start - 1].isalnum():
        return False  # most do not: a shortcut with the same result
    gap = _GAP_BEFORE.search(text, max(0, start - _LOOK_BACK), start)
    return gap is not None and (gap.start() == 0 or _ENDS_SENTENCE.search(gap[0]) is not None)


def _is_no_name(word: str) -> bool:
    small = word.casefold().replace("\u2019", "'")
    return small in STOP_WORDS or small in NO_NAMES
