"""Levels of detail: one line of a memory (macro), its content (micro), and its facts besides (atomic)."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any, Final

from memory_layer.domain.attribution import DOUBTED, day_of, speaker_of, told_edition
from memory_layer.domain.context.fragments import Lod, Offer
from memory_layer.domain.context.rendering import PageEntry, PageGroup
from memory_layer.domain.context.sentence_places import in_lines, label_of, sentences, spans_of
from memory_layer.domain.dated_words import with_dates
from memory_layer.domain.learning.founded_figures import founded_detail
from memory_layer.domain.memory import Memory, Ref
from memory_layer.domain.safety.text_caches import kept_by_text
from memory_layer.domain.text.analyzer import analyze
from memory_layer.domain.text.classification import first_sentence
from memory_layer.domain.text.digest_cache import DigestCache
from memory_layer.domain.text.line_order import LINE_ORDER, vouched_place
from memory_layer.domain.text.section_headings import section_of

FACTS_MAX: Final = 40
FACTS_MAX_CHARS: Final = 2_000
LINE_MAX_CHARS: Final = 400
READ_MAX_CHARS: Final = 8_192
"""Most characters of a content searched for the one line that stands for it."""

TEXTS_MAX: Final = 8_192
"""Most contents of which the terms of the sentences are kept, about a kilobyte each and no words in order."""

FOUND_MAX: Final = 512
"""Most contents kept with the terms of one intent in them: each is asked for twice in a context."""

ALL_TERMS_SHARE: Final = 0.8
"""Share of a memory's worth that its nearest sentence holds where it has all terms of the intent that the content has:
it then answers what the whole answers in 9 of 10 cases, else in 6 (ADR-0013)."""

SOME_TERMS_SHARE: Final = 0.4
"""The same where other sentences have further terms of the intent, or none has any."""

SUMMARY_SHARE: Final = 0.75
"""Share of it that its author's summary holds; assumed."""

_BOOKKEEPING: Final = ("merged_ids", "applied_as", LINE_ORDER)
"""Facts about the record, not about the world."""


def page_entries(
    offers: Sequence[Offer], wanted: Collection[str], corrections: Mapping[Ref, Ref] | None = None
) -> list[dict[Lod, PageEntry]]:
    """Entries of each offer on the page, by level, shortest first.

    Args:
        wanted: terms of the intent.
        corrections: of doubted memories (`corrections_among`).
    """
    asked = frozenset(wanted)
    return [_entries(offer, asked, (corrections or {}).get(offer.memory.ref)) for offer in offers]


def _entries(offer: Offer, wanted: Collection[str], correction: Ref | None) -> dict[Lod, PageEntry]:
    memory = offer.memory
    plain = levels(memory, wanted, offer.line_share if offer.is_compressed else 0.0)
    key, place = (memory.id, memory.project), _place(memory)
    group = PageGroup(day_of(memory), speaker_of(memory), told_edition(memory))
    layer, times, is_unreviewed = offer.layer, memory.times, not memory.is_trusted
    aside = DOUBTED if memory.doubted else None
    section = section_of(memory)
    return {
        level: PageEntry(
            key,
            layer,
            group,
            place,
            with_dates(text, times) if times else text,
            is_unreviewed=is_unreviewed,
            aside=aside,
            correction=None if correction is None else (correction.id, correction.project),
            section=section,
        )
        for level, text in plain.items()
    }


def _place(memory: Memory) -> tuple[str, int]:
    """Place of a memory in its conversation or its file."""
    if memory.session_id is None:
        return vouched_place(memory) or ("", -1)
    return memory.session_id, -1 if memory.position is None else memory.position


def levels(memory: Memory, wanted: Collection[str], line_share: float = 0.0) -> dict[Lod, str]:
    """Texts of a memory by level, shortest first; levels that would say the same are left out.

    Args:
        wanted: terms of the intent, as `text.analyzer.analyze` makes them.
        line_share: share of the content's length that `macro` may have, 0..1; 0: its one line.

    Returns:
        `micro` always; `macro` where it is shorter; `atomic` where the memory has facts.
    """
    found: dict[Lod, str] = {}
    line = excerpt(memory.content, wanted, line_share) if line_share else one_line(memory, wanted)
    if len(line) < len(memory.content.strip()):
        found["macro"] = line
    found["micro"] = memory.content
    text = facts(founded_detail(memory)) if memory.detail else ""
    if text:
        found["atomic"] = f"{memory.content}\n{text}"
    return found


def one_line(memory: Memory, wanted: Collection[str]) -> str:
    """Line that stands for a memory: its author's summary, or else the sentence nearest to the intent.

    A speaker's label stays with the sentence.
    """
    return authors_summary(memory) or nearest_sentence(memory.content, wanted)


def authors_summary(memory: Memory) -> str:
    """Summary that the author chose; empty where it is merely the front of the content, often a greeting."""
    if not memory.summary:
        return ""
    summary = " ".join(memory.summary.split())
    return "" if not summary or _is_beginning(summary, memory.content) else summary


