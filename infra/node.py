"""Check for Node, without which nothing can be synthesised: CDK's own code is JavaScript."""

import shutil
import subprocess
from typing import Final

from infra.errors import BadDeployment

LEAST_VERSION: Final = 20
NODE_NEEDED: Final = f"Node ≥ {LEAST_VERSION} is needed: apt install nodejs"


def has_node() -> bool:
    """Tells if Node is there, and new enough."""
    if shutil.which("node") is None:
        return False
    version = subprocess.run(["node", "--version"], capture_output=True, text=True, check=False).stdout
    major = version.strip().removeprefix("v").split(".")[0]
    return major.isdigit() and int(major) >= LEAST_VERSION


def require_node() -> None:
    """Requires Node. Raises: BadDeployment: Node is missing or too old."""
    if not has_node():
        raise BadDeployment(NODE_NEEDED)
