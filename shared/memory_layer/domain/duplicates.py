"""Duplicates: merging of near-duplicate memories, and detection of recalled text that is stored again."""

import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from datetime import datetime
from typing import Any, TypeVar

from memory_layer.domain.doubt import merge_doubts
from memory_layer.domain.memory import DETAIL_MAX_BYTES, LABELS_MAX, Memory, to_thousandths
from memory_layer.domain.outcome import decayed_evidence
from memory_layer.domain.trust import holds_words, taken_over

DUPLICATE_COSINE = 0.92
"""Cosine above which two contents count as near-duplicates (Outcome-Ranked Engine, the duplicate memory)."""

GRAM_WORDS = 4
REPEATED_SHARE = 0.7
"""Share of four-word runs taken from recalled texts from which on a text brings nothing new."""

MERGED_IDS = "merged_ids"

T = TypeVar("T")


def merge_duplicates(into: Memory, other: Memory, at: datetime, wording: Memory | None = None) -> Memory:
    """Merges two memories that say the same, without losing what either has proven.

    The longer content stays (of equally long ones the better believed), and belief goes with the words:
    source, confidence and approval are those of the memory whose content stays; facts in words that the other adds
    lower them to its own. Identity, owner, persona, type and status are those of `into`.

    Args:
        into: the memory that is kept, one version further.
        other: the memory that is merged into it; its own record is the caller's to end.
        at: time of the merge; `updated_at` moves to it if the content changes.
        wording: the one of the two that says all that the other says; None: both do.

    Returns:
        With tags, entities, relations and runs of both (at most 64 each, those of `into` first), their
        evidence summed, and `detail.merged_ids` naming every record merged into it.
    """
    kept_wording = wording or max(into, other, key=lambda memory: (len(memory.content), memory.confidence))
    united = replace(
        into,
        **_wording_fields(kept_wording),
        **_summed_evidence(into, other),
        doubted=merge_doubts(into.doubted, other.doubted),
        detail=_united_detail(into, other),
        tags=_united(into.tags, other.tags),
        entities=_united(into.entities, other.entities),
        relations=_united(into.relations, other.relations),
        source_runs=_united(into.source_runs, other.source_runs),
        expires_at=_later(into.expires_at, other.expires_at) if into.expires_at else None,
        updated_at=into.updated_at if kept_wording.content == into.content else at,
        version=into.version + 1,
    )
    told = {key: fact for key, fact in united.detail.items() if kept_wording.detail.get(key, _NONE) != fact}
    told.pop(MERGED_IDS, None)
    return taken_over(united, (into, other) if holds_words(told) else ())


_NONE = object()


_WORDING_FIELDS = (
    "content",
    "content_hash",
    "said_at",
    "times",
    "summary",
    "context",
    "embedding_model",
    "embedding_text_hash",
    "source",
    "source_run_id",
    "source_recall_id",
    "confidence",
    "approved_by",
    "approved_at",
)


def _wording_fields(kept_wording: Memory) -> dict[str, Any]:
    return {name: getattr(kept_wording, name) for name in _WORDING_FIELDS}


def _summed_evidence(into: Memory, other: Memory) -> dict[str, Any]:
    as_of = _later(into.last_used_at, other.last_used_at)
    weights = [decayed_evidence(memory, as_of) if as_of else (0.0, 0.0) for memory in (into, other)]
    return {
        "outcome_score": to_thousandths(min(1.0, max(-1.0, into.outcome_score + other.outcome_score))) + 0.0,
        "worked_weight": to_thousandths(sum(worked for worked, _ in weights)),
        "failed_weight": to_thousandths(sum(failed for _, failed in weights)),
        "last_used_at": as_of,
        "last_accessed_at": _later(into.last_accessed_at, other.last_accessed_at),
        **{name: getattr(into, name) + getattr(other, name) for name in _COUNTS},
    }


_COUNTS = ("worked", "failed", "partial", "use_count", "access_count")


def _later(one: datetime | None, other: datetime | None) -> datetime | None:
    return max((moment for moment in (one, other) if moment is not None), default=None)


def _united(first: Iterable[T], second: Iterable[T]) -> tuple[T, ...]:
    return tuple(dict.fromkeys((*first, *second)))[:LABELS_MAX]


def _united_detail(into: Memory, other: Memory) -> dict[str, Any]:
    """Merges the details, those of `into` first; facts of `other` are dropped where there is no room for both."""
    ids = [*merged_ids(into), other.id, *merged_ids(other)]
    merged = {MERGED_IDS: list(dict.fromkeys(ids))[-LABELS_MAX:]}
    united = {**other.detail, **into.detail, **merged}
    fits = len(json.dumps(united, ensure_ascii=False).encode()) <= DETAIL_MAX_BYTES
    return united if fits else {**into.detail, **merged}


def merged_ids(memory: Memory) -> list[str]:
    """Ids of the records merged into this one, as far as its detail names them."""
    ids = memory.detail.get(MERGED_IDS)
    return [id for id in ids if isinstance(id, str)] if isinstance(ids, list | tuple) else []


def repeats_recalled(text: str, recalled_texts: Iterable[str]) -> bool:
    """Tells whether a text mostly repeats recalled texts: our own words coming back are no new evidence.

    Args:
        text: a content to be stored, perhaps copied with our prompt's bullets and fences.
        recalled_texts: contents that were recalled.

    Returns:
        True where 70 % of the text's four-word runs occur in the recalled texts; for a text of fewer than
        five words, where it equals one of them. A sentence that quotes a memory and adds as much is news.
    """
    blocks = [block for block in map(_words_of, _blocks(text)) if block]
    recalled = [tuple(_words_of(recalled_text)) for recalled_text in recalled_texts]
    if sum(map(len, blocks)) <= GRAM_WORDS:
        return tuple(word for block in blocks for word in block) in recalled if blocks else False
    known = {gram for words in recalled for gram in _grams(words)}
    grams = [gram for block in blocks for gram in _grams(block)]
    return sum(gram in known for gram in grams) >= REPEATED_SHARE * len(grams)


_BULLET = re.compile(r"^\s*(?:[-*+•]|\d{1,3}[.)])\s+(?:\[[\w ]{1,32}\]\s*)?")
_FENCE_OR_HEADING = re.compile(r"^\s*(?:```|~~~|#{1,6}\s|</?[\w-]{1,64}[^<>]{0,256}>\s*$)")
_WORD = re.compile(r"[぀-ヿ㐀-鿿가-힯]|[^\W_぀-ヿ㐀-鿿가-힯]+")
"""Words of letters and digits; in scripts without spaces, each character."""


def _blocks(text: str) -> Iterator[str]:
    """Yields bullets and paragraphs one by one, without our rendering: a run of words never spans two of them."""
    block: list[str] = []
    for line in text.splitlines():
        bullet = _BULLET.match(line)
        ends = bullet or not line.strip() or _FENCE_OR_HEADING.match(line)
        if ends and block:
            yield " ".join(block)
            block = []
        if bullet:
            block = [line[bullet.end() :]]
        elif not ends:
            block.append(line)
    if block:
        yield " ".join(block)


def _words_of(text: str) -> list[str]:
    return _WORD.findall(text.casefold())


def _grams(words: Iterable[str]) -> Iterator[tuple[str, ...]]:
    """Four-word runs of a block; a shorter block is one run."""
    sequence = tuple(words)
    return (sequence[start : start + GRAM_WORDS] for start in range(max(1, len(sequence) - GRAM_WORDS + 1)))
