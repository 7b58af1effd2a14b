"""Playbook of a project: every learning in use as a bullet with a stable name, in an order that only grows at its end.

Bullets stand in the order in which their words were last changed, in blocks; where a block ends is told by the name of
its last bullet alone. So a change rewrites its own block and the last one, and all bytes before it stay: providers keep
what they have computed for a prompt's beginning. Counts, which move with every outcome, stand behind all blocks.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Final

from memory_layer.domain.attribution import MARK_EXPLAINED, UNREVIEWED_MARK
from memory_layer.domain.dated_words import with_dates
from memory_layer.domain.fields import canonical_json
from memory_layer.domain.learning.self_verdicts import NO_SELF_COUNTS, SelfCounts
from memory_layer.domain.memory import Memory, MemoryType
from memory_layer.domain.prompt import FRAMING, first_and_next_lines, opens_block, within_tags

PLAYBOOK_TYPES: Final[tuple[MemoryType, ...]] = (
    "strategy",
    "antipattern",
    "convention",
    "estimate",
    "learning",
)
HEADING: Final = "## Playbook"
COUNTS_HEADING: Final = "### How often each helped (+) and harmed (-)"
SELF_COUNTS_HEADING: Final = "### The same by who wrote it, which proves nothing"
RETIRED_HEADING: Final = "### No longer in use"

NO_COUNTS_OF_ANY: Final[Mapping[str, SelfCounts]] = {}

_NAME_CHARS: Final = 12
"""Hex digits of a name: of 100,000 bullets two have the same by a chance of .00002; with 8 digits one pair would."""

_BLOCK_BULLETS: Final = 16
"""Bullets of a block on average."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Bullet:
    """Bullet of a playbook.

    Args:
        name: a digest of the memory's id, which the page calls it by.
        id: the memory's.
        type: kind of learning.
        content: what it says.
        helpful: verdicts that it worked, without those of an agent that wrote it.
        harmful: verdicts that it failed, without those of an agent that wrote it.
        is_trusted: a person said it, or a reviewer approved it.
        own: verdicts of the agent that wrote it.
    """

    name: str
    id: str
    type: MemoryType
    content: str
    helpful: int
    harmful: int
    is_trusted: bool
    own: SelfCounts = NO_SELF_COUNTS


@dataclass(frozen=True, slots=True)
class PlaybookDelta:
    """Difference of two playbooks.

    Args:
        changed: bullets that are new, or say or count something else now, in the order of the page.
        retired: names of those that are in use no more.
    """

    changed: tuple[Bullet, ...]
    retired: tuple[str, ...]


def bullets_of(
    memories: Iterable[Memory], own: Mapping[str, SelfCounts] = NO_COUNTS_OF_ANY
) -> tuple[Bullet, ...]:
    """Bullets of the learnings in use, in the order of the page.

    Args:
        memories: as they are at one moment.
        own: counts of the agents that wrote them, by id; of those left out there are none.
    """
    kept = [one for one in memories if one.is_active and one.type in PLAYBOOK_TYPES]
    return tuple(
        bullet_of(one, own.get(one.id, NO_SELF_COUNTS))
        for one in sorted(kept, key=lambda one: (one.updated_at, one.id))
    )


def bullet_name(id: str) -> str:
    """Name of a memory's bullet: the same as long as the memory is there."""
    return sha256(id.encode()).hexdigest()[:_NAME_CHARS]


def bullet_of(memory: Memory, own: SelfCounts) -> Bullet:
    return Bullet(
        name=bullet_name(memory.id),
        id=memory.id,
        type=memory.type,
        content=with_dates(memory.content, memory.times),
        helpful=memory.worked - own.worked,
        harmful=memory.failed - own.failed,
        is_trusted=memory.is_trusted,
        own=own,
    )


def difference(then: Sequence[Bullet], now: Sequence[Bullet]) -> PlaybookDelta:
    """Bullets of `now` that are not in `then` as they are, and the names that only `then` has."""
    before, left = {one.id: one for one in then}, {one.id for one in now}
    return PlaybookDelta(
        tuple(one for one in now if before.get(one.id) != one),
        tuple(one.name for one in then if one.id not in left),
    )


def difference_to_each(pages: Sequence[Sequence[Bullet]], now: Sequence[Bullet]) -> PlaybookDelta:
    """Difference that leads from any of several pages to `now`. Args: pages: none: the whole is new."""
    deltas = [difference(then, now) for then in pages or ((),)]
    changed = {one.id for delta in deltas for one in delta.changed}
    return PlaybookDelta(
        tuple(one for one in now if one.id in changed),
        tuple(dict.fromkeys(name for delta in deltas for name in delta.retired)),
    )


def applied(known: Mapping[str, Bullet], delta: PlaybookDelta) -> dict[str, Bullet]:
    """Bullets by name after a difference. Args: known: before it."""
    gone = set(delta.retired)
    return {name: one for name, one in known.items() if name not in gone} | {
        one.name: one for one in delta.changed
    }


def set_hash(bullets: Iterable[Bullet]) -> str:
    """SHA-256, hex, of what a playbook says and counts, whatever its order."""
    said = sorted(
        [one.id, one.type, one.content, one.helpful, one.harmful, one.is_trusted] for one in bullets
    )
    return sha256(canonical_json(said).encode()).hexdigest()


def render_playbook(bullets: Sequence[Bullet], retired: Sequence[str] = ()) -> str:
    """Page of bullets, or of a difference; empty for none.

    Each block is fenced by a number that is a digest of all that it holds, and each line of a content after its first
    begins with a bar: no text closes a fence or passes for a bullet.

    Args:
        retired: names that are told at the end.
    """
    if not bullets and not retired:
        return ""
    fenced = [within_tags("", block, _number(block)).strip() for block in _blocks(bullets)]
    counts = [f"{one.name} +{one.helpful} -{one.harmful}" for one in bullets if one.helpful or one.harmful]
    parts = [f"{HEADING}\n{FRAMING} {MARK_EXPLAINED[0].upper()}{MARK_EXPLAINED[1:]}.", *fenced]
    parts += ["\n".join([COUNTS_HEADING, *counts])] if counts else []
    own = [f"{one.name} +{one.own.worked} -{one.own.failed}" for one in bullets if any(one.own)]
    parts += ["\n".join([SELF_COUNTS_HEADING, *own])] if own else []
    parts += ["\n".join([RETIRED_HEADING, *retired])] if retired else []
    return "\n\n".join(parts) + "\n"


def _number(block: str) -> str:
    return sha256(block.encode()).hexdigest()[:16]


def _blocks(bullets: Sequence[Bullet]) -> Iterator[str]:
    lines: list[str] = []
    for one in bullets:
        lines += _lines(one)
        if int(one.name, 16) % _BLOCK_BULLETS == 0:
            yield "\n".join(lines)
            lines = []
    if lines:
        yield "\n".join(lines)


def _lines(one: Bullet) -> Iterator[str]:
    first, others = first_and_next_lines(one.content)
    mark = "| " if opens_block(first) else ""
    yield f"- [{one.type} {one.name}{'' if one.is_trusted else UNREVIEWED_MARK}] {mark}{first}"
    yield from others
