"""Frame of every command: where it is carried out, its project and its answer.

Exit code: 0 done, 1 refused or not found, 2 wrong usage.
"""

from __future__ import annotations

import inspect
import json as json_text
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypeVar

import typer

from memory_layer.cli.terminal import service as services
from memory_layer.cli.terminal.next_command import typed_options
from memory_layer.cli.terminal.option_names import option_names
from memory_layer.cli.terminal.options import MemoryId, with_shown_version
from memory_layer.cli.terminal.refusal_text import REFUSED, errors_on_stderr, printable, printable_json
from memory_layer.cli.terminal.served import SERVED_AS, Served, settings_here, surroundings
from memory_layer.cli.terminal.speaker import Agent, principal_here
from memory_layer.manifest import env
from memory_layer.ports.counting import CodedAnswer

if TYPE_CHECKING:  # nothing heavy is imported before a command runs
    from memory_layer.domain.access import Principal
    from memory_layer.domain.memory import Scope
    from memory_layer.ports.process import Ports
    from memory_layer.settings import EmbeddedSettings
    from memory_layer.wire.message import Asked

Project = Annotated[
    str | None,
    typer.Option(
        "--project", "-p", help=f"The project; default: ${env.PROJECT}, else the repository of this folder."
    ),
]
Data = Annotated[
    Path | None,
    typer.Option("--data", help=f"The data folder; default: ${env.DATA_DIR}, else ~/.memory-layer."),
]
AsJson = Annotated[bool, typer.Option("--json", help="Answer with the JSON documents of the HTTP API.")]

_COMMON = tuple(
    inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=annotation)
    for name, default, annotation in (
        ("project", None, Project),
        ("data", None, Data),
        ("url", None, services.Url),
        ("token", None, services.Token),
        ("json", False, AsJson),
        ("agent", None, Agent),
    )
)

Show = Callable[[Mapping[str, Any]], Any]
"""Text, or something that rich can print, made of a document for a person."""


@dataclass(frozen=True, slots=True)
class FolderCall:
    """Command that is carried out in a data folder: its caller, and the ports that its use case may reach."""

    ports: Ports
    principal: Principal
    project: str
    settings: EmbeddedSettings
    is_json: bool
    is_first_start: bool


@dataclass(frozen=True, slots=True)
class Invocation:
    """One command. Args: service: that carries it out; None: it is carried out in the folder."""

    project: str
    is_json: bool
    service: services.Service | None
    folder: FolderCall | None

    def answer(
        self, asked: Asked, here: Callable[[FolderCall], Any], tell: services.Tell | None = None
    ) -> Any:
        """Document of an operation, of the service or made here.

        Args:
            asked: the operation, with all that it is asked.
            here: carries the same out in the data folder; its answer may be coded.
            tell: told how far work of the service's is that takes long.

        Raises:
            MemoryLayerError, MemoryProblem: it is refused.
        """
        if self.service is not None:
            return self.service.answer(asked, tell)
        answer = surroundings().counting(asked.operation, lambda: here(self.here))
        return answer.document if isinstance(answer, CodedAnswer) else answer

    @property
    def here(self) -> FolderCall:
        """Data folder of a command that no service carries out."""
        if self.folder is None:
            raise TypeError("a service carries this command out")
        return self.folder

    @property
    def data_dir(self) -> Path:
        """Folder of what this machine keeps for itself, also where a service carries commands out."""
        return settings_here(None).data_dir if self.folder is None else self.folder.settings.data_dir

    def now(self) -> datetime:
        return datetime.now(UTC) if self.folder is None else self.folder.ports.clock.now()


@dataclass(frozen=True, slots=True)
class CommandOutput:
    """Answer of a command: the document of the HTTP API (None: nothing), and its text for a person.

    `is_refused`: a part of what was asked for was not done, which the exit code says.
    `aside`: text for a person beside the answer, on stderr: a page that is piped on is to be that page alone.
    """

    document: Mapping[str, Any] | None
    show: Show
    is_refused: bool = False
    aside: str = ""


Body = TypeVar("Body", bound=Callable[..., CommandOutput])


