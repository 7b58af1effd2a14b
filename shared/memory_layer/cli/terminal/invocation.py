"""Frame of every command: backend, project, answer, exit: 0 done, 1 refused or not found, 2 wrong usage."""

from __future__ import annotations

import inspect
import re
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypeVar

import typer

from memory_layer.cli.terminal.next_command import runnable, typed_options
from memory_layer.cli.terminal.option_names import NO_OPTIONS, OptionNames, option_names
from memory_layer.cli.terminal.served import SERVED_AS, Served, settings_here, surroundings
from memory_layer.cli.terminal.speaker import Agent, principal_here
from memory_layer.manifest import env

if TYPE_CHECKING:  # nothing heavy is imported before a command runs, so that `mem --help` is quick
    from pydantic import BaseModel

    from memory_layer.domain.access import Principal
    from memory_layer.domain.memory import Scope
    from memory_layer.errors import MemoryLayerError, Violation
    from memory_layer.ports.process import Ports
    from memory_layer.settings import EmbeddedSettings

REFUSED = 1

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
        ("json", False, AsJson),
        ("agent", None, Agent),
    )
)

Show = Callable[[Mapping[str, Any]], Any]
"""Text, or something that rich can print, made of a document for a person."""

Model = TypeVar("Model", bound="BaseModel")


@dataclass(frozen=True, slots=True)
class Invocation:
    """One command: its caller, and the ports that its use case may reach."""

    ports: Ports
    principal: Principal
    project: str
    settings: EmbeddedSettings
    is_json: bool
    is_first_start: bool


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
    app: typer.Typer, name: str | None = None, *, has_project: bool = True, served: Served | None = None
) -> Callable[[Body], Body]:
    """Makes a command of a function from an `Invocation` and its own options to a `CommandOutput`.

    The options --project, --data, --json and --agent are added; the backend is opened before and always closed after,
    so that receipts and background work are written.

    Args:
        has_project: False leaves --project out, of what is about all projects.
        served: kind of a command that a running server may run; None: it reads or writes files of its caller's,
            asks a person, or shows its progress.
    """
    common = [parameter for parameter in _COMMON if has_project or parameter.name != "project"]

    def register(body: Body) -> Body:
        own = list(inspect.signature(body, eval_str=True).parameters.values())[1:]
        names = option_names((*own, *common))

        def run(**given: Any) -> None:
            project, data, is_json, agent = (given.pop(parameter.name, None) for parameter in _COMMON)
            opening = _open_invocation(project, data, is_json, agent)
            with typed_options(project, data), errors_on_stderr(is_json, names), opening as call:
                output = body(call, **given)
                print_output(output, is_json)
            if output.is_refused:
                raise typer.Exit(REFUSED)

        run.__doc__ = body.__doc__
        run.__signature__ = inspect.Signature([*own, *common])  # type: ignore[attr-defined]
        setattr(run, SERVED_AS, served)
        run.__annotations__ = {parameter.name: parameter.annotation for parameter in (*own, *common)}
        app.command(name or body.__name__)(run)
        return body

    return register


@contextmanager
def _open_invocation(
    project: str | None, data: Path | None, is_json: bool, agent: str | None
) -> Iterator[Invocation]:
    from memory_layer.usecases.ground.signed_ports import signed_ports

    name, settings, begin = project_here(project), settings_here(data), surroundings().begin
    caller = principal_here(agent)
    if begin is not None:
        yield Invocation(signed_ports(begin(settings), caller), caller, name, settings, is_json, False)
        return
    from memory_layer.bootstrap.embedded import open_embedded

    is_first_start = not settings.database.exists()
    backend = open_embedded(settings)
    try:
        ports = signed_ports(backend.ports, caller)
        yield Invocation(ports, caller, name, settings, is_json, is_first_start)
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
    from memory_layer.local.project_folder import folder_of_project

    here = surroundings()
    name = here.environ.get(env.PROJECT) if given is None else given
    if name is None:
        return folder_of_project(here.folder / (folder or "."), here.environ).project
    problem = project_problem(name)
    if problem:
        raise Invalid.at("/project", f"{name!r} names no project: {problem}")
    return name


