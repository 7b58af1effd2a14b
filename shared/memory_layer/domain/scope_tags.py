"""Tags that put a memory first in a scope of paths: trusted ones, and none that would match whatever is asked."""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from memory_layer.domain.access import Principal, Viewer, is_author
from memory_layer.domain.globs import glob_matches, path_below
from memory_layer.domain.memory import Memory

PATHS_MIN: Final = 4
"""Known paths from which on a tag that matches more than half of them is too broad; of fewer, half says nothing."""

PATHS_MAX: Final = 200

_UNLIKE: Final = ("a", "0/q", "README", "x/y/z.k", ".m/n/o/p/w.v")
_UNLIKE_FILES: Final = ("a.q", "0/x.k", "x/y/z.c.d", ".m/n/o/p/w.v")
"""Paths with nothing in common: a tag that matches all of them, or all with an extension, matches everything."""


Sight = tuple[Viewer, datetime]
"""Who looks, and when: the active, unexpired memories of the viewer's personas, and those of no persona."""


class KnownTags(list[str]):
    """Tags of projects, in order. Args: trusted: those of the trusted memories in somebody's sight."""

    def __init__(self, tags: Iterable[str], trusted: Iterable[str]) -> None:
        super().__init__(tags)
        self.trusted = tuple(trusted)


def tags_match(tags: Collection[str], write_scope: Collection[str]) -> bool:
    """Tells whether a tag and an entry of the scope match: equal keywords, or either as a glob matches the other."""
    entries = {entry.casefold() for entry in write_scope}
    return any(tag.casefold() in entries for tag in tags) or any(
        glob_matches(tag, entry) or glob_matches(entry, tag) for tag in tags for entry in write_scope
    )


def known_paths(tags: Iterable[str]) -> tuple[str, ...]:
    """Paths that the tags of a project tell of, in order, at most PATHS_MAX of them; a glob tells of one below it.

    Args:
        tags: `KnownTags.trusted`: else an agent would write tags until its own looks narrow, or another's broad, and
            what is rejected or of another persona would do so.
    """
    paths = sorted({path_below(tag) for tag in tags if _is_of_paths(tag)})
    return tuple(paths[:: -(-len(paths) // PATHS_MAX) or 1])


def _is_of_paths(tag: str) -> bool:
    return ":" not in tag and ("/" in tag or any(mark in tag for mark in "*?[{"))


def is_narrow(tag: str, paths: Sequence[str] = ()) -> bool:
    """Tells whether a tag says where it belongs: it matches neither everything nor more than half of other paths."""
    if any(all(glob_matches(tag, path) for path in unlike) for unlike in (_UNLIKE, _UNLIKE_FILES)):
        return False
    own = path_below(tag)
    others = [path for path in paths if path != own]
    return len(others) < PATHS_MIN or 2 * sum(glob_matches(tag, path) for path in others) <= len(others)


@dataclass(frozen=True, slots=True)
class WriteScope:
    """Paths, globs or keywords that a task may touch.

    Args:
        entries: as the caller names them.
        paths: of `known_paths`; without them no tag is too broad that does not match everything.
        caller: whose own memories, which nobody else reads, come first too.
    """

    entries: Sequence[str]
    paths: Sequence[str] = ()
    caller: Principal | None = None

    def names(self, tags: Iterable[str]) -> tuple[str, ...]:
        """Tags that match the scope, and are narrow."""
        return tuple(tag for tag in tags if tags_match([tag], self.entries) and is_narrow(tag, self.paths))

    def puts_first(self, memory: Memory) -> bool:
        """Tells whether a memory comes first in the scope: an agent's tags put its own words before nobody else's."""
        return (memory.is_trusted or self._is_private(memory)) and bool(self.names(memory.tags))

    def _is_private(self, memory: Memory) -> bool:
        if self.caller is None or memory.persona is None:
            return False
        return memory.persona in self.caller.own_personas and is_author(self.caller, memory)
