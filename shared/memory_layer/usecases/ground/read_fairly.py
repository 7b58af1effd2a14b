"""Records of a project up to a limit, of which no voice crowds out another: what people vouch for goes first."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from memory_layer.domain.access import Principal, agent_voice
from memory_layer.domain.attribution import agent_name
from memory_layer.domain.filters import Filters
from memory_layer.domain.memory import Memory, Standing
from memory_layer.ports.process import Ports
from memory_layer.usecases.ground.queries import list_memories

PAGE: Final = 500

SCANNED: Final = 4
"""Records that are looked through, as a multiple of those that are shown, the newest first."""

NAMED_MAX: Final = 5
"""Voices that a note names: those of whom most is not shown."""


@dataclass(frozen=True, slots=True)
class FairRead:
    """Records up to a limit.

    Args:
        left: number of records that are not shown, by voice; of people's under its empty name.
        is_whole: False: there are older ones, which were not looked through.
    """

    memories: tuple[Memory, ...]
    left: Mapping[str, int] = field(default_factory=dict)
    is_whole: bool = True

    @property
    def note(self) -> str | None:
        """Sentence that tells what is not shown, and of whom; None: all is shown."""
        if not self.left and self.is_whole:
            return None
        most = Counter(self.left).most_common()
        told = [f"{count:,} {_whose(voice)}" for voice, count in most[:NAMED_MAX]]
        others = sum(count for _, count in most[NAMED_MAX:])
        told += [f"{others:,} of others"] if others else []
        told += [] if self.is_whole else ["older ones, which were not counted"]
        return (
            f"{len(self.memories):,} are shown, not shown are {', '.join(told)}; "
            "what people vouch for goes first, of the rest each has an equal share, the newest first"
        )


def _whose(voice: str) -> str:
    """Words for whose records are not shown: models read them, so no person is named, and no name is a sentence."""
    return f"of {agent_name(voice) or 'an agent of a person'}" if voice else "that people vouch for"


def read_fairly(ports: Ports, principal: Principal, project: str, filters: Filters, most: int) -> FairRead:
    """Reads the records that a caller may list, all of them where they are no more than `most`, the newest first."""
    found: list[Memory] = []
    for page in _pages(ports, principal, project, filters, most + 1):
        found += page
    if len(found) <= most:
        return FairRead(tuple(found))
    trusted = _Kept(most)
    unreviewed = _Kept(most)
    standings: tuple[tuple[Standing, _Kept], ...] = (("trusted", trusted), ("unreviewed", unreviewed))
    for standing, kept in standings:
        asked = replace(filters, standing=standing)
        for page in _pages(ports, principal, project, asked, SCANNED * most):
            kept.add(page)
        kept.keep(most - len(trusted.memories) if kept is unreviewed else most)
    is_whole = max(trusted.seen, unreviewed.seen) < SCANNED * most
    left = trusted.left + unreviewed.left
    return FairRead((*trusted.memories, *unreviewed.memories), left, is_whole)


def _pages(
    ports: Ports, principal: Principal, project: str, filters: Filters, most: int
) -> Iterator[Sequence[Memory]]:
    """Pages of records until `most` of them were read."""
    after, read = None, 0
    while read < most:
        page = list_memories(ports, principal, project, filters, after=after, limit=min(PAGE, most - read))
        yield page.memories
        after, read = page.next_key, read + len(page.memories)
        if after is None:
            return


@dataclass(slots=True)
class _Kept:
    """Records kept of a stream, the newest first, no more in memory than twice as many as are wanted."""

    most: int
    memories: list[Memory] = field(default_factory=list)
    left: Counter[str] = field(default_factory=Counter)
    seen: int = 0

    def add(self, page: Sequence[Memory]) -> None:
        self.memories += page
        self.seen += len(page)
        if len(self.memories) > 2 * self.most:
            self.keep(self.most)

    def keep(self, room: int) -> None:
        """Keeps an equal share of each voice; what people vouch for is one voice."""
        counts = Counter(map(_voice, self.memories))
        shares = equal_shares(counts, room)
        kept: list[Memory] = []
        for memory in self.memories:
            voice = _voice(memory)
            if shares[voice] > 0:
                shares[voice] -= 1
                kept.append(memory)
            else:
                self.left[voice] += 1
        self.memories = kept


def _voice(memory: Memory) -> str:
    return "" if memory.is_trusted else agent_voice(memory.created_by)


def equal_shares(counts: Mapping[str, int], room: int) -> dict[str, int]:
    """Shares of a room, equal but for who has less to show, whose rest goes to the others."""
    shares: dict[str, int] = {}
    for place, (voice, count) in enumerate(sorted(counts.items(), key=lambda one: (one[1], one[0]))):
        shares[voice] = min(count, room // (len(counts) - place))
        room -= shares[voice]
    return shares
