"""A project's settings as their cell has them, read as bytes: damage to them is told as theirs."""

from memory_layer.domain.memory import Scope
from memory_layer.domain.policy import DamagedPolicy, Policy, policy_of
from memory_layer.errors import DamagedSettings


def settings_of(scope: Scope, cell: bytes | None) -> Policy:
    """
    Raises:
        DamagedSettings
    """
    try:
        return policy_of(None if cell is None else cell.decode())
    except (DamagedPolicy, UnicodeDecodeError) as error:
        raise DamagedSettings(scope.project, 0) from error
