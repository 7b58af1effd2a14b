"""Frame of every command: its backend, its project, its answer, and the exit of errors.

The sibling of `edge/http/caller.py`. Exit codes: 0 done, 1 refused or not found, 2 wrong usage.
"""

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

from memory_layer.cli.terminal.option_names import option_names, option_of_field, with_options
from memory_layer.cli.terminal.served import SERVED_AS, Served, settings_here, surroundings
from memory_layer.manifest import env

if TYPE_CHECKING:  # nothing heavy is imported before a command runs, so that `mem --help` is quick
    from pydantic import BaseModel

    from memory_layer.domain.access import Principal
    from memory_layer.errors import Duplicate, MemoryLayerError
    from memory_layer.ports.process import Ports
    from memory_layer.settings import EmbeddedSettings

REFUSED = 1

Project = Annotated[
    str | None,
    typer.Option(
        "--project", "-p", help=f"The project; default: ${env.PROJECT}, else the name of this folder."
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

    The options --project, --data and --json are added; the backend is opened before and always closed after,
    so that receipts and background work are written.

    Args:
        has_project: False leaves --project out, of what is about all projects.
        served: kind of a command that a running server may run; None: it reads or writes files of its caller's,
            asks a person, or shows its progress.
    """
    common = [parameter for parameter in _COMMON if has_project or parameter.name != "project"]

    def register(body: Body) -> Body:
        own = list(inspect.signature(body, eval_str=True).parameters.values())[1:]
        by_field = option_names((*own, *common))

        def run(**given: Any) -> None:
            project, data, is_json = (given.pop(parameter.name, None) for parameter in _COMMON)
            with errors_on_stderr(is_json, by_field), _open_invocation(project, data, is_json) as call:
                output = body(call, **given)
                print_output(output, is_json, by_field)
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
def _open_invocation(project: str | None, data: Path | None, is_json: bool) -> Iterator[Invocation]:
    from memory_layer.local.tokens import LOCAL_PRINCIPAL

    name, settings, begin = project_or_folder_name(project), settings_here(data), surroundings().begin
    if begin is not None:
        yield Invocation(begin(settings), LOCAL_PRINCIPAL, name, settings, is_json, False)
        return
    from memory_layer.bootstrap.embedded import open_embedded

    is_first_start = not settings.database.exists()
    backend = open_embedded(settings)
    try:
        yield Invocation(backend.ports, LOCAL_PRINCIPAL, name, settings, is_json, is_first_start)
    finally:
        backend.close()


def project_or_folder_name(given: str | None) -> str:
    """Project asked for, else that of the environment, else one named after the caller's folder.

    Raises:
        Invalid: the name is no slug.
    """
    from memory_layer.domain.text_rules import project_problem
    from memory_layer.errors import Invalid

    here = surroundings()
    asked = here.environ.get(env.PROJECT) if given is None else given
    name = slug(here.folder.name) if asked is None else asked
    problem = project_problem(name)
    if problem:
        raise Invalid.at("/project", f"{name!r} names no project: {problem}")
    return name


def slug(folder_name: str) -> str:
    """Project name made of a folder's name; `default` where nothing is left of it."""
    words = re.sub(r"[^a-z0-9_.-]+", "-", folder_name.lower())
    return words.lstrip("-_.")[:64].rstrip("-_.") or "default"


NO_OPTIONS: Mapping[str, str] = {}


@contextmanager
def errors_on_stderr(is_json: bool, by_field: Mapping[str, str] = NO_OPTIONS) -> Iterator[None]:
    """Ends a refused command with its problem on stderr: in words, or as the document that HTTP answers.

    Args: by_field: what people call the fields of its request (`option_names`).
    """
    from memory_layer.errors import MemoryLayerError

    try:
        yield
    except MemoryLayerError as error:
        print(_problem_text(error) if is_json else _in_words(error, by_field), file=sys.stderr)
        raise typer.Exit(REFUSED) from error


def _problem_text(error: MemoryLayerError) -> str:
    return as_json(command_problem(error))


def command_problem(error: MemoryLayerError) -> dict[str, Any]:
    """Problem document of an error, as HTTP would answer it."""
    from uuid import uuid4

    from memory_layer.edge.shapes.problems import problem

    return problem(error, instance="urn:memory-layer:cli", request_id=f"req_{uuid4().hex}")


def _in_words(error: MemoryLayerError, by_field: Mapping[str, str]) -> str:
    from memory_layer.errors import Duplicate

    violations = getattr(error, "violations", ())
    pointer = violations[0].pointer if violations else ""
    begins_with_pointer = pointer and error.detail.startswith((f"{pointer}: ", f"{pointer} "))
    first = error.detail.removeprefix(pointer) if begins_with_pointer else error.detail
    sentence = f"{option_of_field(pointer, by_field)}{first}" if begins_with_pointer else first
    lines = [f"mem: {with_options(sentence, by_field)}"]
    if len(violations) > 1:
        untold = violations[1:] if begins_with_pointer else violations
        lines += [
            f"  {option_of_field(one.pointer, by_field)}: {with_options(one.detail, by_field)}"
            for one in untold
        ]
    if isinstance(error, Duplicate):
        lines.append(f"  it says: {printable(error.twin.content)}")
        lines += [f"  (here: {ways})" for ways in _duplicate_options(error, by_field)]
    return "\n".join(lines)


def _duplicate_options(error: Duplicate, by_field: Mapping[str, str]) -> Iterator[str]:
    """Options to go on with after a duplicate; a memory that contradicts it is not merged."""
    if "by" in by_field:
        yield f"--by {error.twin.id}"
    elif "on_duplicate" in by_field and error.says_otherwise is None:
        yield "--on-duplicate merge, or create"
    elif "on_duplicate" in by_field:
        yield f'mem supersede {error.twin.id} "...", or --on-duplicate supersede, or create'


def print_output(output: CommandOutput, is_json: bool, by_field: Mapping[str, str] = NO_OPTIONS) -> None:
    """Prints an answer, for a program or for a person. Args: by_field: as in `errors_on_stderr`."""
    shown = _printed_form(output, is_json)
    if isinstance(shown, str):
        print(shown, end="\n" if shown else "")
    else:
        from rich.console import Console
        from rich.text import Text

        console = Console(**surroundings().console)
        console.print(shown, soft_wrap=isinstance(shown, Text))  # a command in a text is to be copied whole
    sys.stdout.flush()  # here, where a closed pipe is no surprise, and not at the interpreter's end
    if output.aside and not is_json:
        print(with_options(output.aside, by_field), file=sys.stderr)


def _printed_form(output: CommandOutput, is_json: bool) -> Any:
    if not is_json:
        return output.show(output.document or {})
    return "" if output.document is None else as_json(output.document)


def as_json(document: Mapping[str, Any]) -> str:
    from memory_layer.edge.shapes.answers import to_text

    return to_text(document)


def validated(model: type[Model], option_values: Mapping[str, Any]) -> Model:
    """Request of the given options, held to the same rules as a body over HTTP.

    Raises:
        Invalid: with the field and its rule.
    """
    from pydantic import ValidationError

    from memory_layer.edge.shapes.problems import violations_of
    from memory_layer.errors import Invalid

    given = {name: value for name, value in option_values.items() if value is not None and value != []}
    try:
        return model.model_validate(given)
    except ValidationError as error:
        items = ({**item, "loc": ("body", *item["loc"])} for item in error.errors())
        found = violations_of(_with_known_fields(item, model) for item in items)
        of_field = f"{found[0].pointer}: " if found[0].pointer else ""
        raise Invalid(f"{of_field}{found[0].detail}", found) from error


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
