"""Facts of records that judging and ranking need, as rows of a table: an index keeps them beside its vectors."""

from __future__ import annotations

import re
import zlib
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any, Final, get_args

from memory_layer.domain.arrays import NDArray, np
from memory_layer.domain.doubt import stands_back
from memory_layer.domain.memory import Category, Memory, Source, is_stub
from memory_layer.domain.retrieval.told_days import (
    TOLD_SPANS,
    DaySpans,
    own_day,
    shares_within,
    tells_days,
    told_days,
)
from memory_layer.domain.text.analyzer import term_hash
from memory_layer.domain.text.entity_extraction import name_words_of, subject_of

if TYPE_CHECKING:
    Facts = NDArray[np.void]
    """Rows of `fact_dtype`, shape (n,)."""

(
    IS_ACTIVE,
    IS_STALE,
    IS_APPROVED,
    IS_DOUBTED,
    IS_PINNED,
    IS_QUESTION,
    HAS_QUESTION,
    TELLS_DAYS,
    STANDS_BACK,
    DATED_BY_SOURCE,
) = (1 << bit for bit in range(10))
"""Bits of `flags`. IS_QUESTION: the content ends in a question mark; HAS_QUESTION: there is one anywhere in it;
TELLS_DAYS: `told` are days that the record tells of (told_days.tells_days), and not merely its own; STANDS_BACK: two
independent principals doubt it in runs of their own; DATED_BY_SOURCE: its source tells them, and not its words."""

NEVER: Final = 2**63 - 1
"""Microseconds of a moment that does not come: `expires_at` and `valid_to` of records without an end."""

ALWAYS: Final = -(2**63)
"""Microseconds of `valid_from` and `last_used_at` of records without one."""

AMOUNT_MAX: Final = 2**31 - 1
"""Bound of counts, and of weights in thousandths: a record may have more, and ranking saturates long before."""

DAY_US: Final = 86_400_000_000
"""Microseconds of a day."""

NO_SESSION: Final = 0
SUBJECT_WORDS: Final = 4
NO_WORD: Final = 0
UNMATCHED_WORD: Final = 1
"""Hash in the place of a subject of more than SUBJECT_WORDS words: no question names all of them."""

QUESTION_MARKS: Final = "?\uff1f\u061f"

CATEGORIES: Final[tuple[Category, ...]] = get_args(Category)
SOURCES: Final[tuple[Source, ...]] = get_args(Source)

_FIELDS: Final = (
    ("confidence", "<i2"),
    ("relevance_score", "<i2"),
    ("outcome_score", "<i2"),
    ("category", "<i1"),
    ("source", "<i1"),
    ("flags", "<u2"),
    ("unseconded", "<i4"),
    ("use_count", "<i4"),
    ("worked_weight", "<i4"),
    ("failed_weight", "<i4"),
    ("updated_at", "<i8"),
    ("last_used_at", "<i8"),
    ("expires_at", "<i8"),
    ("valid_from", "<i8"),
    ("valid_to", "<i8"),
    ("told", "<i4", (TOLD_SPANS, 2)),
    ("chars", "<i4"),
    ("session", "<u4"),
    ("position", "<i4"),
    ("subject", "<u4", (SUBJECT_WORDS,)),
)

_ENDS_ASKING = re.compile(r"""[?\uff1f\u061f][\s"')\]}\u00bb\u2019\u201d\u300d\u300f]*\Z""")

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)
_CODES: Final[dict[str, int]] = {
    name: code for names in (CATEGORIES, SOURCES) for code, name in enumerate(names)
}


_HUMAN: Final = _CODES["human"]


def fact_dtype() -> np.dtype[np.void]:
    """Dtype of a row of facts.

    Scores and weights are thousandths, weights and counts at most AMOUNT_MAX; moments microseconds since 1970; `told`
    are first and last days that the record tells of, since 1970; `chars` the length of its content; `session` a hash of
    project and conversation, NO_SESSION of a record in none; `subject` holds the hashes of the words of its speaker,
    filled up with NO_WORD.
    """
    return np.dtype(list(_FIELDS))


def facts_of(memories: Sequence[Memory]) -> Facts:
    """Facts of records, read off themselves."""
    return np.array([_row(memory) for memory in memories], fact_dtype())


