"""Playbook of a project: what its runs and people taught, whole, or what has changed in it since a moment."""

from __future__ import annotations

from collections.abc import Collection, Sequence
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
from memory_layer.domain.remedies import omit
from memory_layer.errors import Invalid
from memory_layer.ports.process import Ports
from memory_layer.usecases.ground.read_fairly import read_fairly
from memory_layer.usecases.recall.as_of import refuse_future
from memory_layer.usecases.recall.redact_answers import as_shown

BULLETS_MAX: Final = 5_000
"""Learnings that a playbook has at most: each page reads all of them, a difference those out of use, too."""

OVERLAP: Final = timedelta(seconds=2)
"""Time before a page that its `as_of` leaves out: commits that were under way are told by the next one."""


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
        note: tells what is not on the page, and of whom, where there are too many; None: all is.
    """

    markdown: str
    bullets: tuple[Bullet, ...]
    retired: tuple[str, ...]
    as_of: datetime
    total: int
    set_hash: str
    note: str | None = None


def compose_playbook(
    ports: Ports, principal: Principal, project: str, *, since: datetime | None = None
) -> Playbook:
    """Composes the playbook, of too many learnings a fair part, or its difference to that of a moment.

    Args:
        since: `as_of` of the page before; None: the whole playbook.

    Raises:
        Invalid: the moment is yet to come, or there are too many learnings for a difference, those out of use included.
    """
    now = ports.clock.now()
    if since is not None:
        refuse_future(since, ports.clock, "/query/since")
    status: tuple[Status, ...] = ("active",) if since is None else ()
    asked = Filters(type=playbook.PLAYBOOK_TYPES, status=status)
    read = read_fairly(ports, principal, project, asked, BULLETS_MAX)
    if since is not None and read.note is not None:
        raise Invalid.at(
            "/query/since",
            f"{project} has more than {BULLETS_MAX:,} learnings, those out of use included: no difference of them all",
            omit("/query/since"),
        )
    known = list(read.memories)
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
        note=read.note,
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
