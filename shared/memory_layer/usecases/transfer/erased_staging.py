"""Erasure of staged learnings: all of a project, those of a person, or those whose words name an entity."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from typing import Final, TypeAlias, TypeVar, get_args

from memory_layer.domain.access import Viewer
from memory_layer.domain.fields import canonical_json
from memory_layer.domain.learning.staging import StagedLearning, StagedStatus
from memory_layer.domain.memory import Scope
from memory_layer.ports.commit import Commit
from memory_layer.ports.process import Ports
from memory_layer.usecases.ground.erased_words import names_entity

PAGE: Final = 200
EVERYONE: Final = Viewer(sees_all_personas=True)

T = TypeVar("T")
Place: TypeAlias = tuple[str, str]


def staged_learnings(ports: Ports, scope: Scope) -> Iterator[StagedLearning]:
    """Staged learnings of a project, of every status and persona, page by page."""
    return walked(partial(_page, ports, scope))


def staged_naming(ports: Ports, scope: Scope, urn: str) -> list[StagedLearning]:
    """Staged learnings that name an entity by its URN: in content, in detail, or in the reason of a rejection."""
    is_named = names_entity(urn)
    return [row for row in staged_learnings(ports, scope) if any(map(is_named, _words(row)))]


def unstage(ports: Ports, scope: Scope, rows: Iterable[StagedLearning]) -> None:
    """Deletes staged learnings.

    Raises:
        VersionConflict: somebody decides on one at this moment; repeat it.
    """
    for error in ports.store.writer.commit_each([Commit(scope=scope, unstaged=(row,)) for row in rows]):
        if error is not None:
            raise error


def walked(read: Callable[[Place | None], tuple[Sequence[T], Place | None]]) -> Iterator[T]:
    """Reads all items page by page. Args: read: returns the page after a place, and the place of the next."""
    after: Place | None = None
    while True:
        found, after = read(after)
        yield from found
        if after is None:
            return


def _page(ports: Ports, scope: Scope, after: Place | None) -> tuple[Sequence[StagedLearning], Place | None]:
    statuses = get_args(StagedStatus)
    page = ports.store.learnings.staged_page(scope, statuses, EVERYONE, after=after, limit=PAGE)
    return page.staged, page.next_key


def _words(row: StagedLearning) -> tuple[str, ...]:
    return row.learning.content, canonical_json(row.learning.detail), row.rejection_reason or ""
