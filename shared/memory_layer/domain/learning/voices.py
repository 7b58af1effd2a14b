"""Voices of a learning: who taught it by which objective, so that one who reports often is no consensus."""

from collections.abc import Sequence
from hashlib import sha256
from typing import Final

from memory_layer.domain.fields import canonical_json
from memory_layer.domain.text.same_words import plain_form

VOICES_MIN: Final = 3
"""Independent runs from which on a learning is as sure as its counts say; no more voices are kept."""

_DIGITS: Final = 12

Source = tuple[Sequence[str], Sequence[str]]
"""Voices that a learning names, and the ids of its runs."""


def voice_of(principal: str, objective: str) -> str:
    """Digest of who ran what: runs of one principal for one objective are one voice."""
    return _digest([principal, plain_form(objective)])


def named_voices(found: object) -> tuple[str, ...]:
    """Voices in a detail; none of a learning that no reported run taught."""
    return tuple(one for one in found if isinstance(one, str)) if isinstance(found, list | tuple) else ()


def united_voices(one: Source, other: Source) -> tuple[str, ...]:
    """Voices of two learnings; each run of one that names none counts as its own where the other names some."""
    if not (one[0] or other[0]):
        return ()
    voices = {voice for named, runs in (one, other) for voice in named or [_digest([run]) for run in runs]}
    return tuple(sorted(voices)[:VOICES_MIN])


def is_alone(voices: Sequence[str]) -> bool:
    """Tells that fewer than three independent runs taught a learning."""
    return 0 < len(voices) < VOICES_MIN


def _digest(named: list[str]) -> str:
    return sha256(canonical_json(named).encode()).hexdigest()[:_DIGITS]
