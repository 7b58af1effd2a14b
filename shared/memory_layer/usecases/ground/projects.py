"""Projects that a caller sees something of."""

from memory_layer.domain.access import Principal, viewer_of
from memory_layer.ports.index import ProjectCount
from memory_layer.ports.process import Ports


def list_projects(
    ports: Ports, principal: Principal, *, after: str | None, limit: int
) -> tuple[list[ProjectCount], str | None]:
    """Lists the projects of the caller's tenant of which they see a memory, by name, and the name to go on after."""
    found = ports.index.projects(principal.tenant, viewer_of(principal), after=after, limit=limit + 1)
    shown = found[:limit]
    return shown, shown[-1].project if len(found) > limit else None
