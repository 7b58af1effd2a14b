"""List of all sweeps, each with its state, for whoever keeps the service."""

from memory_layer.domain.access import Principal
from memory_layer.domain.time.sweep_state import SweepState
from memory_layer.manifest.sweeps import DECLARED_SWEEPS, Sweep
from memory_layer.ports.process import Ports
from memory_layer.usecases.ground.change_record import require_admin


def list_sweeps(ports: Ports, principal: Principal) -> list[tuple[Sweep, SweepState | None]]:
    """Lists the declared sweeps in order; without a state: it never ran here.

    Raises:
        Forbidden: the caller is no admin.
    """
    require_admin(principal, "the state of the sweeps")
    return [(sweep, ports.store.sweeps.state(sweep.name)) for sweep in DECLARED_SWEEPS.values()]