def _row(memory: Memory) -> tuple[Any, ...]:
    return (
        round(memory.confidence * 1000),
        round(memory.relevance_score * 1000),
        round(memory.outcome_score * 1000),
        category_code(memory.category),
        source_code(memory.source),
        _flags(memory),
        _thousandths(memory.unseconded),
        min(memory.use_count, AMOUNT_MAX),
        _thousandths(memory.worked_weight),
        _thousandths(memory.failed_weight),
        microseconds(memory.updated_at),
        ALWAYS if memory.last_used_at is None else microseconds(memory.last_used_at),
        NEVER if memory.expires_at is None else microseconds(memory.expires_at),
        ALWAYS if memory.valid_from is None else microseconds(memory.valid_from),
        NEVER if memory.valid_to is None else microseconds(memory.valid_to),
        told_days(memory.times, own_day(memory)),
        len(memory.content),
        session_hash(memory.project, memory.session_id),
        -1 if memory.position is None else memory.position,
        subject_hashes(memory.content),
    )


def _thousandths(weight: float) -> int:
    return min(round(weight * 1000), AMOUNT_MAX)


def _flags(memory: Memory) -> int:
    """Flags of a record. A stub is no question: questions are brief."""
    content, flags = memory.content, 0
    if memory.is_active:
        flags |= IS_ACTIVE
    if memory.status == "stale":
        flags |= IS_STALE
    if memory.is_approved:
        flags |= IS_APPROVED
    if memory.doubted is not None:
        flags |= IS_DOUBTED
    if memory.pinned:
        flags |= IS_PINNED
    if asks(content) and not is_stub(memory):
        flags |= IS_QUESTION
    if stands_back(memory):
        flags |= STANDS_BACK
    if any(mark in content for mark in QUESTION_MARKS):
        flags |= HAS_QUESTION
    if tells_days(memory):
        flags |= TELLS_DAYS if memory.times else TELLS_DAYS | DATED_BY_SOURCE
    return flags


def is_trusted(facts: Facts) -> NDArray[np.bool_]:
    """Tests which records a person said or a reviewer approved."""
    return np.asarray((facts["source"] == _HUMAN) | (facts["flags"] & IS_APPROVED != 0))


def stand_back(facts: Facts) -> NDArray[np.bool_]:
    """Tests which records two independent principals found wrong in runs of their own (SPEC 4.17)."""
    return np.asarray(facts["flags"] & STANDS_BACK != 0)


def pinned_as(facts: Facts, wanted: bool) -> NDArray[np.bool_]:
    """Tests which records are pinned, or which are not."""
    return np.asarray((facts["flags"] & IS_PINNED != 0) == wanted)


def asks(content: str) -> bool:
    """Tests if a text ends in a question mark, of any script, closing quotes and brackets aside."""
    return _ENDS_ASKING.search(content) is not None


def category_code(category: str) -> int:
    """Code of a category in facts; -1 of an unknown one."""
    return _CODES.get(category, -1)


def source_code(source: str) -> int:
    """Code of a source in facts; -1 of an unknown one."""
    return _CODES.get(source, -1)


def microseconds(moment: datetime) -> int:
    """Microseconds since 1970, exactly."""
    return (moment - _EPOCH) // _MICROSECOND


def session_hash(project: str, session_id: str | None) -> int:
    """Hash of a conversation, uint32, never NO_SESSION; of two in one answer, one in 2^32 share it."""
    return NO_SESSION if session_id is None else zlib.crc32(f"{project}\0{session_id}".encode()) or 1


def subject_hashes(beginning: str) -> tuple[int, ...]:
    """Hashes of the words of the speaker or subject that a text begins with; SUBJECT_WORDS of them.

    Args:
        beginning: the text, or its first 130 characters.
    """
    subject = subject_of(beginning)
    return _NO_SUBJECT if subject is None else word_hashes(subject)


_NO_SUBJECT: Final = (NO_WORD,) * SUBJECT_WORDS


def word_hashes(subject: str) -> tuple[int, ...]:
    """Hashes of a subject's words, ascending, filled up with NO_WORD."""
    hashes = sorted(map(term_hash, name_words_of(subject)))
    if len(hashes) > SUBJECT_WORDS:
        hashes = [UNMATCHED_WORD]
    return (*hashes, *(NO_WORD,) * (SUBJECT_WORDS - len(hashes)))


def told_scores(facts: Facts, asked: DaySpans) -> NDArray[np.float64]:
    """Share of the days that records tell of in those asked for, > 0 to 1; NaN: none, or a record tells of none."""
    shares = shares_within(facts["told"], asked)
    return np.where((shares > 0.0) & (facts["flags"] & TELLS_DAYS != 0), shares, np.nan)


def is_about(facts: Facts, names: Iterable[str]) -> NDArray[np.bool_]:
    """Tests which records are by, or about, somebody of these names. Args: names: as `name_words_of` makes them."""
    words = facts["subject"]
    known = np.array([NO_WORD, *map(term_hash, names)], np.uint32)
    is_known = (words[:, :, None] == known).any(axis=2).all(axis=1)
    return np.asarray(is_known & (words[:, 0] != NO_WORD))
