"""Redaction of answers: a second search for secrets, as settings may be stricter than when a record was stored."""

import threading
from collections import OrderedDict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from hashlib import sha256
from typing import Final

from memory_layer.domain.context.fragments import Offer
from memory_layer.domain.memory import Memory, Scope
from memory_layer.domain.policy import PrivacyMode
from memory_layer.domain.ranking import RankedMemory
from memory_layer.domain.text.section_headings import section_of
from memory_layer.usecases.ground.redacted_fields import redacted_fields
from memory_layer.usecases.ground.visibility import Visibility

CLEAN_MAX: Final = 100_000
"""Digests kept of texts in which nothing was found: some 15 MB at most, and no word of any."""

DEFAULTS_VERSION: Final = 0
"""Version of settings that are the defaults still."""

BLOCK_FIELDS: Final = ("content", "summary", "detail")
"""Fields of which a block for a model is made."""

HEADED_FIELDS: Final = (*BLOCK_FIELDS, "context")
"""The same of a line of a file, over which a page says its heading."""

RECORD_FIELDS: Final = (*BLOCK_FIELDS, "context", "tags", "entities", "relations")
"""Fields of a record shown whole: those that admission redacts."""

STRICTNESS: Final[tuple[PrivacyMode, ...]] = ("off", "secrets", "refuse", "personal")


class CleanTexts:
    """LRU cache of texts, by digest, that hold nothing to redact."""

    def __init__(self, most: int = CLEAN_MAX) -> None:
        self._most = most
        self._known: OrderedDict[bytes, None] = OrderedDict()
        self._lock = threading.Lock()

    def knows(self, digest: bytes) -> bool:
        with self._lock:
            if digest not in self._known:
                return False
            self._known.move_to_end(digest)
            return True

    def note(self, digest: bytes) -> None:
        with self._lock:
            self._known[digest] = None
            if len(self._known) > self._most:
                self._known.popitem(last=False)


_clean = CleanTexts()


def redacted_offers(
    offers: Sequence[Offer], asking: PrivacyMode, mode_of: Callable[[Scope], PrivacyMode]
) -> list[Offer]:
    """Redacts offers by the stricter of the asking project's settings and those of their own.

    Where the settings refuse secrets, one that was stored before is redacted like any other.
    """
    clean = (_redacted(offer.memory, asking, mode_of, _block_fields(offer.memory)) for offer in offers)
    return [
        offer if memory is offer.memory else offer._replace(memory=memory)
        for offer, memory in zip(offers, clean, strict=True)
    ]


def _block_fields(memory: Memory) -> Sequence[str]:
    return BLOCK_FIELDS if section_of(memory) is None else HEADED_FIELDS


def redacted_memories(memories: Iterable[Memory], project: Scope, visibility: Visibility) -> list[Memory]:
    """Redacts memories as `redacted_offers` does. Args: project: that asks; visibility: knows the settings."""

    def mode_of(scope: Scope) -> PrivacyMode:
        return visibility.policy_of(scope).privacy_mode

    return [_redacted(memory, mode_of(project), mode_of) for memory in memories]


def redacted_hits(hits: Iterable[RankedMemory], project: Scope, visibility: Visibility) -> list[RankedMemory]:
    """Redacts hits that are shown whole, with their context and all their labels.

    A project with default settings is as strict as it ever was: its hits are not scanned again.
    """
    asking = visibility.policy_of(project)

    def redacted(hit: RankedMemory) -> RankedMemory:
        own = visibility.policy_of(hit.memory.scope)
        if asking.version == own.version == DEFAULTS_VERSION:
            return hit
        memory = _redacted(hit.memory, asking.privacy_mode, lambda _: own.privacy_mode, RECORD_FIELDS)
        return hit if memory is hit.memory else replace(hit, memory=memory)

    return [redacted(hit) for hit in hits]


def as_shown(memory: Memory, mode: PrivacyMode) -> Memory:
    """Redacts a record for the answer to a caller who stores a similar one. Args: mode: of its project."""
    return _redacted(memory, mode, lambda _: mode)


def _redacted(
    memory: Memory,
    asking: PrivacyMode,
    mode_of: Callable[[Scope], PrivacyMode],
    shown: Sequence[str] = BLOCK_FIELDS,
) -> Memory:
    """Redacts a record by the stricter mode, unless its texts are known to be clean. Args: shown: fields shown."""
    mode = max(asking, mode_of(memory.scope), key=STRICTNESS.index)
    if mode == "off":
        return memory
    fields = {name: value for name in shown if (value := getattr(memory, name))}
    digest = sha256(repr((mode, fields)).encode()).digest()
    if _clean.knows(digest):
        return memory
    clean, findings = redacted_fields(fields, mode)
    if findings:
        return replace(memory, **clean)
    _clean.note(digest)
    return memory