def command(
    app: typer.Typer,
    name: str | None = None,
    *,
    has_project: bool = True,
    served: Served | None = None,
    only_here: str | None = None,
) -> Callable[[Body], Body]:
    """Makes a command of a function from an `Invocation` and its own options to a `CommandOutput`.

    The options --project, --data, --url, --token, --json and --agent are added; the service or the backend is opened
    before and always closed after, so that receipts and background work are written.

    Args:
        has_project: False leaves --project out, of what is about all projects.
        served: kind of a command that a running server may run; None: it reads or writes files of its caller's,
            asks a person, or shows its progress.
        only_here: reason for which no service carries it out, as a sentence for its caller.
    """
    common = [parameter for parameter in _COMMON if has_project or parameter.name != "project"]

    def register(body: Body) -> Body:
        own = list(inspect.signature(body, eval_str=True).parameters.values())[1:]
        names = option_names((*own, *common))
        is_about_one = any(parameter.annotation == MemoryId for parameter in own)

        def run(**given: Any) -> None:
            said = Common(**{parameter.name: given.pop(parameter.name, None) for parameter in _COMMON})
            opening = _open_invocation(said, only_here)
            typed = typed_options(said.project, said.data, said.url)
            with typed, errors_on_stderr(said.json, names), opening as call:
                if is_about_one:
                    given = with_shown_version(given, reads=served == "reads")
                output = body(call, **given)
                print_output(output, said.json)
            if output.is_refused:
                raise typer.Exit(REFUSED)

        run.__doc__ = body.__doc__
        run.__signature__ = inspect.Signature([*own, *common])  # type: ignore[attr-defined]
        setattr(run, SERVED_AS, served)
        setattr(run, ONLY_HERE, only_here)
        run.__annotations__ = {parameter.name: parameter.annotation for parameter in (*own, *common)}
        app.command(name or body.__name__)(run)
        return body

    return register


ONLY_HERE = "only_here"
"""Attribute of a command's function that has the reason for which no service carries it out."""


@dataclass(frozen=True, slots=True)
class Common:
    """Options of every command, as they were typed."""

    project: str | None
    data: Path | None
    url: str | None
    token: str | None
    json: bool
    agent: str | None


@contextmanager
def _open_invocation(said: Common, only_here: str | None) -> Iterator[Invocation]:
    environ = surroundings().environ
    name = project_here(said.project)
    url = services.service_address(said.url, said.data, environ)
    if url is None:
        services.refuse_token_without_service(said.token)
        with _open_folder(said, name) as folder:
            yield Invocation(name, said.json, None, folder)
        return
    if only_here is not None:
        services.refuse_service(url, said.url is not None, only_here)
    services.refuse_options_of_a_folder(said.agent)
    service = services.open_service(url, said.token, name, environ)
    try:
        yield Invocation(name, said.json, service, None)
    finally:
        service.close()


@contextmanager
def _open_folder(said: Common, name: str) -> Iterator[FolderCall]:
    from memory_layer.usecases.ground.signed_ports import signed_ports

    settings, begin = settings_here(said.data), surroundings().begin
    caller = principal_here(said.agent)
    if begin is not None:
        yield FolderCall(signed_ports(begin(settings), caller), caller, name, settings, said.json, False)
        return
    from memory_layer.bootstrap.embedded import open_embedded

    is_first_start = not settings.database.exists()
    backend = open_embedded(settings)
    try:
        ports = signed_ports(backend.ports, caller)
        yield FolderCall(ports, caller, name, settings, said.json, is_first_start)
        if backend.is_model_loaded():
            _embed_waiting(backend.ports, caller.scope(name))
    finally:
        backend.close()


def _embed_waiting(ports: Ports, scope: Scope) -> None:
    from memory_layer.local.scheduler import embed_waiting

    embed_waiting(ports, scope)


def project_here(given: str | None, folder: Path | None = None) -> str:
    """Project asked for, else that of the environment, else that of a folder (ADR-0034).

    Args:
        folder: None: the caller's.

    Raises:
        Invalid: the name is no slug, or git's configuration around the folder cannot be read.
    """
    from memory_layer.domain.text_rules import project_problem
    from memory_layer.errors import Invalid

    here = surroundings()
    name = here.environ.get(env.PROJECT) if given is None else given
    if name is None:
        from memory_layer.local.project_folder import folder_of_project

        return folder_of_project(here.folder / (folder or "."), here.environ).project
    problem = project_problem(name)
    if problem:
        raise Invalid.at("/project", f"{name!r} names no project: {problem}")
    return name


def print_output(output: CommandOutput, is_json: bool) -> None:
    """Prints an answer, for a program or for a person."""
    shown = _printed_form(output, is_json)
    if isinstance(shown, str):
        is_read_here = sys.stdout.isatty() and not is_json  # what is piped on keeps its bytes
        print(printable(shown) if is_read_here else shown, end="\n" if shown else "")
    else:
        from rich.console import Console
        from rich.text import Text

        console = Console(markup=False, emoji=False, **surroundings().console)  # words are no markup
        console.print(shown, soft_wrap=isinstance(shown, Text), crop=False)  # commands are to be copied whole
    sys.stdout.flush()  # here, where a closed pipe is no surprise, and not at the interpreter's end
    if output.aside and not is_json:
        print(output.aside, file=sys.stderr)


def _printed_form(output: CommandOutput, is_json: bool) -> Any:
    if not is_json:
        return output.show(output.document or {})
    return "" if output.document is None else as_json(output.document)


def as_json(document: Mapping[str, Any]) -> str:
    return printable_json(json_text.dumps(document, ensure_ascii=False, separators=(",", ":")))
