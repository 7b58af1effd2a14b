"""Playbook of a project: what its runs and people taught, whole, or what has changed in it since a moment."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import chain
from typing import Final

from memory_layer.domain.access import Principal, viewer_of
from memory_layer.domain.duplicates import merged_ids
from memory_layer.domain.filters import Filters
from memory_layer.domain.learning import playbook
from memory_layer.domain.learning.playbook import Bullet
from memory_layer.domain.learning.self_verdicts import SelfCounts, may_have_self_verdicts, self_counts
from memory_layer.domain.memory import Memory, Scope, Status, as_of_now
from memory_layer.errors import Invalid
from memory_layer.ports.process import Ports
from memory_layer.usecases.ground.queries import list_memories
from memory_layer.usecases.recall.as_of import refuse_future
from memory_layer.usecases.recall.redact_answers import as_shown

BULLETS_MAX: Final = 5_000
"""Learnings of a project that has a playbook: each page reads all of them, a difference those out of use, too."""

OVERLAP: Final = timedelta(seconds=2)
"""Time before a page that its `as_of` leaves out: commits that were under way are told by the next one."""

_PAGE: Final = 500


@dataclass(frozen=True, slots=True, kw_only=True)
class Playbook:
    """Page of a playbook.

    Args:
        markdown: the page, or the page of the difference.
        bullets: all of them, or those that are new or changed, in the order of the page.
        retired: names of bullets that are in use no more; empty without `since`.
        as_of: the moment that the next page asks for changes since.
        total: bullets of the whole playbook.
        set_hash: digest of the whole playbook: who applies differences checks theirs by it.
    """

    markdown: str
    bullets: tuple[Bullet, ...]
    retired: tuple[str, ...]
    as_of: datetime
    total: int
    set_hash: str


def compose_playbook(
    ports: Ports, principal: Principal, project: str, *, since: datetime | None = None
) -> Playbook:
    """Composes the playbook, or its difference to that of a moment.

    Args:
        since: `as_of` of the page before; None: the whole playbook.

    Raises:
        Invalid: the moment is yet to come, or the project has more learnings than a playbook may have bullets; for a
            difference those out of use count, too, so that what was archived keeps nobody from the whole.
    """
    now = ports.clock.now()
    if since is not None:
        refuse_future(since, ports.clock, "/query/since")
    known = list(_learnings(ports, principal, project, status=("active",) if since is None else ()))
    bullets = _bullets(ports, principal, project, known, now)
    # the page before was composed at the later of these, and may have lacked what was under way from the earlier on
    moments = () if since is None else (since, since + OVERLAP)
    pages = [
        _bullets(ports, principal, project, _at(ports, principal, project, known, moment), moment)
        for moment in moments
    ]
    told = playbook.difference_to_each(pages, bullets)
    return Playbook(
        markdown=playbook.render_playbook(told.changed, told.retired),
        bullets=told.changed,
        retired=told.retired,
        as_of=now - OVERLAP,
        total=len(bullets),
        set_hash=playbook.set_hash(bullets),
    )


def _learnings(
    ports: Ports, principal: Principal, project: str, *, status: tuple[Status, ...]
) -> Iterator[Memory]:
    """Learnings that the caller sees, as they are now. Args: status: theirs; none: every one."""
    filters, after, read = Filters(type=playbook.PLAYBOOK_TYPES, status=status), None, 0
    while True:
        page = list_memories(ports, principal, project, filters, after=after, limit=_PAGE)
        yield from page.memories
        after, read = page.next_key, read + len(page.memories)
        if after is None:
            return
        if read >= BULLETS_MAX:
            raise Invalid(
                f"{project} has more than {BULLETS_MAX:,} learnings; compose a prompt about a task instead"
            )


def _at(
    ports: Ports, principal: Principal, project: str, known: list[Memory], moment: datetime
) -> list[Memory]:
    """The same records as they were at a moment; those that were not written by then are left out."""
    viewer, ids = viewer_of(principal), [one.id for one in known]
    found = ports.store.history.at(principal.scope(project), ids, moment)
    return [as_of_now(one, moment) for one in found.values() if viewer.may_see(one.persona)]


def _bullets(
    ports: Ports, principal: Principal, project: str, memories: Sequence[Memory], moment: datetime
) -> tuple[Bullet, ...]:
    scope = principal.scope(project)
    mode = ports.store.projects.policy(scope).privacy_mode
    own = counts_of_authors(ports, scope, [one for one in memories if one.is_active], moment)
    return playbook.bullets_of((as_shown(one, mode) for one in memories), own)


def counts_of_authors(
    ports: Ports, scope: Scope, memories: Collection[Memory], moment: datetime
) -> dict[str, SelfCounts]:
    """Counts of verdicts that agents gave on their own words up to a moment, by the memory's id; none are left out.

    Args:
        memories: as they were at that moment.
    """
    judged = {one.id: (one.id, *merged_ids(one)) for one in memories if may_have_self_verdicts(one)}
    said = ports.store.history.verdicts_of_each(scope, list(dict.fromkeys(chain(*judged.values()))))
    return {
        one.id: counts
        for one in memories
        if one.id in judged
        and any(counts := self_counts(one, chain(*(said[id] for id in judged[one.id])), moment))
    }