@contextmanager
def errors_on_stderr(is_json: bool, names: OptionNames = NO_OPTIONS) -> Iterator[None]:
    """Ends a refused command with its problem on stderr: in words, or as the document that HTTP answers.

    Args: names: the options that fill the fields of its request.
    """
    from memory_layer.errors import MemoryLayerError

    try:
        yield
    except MemoryLayerError as error:
        print(_problem_text(error) if is_json else _in_words(error, names), file=sys.stderr)
        raise typer.Exit(REFUSED) from error


def _problem_text(error: MemoryLayerError) -> str:
    return as_json(command_problem(error))


def command_problem(error: MemoryLayerError) -> dict[str, Any]:
    """Problem document of an error, as HTTP would answer it."""
    from uuid import uuid4

    from memory_layer.edge.shapes.problems import problem

    return problem(error, instance="urn:memory-layer:cli", request_id=f"req_{uuid4().hex}")


def _in_words(error: MemoryLayerError, names: OptionNames) -> str:
    """Error in words, with its fields called by the options that fill them."""
    from memory_layer.domain.remedies import with_remedies
    from memory_layer.errors import Contradicts, Duplicate

    rules = [_rule_in_words(one, names) for one in getattr(error, "violations", ())]
    if getattr(error, "is_list", False):
        first, *more = rules
    else:
        first = runnable(with_remedies(error.reason, error.remedies, names.call))
        more = rules if len(rules) > 1 else []
    more += (
        [f"it says: {printable(error.twin.content)}"] if isinstance(error, Duplicate | Contradicts) else []
    )
    more += map(runnable, getattr(error, "__notes__", []))
    return "\n".join([f"mem: {first}", *(f"  {line}" for line in more)])


def _rule_in_words(violation: Violation, names: OptionNames) -> str:
    from memory_layer.domain.remedies import with_remedies

    said = with_remedies(violation.reason, violation.remedies, names.call)
    return f"{names.call(violation.pointer)}: {said}" if violation.pointer else said


def print_output(output: CommandOutput, is_json: bool) -> None:
    """Prints an answer, for a program or for a person."""
    shown = _printed_form(output, is_json)
    if isinstance(shown, str):
        print(shown, end="\n" if shown else "")
    else:
        from rich.console import Console
        from rich.text import Text

        console = Console(**surroundings().console)
        console.print(shown, soft_wrap=isinstance(shown, Text), crop=False)  # commands are to be copied whole
    sys.stdout.flush()  # here, where a closed pipe is no surprise, and not at the interpreter's end
    if output.aside and not is_json:
        print(output.aside, file=sys.stderr)


def _printed_form(output: CommandOutput, is_json: bool) -> Any:
    if not is_json:
        return output.show(output.document or {})
    return "" if output.document is None else as_json(output.document)


def as_json(document: Mapping[str, Any]) -> str:
    from memory_layer.edge.shapes.answers import to_text

    return to_text(document)


def validated(model: type[Model], option_values: Mapping[str, Any], *, keeps_null: bool = False) -> Model:
    """Request of the given options, held to the same rules as a body. Args: keeps_null: None is a value.

    Raises:
        Invalid: with the field and its rule.
    """
    from pydantic import ValidationError

    from memory_layer.edge.shapes.problems import violations_of
    from memory_layer.errors import Invalid

    given = {name: value for name, value in option_values.items() if value is not None and value != []}
    try:
        return model.model_validate(option_values if keeps_null else given)
    except ValidationError as error:
        items = ({**item, "loc": ("body", *item["loc"])} for item in error.errors())
        found = violations_of(_with_known_fields(item, model) for item in items)
        raise Invalid.each(found, whole="the request") from error


def _with_known_fields(item: dict[str, Any], model: type[BaseModel]) -> dict[str, Any]:
    """Refusal of an unknown field with the known ones, at the top of the request; openapi.json has those of a body."""
    if item["type"] != "extra_forbidden" or len(item["loc"]) > 2:
        return item
    return {
        **item,
        "type": "value_error",
        "msg": f"there is no such field; there are: {', '.join(model.model_fields)}",
    }


_CONTROL_CHARACTERS = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")
"""Control characters but tab and newline, and characters that turn the direction of writing round."""


def printable(text: str) -> str:
    """Text without characters that could steer the terminal."""
    return _CONTROL_CHARACTERS.sub("\ufffd", text)
