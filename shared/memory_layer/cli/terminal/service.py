"""Service that carries a command out in place of this machine: its address, the token, and its answers."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypeVar

import typer

from memory_layer.manifest import env

if TYPE_CHECKING:  # nothing heavy is imported before a command runs
    from memory_layer.wire.api import Api
    from memory_layer.wire.flows import Flow
    from memory_layer.wire.message import Asked

T = TypeVar("T")
Tell = Callable[[int, int], None]
"""Told how much of a piece of work is done, and how much there is."""

Url = Annotated[
    str | None,
    typer.Option(
        "--url",
        metavar="URL",
        help=f"The server or deployment to ask in place of a data folder; default: ${env.URL}, if no --data is given.",
    ),
]
Token = Annotated[
    str | None,
    typer.Option("--token", metavar="TOKEN", help=f"For --url: who speaks; better kept in ${env.TOKEN}."),
]


def works_here_alone(reason: str) -> Any:
    """Option --url of a command that no service carries out: hidden, and refused with the reason."""

    def refuse(url: str | None) -> None:
        if url is not None:
            raise typer.BadParameter(f"{reason}; leave it out")

    return typer.Option("--url", hidden=True, callback=refuse)


def refuse_service_of_environment(data: Path | None, environ: Mapping[str, str], reason: str) -> None:
    """Refuses a command that works on this machine alone where the environment has commands go to a service.

    Raises:
        Invalid: no data folder is named beside.
    """
    url = service_address(None, data, environ)
    if url is not None:
        refuse_service(url, False, reason)


WITHOUT_END_S = float("inf")


@dataclass(frozen=True, slots=True)
class Service:
    """Service at an address, about one project."""

    url: str
    api: Api

    def answer(self, asked: Asked, tell: Tell | None = None) -> Any:
        """Document that an operation answers, waited for however long it takes.

        Raises:
            MemoryProblem
        """
        from memory_layer.wire.flows import awaited

        return self.carry_out(awaited(self.api, asked, WITHOUT_END_S, tell))

    def carry_out(self, flow: Flow[T]) -> T:
        """Result of several requests. Raises: MemoryProblem."""
        from memory_layer.wire.api import carried_out

        return carried_out(flow, self.api.perform)

    def close(self) -> None:
        self.api.transport.close()


def service_address(url: str | None, data: Path | None, environ: Mapping[str, str]) -> str | None:
    """Address of the service that a command is for; None: it is for a data folder.

    Raises:
        Invalid: both are named.
    """
    from memory_layer.errors import Invalid

    if url is not None and data is not None:
        raise Invalid.at("/url", "a command is for a service or for a data folder: leave --url or --data out")
    if url is not None or data is not None:
        return url
    return environ.get(env.URL) or None


def open_service(url: str, token: str | None, project: str | None, environ: Mapping[str, str]) -> Service:
    """Way to a service, over which nothing was sent yet. Raises: MemoryProblem: the address is none."""
    from memory_layer.wire.api import Api
    from memory_layer.wire.http import HttpTransport

    transport = HttpTransport(url, timeout_s=ANSWER_S)
    return Service(url, Api(transport, token or environ.get(env.TOKEN) or None, project))


ANSWER_S = 60.0
"""Seconds that a command waits for each part of an answer."""


def refuse_service(url: str, is_typed: bool, reason: str) -> None:
    """Refuses a command that works on this machine alone. Args: reason: why. Raises: Invalid."""
    from memory_layer.errors import Invalid

    way = "leave --url out" if is_typed else f"{env.URL} names {url}: name a data folder with --data"
    raise Invalid.at("/url", f"{reason}; {way}")


def refuse_options_of_a_folder(agent: str | None) -> None:
    """Refuses what says nothing to a service. Raises: Invalid."""
    from memory_layer.errors import Invalid

    if agent is not None:
        raise Invalid.at("/agent", "over --url the token says who speaks; leave --agent out")


def refuse_token_without_service(token: str | None) -> None:
    """Refuses a token that nobody would be shown. Raises: Invalid."""
    from memory_layer.errors import Invalid

    if token is not None:
        raise Invalid.at("/token", f"a token is for a service: say --url, or set {env.URL}")
