"""Conversations as their turns tell them: the list of those that a caller sees, and the turns of one."""

from collections.abc import Iterator
from dataclasses import replace
from itertools import chain

from memory_layer.domain.access import Principal, viewer_of
from memory_layer.domain.filters import Filters
from memory_layer.domain.memory import Memory, as_of_now
from memory_layer.ports.process import Ports
from memory_layer.ports.records import ConversationPage, RecordPage
from memory_layer.usecases.ground.queries import listable_filters

IN_USE = Filters()


def list_sessions(
    ports: Ports, principal: Principal, project: str, *, after: str | None, limit: int
) -> ConversationPage:
    """Lists conversations of which the caller sees a turn in use, by id."""
    known = listable_filters(principal, IN_USE)
    if known is None:
        return ConversationPage((), None)
    now, viewer = ports.clock.now(), viewer_of(principal)
    return ports.store.sessions.conversations(
        principal.scope(project), known, viewer, now=now, after=after, limit=limit
    )


def session_turns(
    ports: Ports,
    principal: Principal,
    project: str,
    session_id: str,
    *,
    after: tuple[str, str] | None,
    limit: int,
    newest_first: bool = False,
    filters: Filters = IN_USE,
) -> RecordPage:
    """Reads a page of the turns of a conversation that the caller sees; a page may hold fewer than `limit`."""
    now, known = ports.clock.now(), listable_filters(principal, filters)
    if known is None:
        return RecordPage((), None)
    page = ports.store.sessions.page(
        *(principal.scope(project), session_id, known, viewer_of(principal)),
        now=now,
        after=after,
        limit=limit,
        newest_first=newest_first,
    )
    return replace(page, memories=tuple(as_of_now(memory, now) for memory in page.memories))


def last_turn(ports: Ports, principal: Principal, project: str, session_id: str) -> Memory | None:
    """Last turn in use of a conversation that the caller sees."""
    pages = _pages_from_the_end(ports, principal, project, session_id)
    return next(chain.from_iterable(page.memories for page in pages), None)


def _pages_from_the_end(
    ports: Ports, principal: Principal, project: str, session_id: str
) -> Iterator[RecordPage]:
    after, is_first = None, True
    while is_first or after is not None:
        page = session_turns(ports, principal, project, session_id, after=after, limit=1, newest_first=True)
        yield page
        after, is_first = page.next_key, False
