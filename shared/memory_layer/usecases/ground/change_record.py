"""Change of a record: permission and version checks, and the optimistic read-decide-write loop."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from typing import TypeVar

from memory_layer.domain.access import SHARED_PROJECT, Principal
from memory_layer.domain.memory import LEARNING_ID_PREFIX, Memory
from memory_layer.domain.proposals import only_proposes
from memory_layer.errors import Forbidden, StaleVersion, VersionConflict
from memory_layer.ports.process import Ports
from memory_layer.usecases.ground.authorship import may_change_here
from memory_layer.usecases.ground.queries import get_memory

WRITE_ATTEMPTS = 20
"""Attempts of a write. Of 200 verdicts on one record, 16 at a time, at worst 7 ended in a conflict; with five, 55."""

T = TypeVar("T")


def retry_on_conflict(attempt: Callable[[], T]) -> T:
    """Runs read-decide-write, and again while somebody else writes in between.

    Raises:
        VersionConflict: others were faster every time.
    """
    for _ in range(WRITE_ATTEMPTS - 1):
        try:
            return attempt()
        except VersionConflict:
            continue
    return attempt()


def require_admin(principal: Principal, what: str) -> None:
    """Refuses a caller who is no admin.

    Args:
        what: the act that is an admin's, as the error names it.

    Raises:
        Forbidden
    """
    if not principal.is_admin:
        raise Forbidden(f"{what} is an admin's; ask one, or use a token with the role admin")


def get_changeable(
    ports: Ports,
    principal: Principal,
    project: str,
    id: str,
    expected: int | None = None,
    *,
    with_body: bool = True,
    proposes: bool = False,
) -> Memory:
    """Reads a record that this caller may change and that still is at the version the caller has seen.

    The record comes back hot, since a change brings it into use again; without its body it is as it lies.

    Args:
        expected: the version of If-Match; None: any.
        with_body: False: its words do not matter, nor where they are.
        proposes: a memory of which this caller may only propose a change will do as well.

    Raises:
        NotFound, Forbidden, StaleVersion
        BodyFrozen, StoreUnavailable: its words cannot be read now.
    """
    memory = get_memory(ports, principal, project, id, with_body=with_body)
    if not (proposes and only_proposes(principal, memory)):
        require_changeable(ports, principal, memory)
    check_version(memory, expected)
    return made_hot(memory) if with_body else memory


def made_hot(memory: Memory) -> Memory:
    """Memory moved to the hot tier. Args: memory: with all its words."""
    return memory if memory.tier == "hot" else replace(memory, tier="hot")


def require_changeable(ports: Ports, principal: Principal, memory: Memory) -> None:
    """Refuses a change by a caller who may only see the memory. Raises: Forbidden."""
    if memory.project == SHARED_PROJECT and not principal.is_reviewer:
        raise Forbidden("what a whole tenant shares is changed by a reviewer")
    if not may_change_here(ports, principal, memory):
        raise Forbidden(f"{memory.id} was created by {memory.created_by}; {_who_may(memory)} may change it")


def _who_may(memory: Memory) -> str:
    is_taught = memory.id.startswith(LEARNING_ID_PREFIX)
    return "as it is what runs have taught, a reviewer" if is_taught else "its creator or a reviewer"


def check_seen(memories: Iterable[Memory], seen: Mapping[str, int] | None) -> None:
    """Requires of each memory that was looked at, by id, that it is at that version. Raises: StaleVersion"""
    for memory in memories:
        check_version(memory, (seen or {}).get(memory.id))


def check_version(memory: Memory, expected: int | None) -> None:
    """Raises: StaleVersion: the memory is at another version than the expected one."""
    if expected is not None and expected != memory.version:
        raise StaleVersion(
            f"{memory.id} is at version {memory.version}, not {expected}; read it again, then decide"
        )