def _is_beginning(summary: str, content: str) -> bool:
    """Tells whether a summary is the front of the content; the exact rule is slow, and seldom needed to decide."""
    return content.startswith(summary.removesuffix("…")) or summary == first_sentence(content)


def nearest_sentence(content: str, wanted: Collection[str]) -> str:
    """Sentence that shares most distinct terms with the wanted ones; of equally near ones the first."""
    head = content[:READ_MAX_CHARS]
    read, counts, _ = _counted_terms(head, frozenset(wanted))
    if not counts:
        return first_sentence(content)
    return _line(*_sentence(head, read, counts.index(max(counts))))


def line_worth(memory: Memory, wanted: Collection[str]) -> float:
    """Share of a memory's worth that its one line holds. Args: wanted: terms of the intent."""
    if authors_summary(memory):
        return SUMMARY_SHARE
    _, counts, whole = _counted_terms(memory.content[:READ_MAX_CHARS], frozenset(wanted))
    return ALL_TERMS_SHARE if 0 < max(counts, default=0) == whole else SOME_TERMS_SHARE


def excerpt(content: str, wanted: Collection[str], share: float) -> str:
    """Sentences nearest to the wanted terms, in their order, that together have this share of the content.

    Args:
        share: of its characters, 0..1; the nearest sentence is included in any case.
    """
    head = content[:READ_MAX_CHARS]
    label, parts = sentences(head)
    _, counts, _ = _counted_terms(head, frozenset(wanted))
    nearest = sorted(range(len(parts)), key=lambda at: -counts[at])
    room = share * len(content.strip()) + 1
    taken: dict[int, str] = {}
    for at in nearest:
        line = _line(label, parts[at])
        room -= len(line) + 1
        if taken and room < 0:
            break
        taken[at] = line
    first, *others = [taken[at] for at in sorted(taken)] or [first_sentence(content)]
    return " ".join((first, *(line.removeprefix(label_of(content.strip())) for line in others)))


def _line(label: str, part: str) -> str:
    """Sentence as a line that can stand alone."""
    return _cut(label + " ".join(part.split()))


_ReadSentences = tuple[tuple[tuple[str, ...], ...], int, tuple[tuple[int, int], ...] | None]
"""What is kept of the sentences of a content, as plain tuples, through which no garbage collection looks.

The terms of each, none where there is but one; the characters of the speaker's label; and the places of the sentences
in the content without blanks around it, None where they do not stand in it so.
"""


def _read_sentences(content: str) -> _ReadSentences:
    text, plain = content.strip(), in_lines(content).strip()
    label = label_of(plain)
    spans = spans_of(plain, len(label))
    is_choice = len(spans) > 1
    terms = (dict.fromkeys(analyze(plain[start:end])) if is_choice else () for start, end in spans)
    return tuple(map(tuple, terms)), len(label), tuple(spans) if text == plain else None


_terms: Final = DigestCache(_read_sentences, TEXTS_MAX)


@kept_by_text(FOUND_MAX)
def _counted_terms(content: str, wanted: frozenset[str]) -> tuple[_ReadSentences, tuple[int, ...], int]:
    """Number of wanted terms in each sentence of a content, 0 where there is but one, and in all of them."""
    read = _terms.of(content)
    found = [wanted.intersection(terms) for terms in read[0]]
    return read, tuple(map(len, found)), len(frozenset().union(*found))


def _sentence(content: str, read: _ReadSentences, at: int) -> tuple[str, str]:
    """Label of the speaker, and a sentence. Args: read: of this content."""
    _, label_chars, spans = read
    if spans is None:
        label, parts = sentences(content)
        return label, parts[at]
    text, (start, end) = content.strip(), spans[at]
    return text[:label_chars], text[start:end]


def _cut(line: str) -> str:
    if len(line) <= LINE_MAX_CHARS:
        return line
    return f"{line[: LINE_MAX_CHARS - 1].rsplit(' ', 1)[0]}…"


def facts(detail: Mapping[str, Any]) -> str:
    """Structured facts of a memory in one line: `effectiveness: 0.8; suggested_actions: add an index, retry`."""
    text = ""
    for number, (path, value) in enumerate(_leaves(detail, "")):
        fact = f"{'; ' if text else ''}{path}: {value}"
        if number == FACTS_MAX or len(text) + len(fact) > FACTS_MAX_CHARS:
            break
        text += fact
    return text


def _leaves(value: Mapping[str, Any], above: str) -> Iterator[tuple[str, str]]:
    """Yields names and values, inner ones by their path, in the order of their names: stores keep no other."""
    for name in sorted(value):
        item, path = value[name], f"{above}{name}"
        if path in _BOOKKEEPING or item is None or item in ("", [], {}):
            continue
        if isinstance(item, Mapping):
            yield from _leaves(item, f"{path}.")
        else:
            yield path, _value_text(item)


def _value_text(value: Any) -> str:
    if isinstance(value, list | tuple):
        return ", ".join(map(_value_text, value))
    if isinstance(value, Mapping):
        return ", ".join(f"{path} {inner}" for path, inner in _leaves(value, ""))
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return f"{value:g}"
    return " ".join(str(value).split())
