"""Links that open the console of a running server once, and the note by which `mem console` finds that server."""

import os
import sys
from collections.abc import Mapping
from contextlib import suppress
from datetime import UTC, datetime
from http.client import HTTPException
from pathlib import Path
from typing import Any, Final
from urllib.error import URLError
from urllib.request import ProxyHandler, build_opener

from memory_layer.console.bundle import BUNDLE, INDEX
from memory_layer.console.entries import make_entry
from memory_layer.edge.http.principals import claims_of
from memory_layer.errors import NotFound, StoreUnavailable
from memory_layer.local.tokens import LOCAL_PRINCIPAL
from memory_layer.manifest import coding_agents, env

NOTE: Final = "served-at"
"""File of the data folder with the addresses of its servers, a line each, the one that was started last at the end."""

NOTED_MAX: Final = 16
"""Addresses that are kept: a server that was killed leaves its own behind."""

LOOKUP_S: Final = 2.0
"""Seconds that a server has to answer whether it is there."""

OWNER: Final[Mapping[str, Any]] = {
    name: value for name, value in claims_of(LOCAL_PRINCIPAL).items() if value not in (None, [])
}
"""Claims of the machine's owner: who sits at its terminal."""

_EVERY_ADDRESS: Final = {"0.0.0.0": "127.0.0.1", "::": "::1"}


def origin_of(host: str, port: int) -> str:
    """Origin at which this machine reaches a server. Args: host: on which it listens."""
    name = _EVERY_ADDRESS.get(host.strip("[]"), host.strip("[]"))
    return f"http://{f'[{name}]' if ':' in name else name}:{port}"


def link_line(data_dir: Path, origin: str) -> str:
    """Line about the console that a server says once it is ready; it is noted where the server answers.

    A person at a terminal gets a link that opens it; a log and a coding agent get none, as it would outlive them.
    """
    try:
        _note_address(data_dir, origin)
        if not (BUNDLE / INDEX).is_file():
            return f"Console: not built; {origin} says how"
        if _is_for_a_person():
            return f"Console: {entry_link(data_dir, origin, OWNER)} (opens once, within 10 minutes)"
    except StoreUnavailable:
        return f"Console: {origin} (no sign-in: the data folder can only be read)"
    return f"Console: {origin} (for a link that signs you in: mem console)"


def entry_link(data_dir: Path, origin: str, claims: Mapping[str, Any]) -> str:
    """Link that opens the console once. Raises: StoreUnavailable"""
    return f"{origin}/#token={make_entry(data_dir, origin, claims, datetime.now(UTC))}"


def running_origin(data_dir: Path) -> str:
    """Origin of a server of a folder, of several the one that was started last. Raises: NotFound: none answers."""
    for origin in reversed(_noted(data_dir)):
        if _answers(origin):
            return origin
    raise NotFound(f"no server of {data_dir} answers; start one with: mem serve --data {data_dir}")


def forget_address(data_dir: Path, origin: str) -> None:
    """Takes the address of a server that ends out of the note; others of the folder stay in it."""
    noted = _noted(data_dir)
    if origin in noted:
        with suppress(OSError):  # an address at which nobody answers is passed over
            _write_note(data_dir, [one for one in noted if one != origin])


def _noted(data_dir: Path) -> list[str]:
    try:
        return (data_dir / NOTE).read_text().split()
    except OSError:
        return []


def _note_address(data_dir: Path, origin: str) -> None:
    others = [one for one in _noted(data_dir) if one != origin]
    try:
        _write_note(data_dir, [*others, origin][-NOTED_MAX:])
    except OSError as error:
        raise StoreUnavailable(f"{data_dir / NOTE} cannot be written: {error.strerror}") from error


def _write_note(data_dir: Path, origins: list[str]) -> None:
    (data_dir / NOTE).write_text("".join(f"{origin}\n" for origin in origins))


def _answers(origin: str) -> bool:
    try:
        with build_opener(ProxyHandler({})).open(f"{origin}/version", timeout=LOOKUP_S) as answer:
            return bool(answer.status == 200)
    except (URLError, HTTPException, OSError):
        return False


def _is_for_a_person() -> bool:
    is_agent = env.AGENT in os.environ or coding_agents.agent_around(os.environ) is not None
    return sys.stdout.isatty() and not is_agent
