"""Environment of whoever connects an agent: what of it goes into the files, and what a person has to set there.

An agent that is started from a desktop has none of a shell's variables, and would look for the memories elsewhere.
"""

from collections.abc import Mapping
from pathlib import Path

from memory_layer.manifest import env
from memory_layer.plugin.connection.targets import Scope


def carried_options(scope: Scope, url: str | None, folder: Path | None) -> tuple[str, ...]:
    """Options by which MCP server and hooks find the memories where the caller finds them.

    A folder of this machine stands in no file of a project, which others share, and a token in no file at all.

    Args:
        url: of the service that the caller uses.
        folder: data folder that the caller named.
    """
    if url is not None:
        return "--url", url
    return ("--data", str(folder)) if folder is not None and scope == "user" else ()


def left_to_set(scope: Scope, url: str | None, folder: Path | None, environ: Mapping[str, str]) -> list[str]:
    """Sentences about what is not written, and has to be in the environment of the agent."""
    said = []
    if url is not None and environ.get(env.TOKEN):
        said.append(f"The token is written into no file: have {env.TOKEN} set where the agent starts.")
    if url is None and folder is not None and scope == "project":
        said.append(
            f"The folder {folder} is not written into a project's files, which others share: have {env.DATA_DIR} "
            "set where the agent starts, else it uses ~/.memory-layer."
        )
    return said
