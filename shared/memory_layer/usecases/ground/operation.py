"""Work that outlives its request."""

from memory_layer.domain.access import Principal
from memory_layer.errors import NotFound
from memory_layer.ports.process import Ports
from memory_layer.ports.records import Operation


def get_operation(ports: Ports, principal: Principal, id: str) -> Operation:
    """How far a piece of work of this tenant is.

    Raises:
        NotFound: there is none, or it is somebody else's.
    """
    operation = ports.store.operation(principal.tenant, id)
    if operation is None or not (principal.is_admin or operation.principal == principal.name):
        raise NotFound(f"no operation {id}; it may have been another tenant's, or never begun")
    return operation
