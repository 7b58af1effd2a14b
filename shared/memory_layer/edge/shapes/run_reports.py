"""Reports of runs from orchestrators: plain, or in the envelope of EventBridge or CloudEvents; camelCase or not."""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import islice
from typing import Any, NoReturn

from pydantic import TypeAdapter, ValidationError

from memory_layer.domain.learning.run import Run
from memory_layer.domain.safety.redaction import redact
from memory_layer.domain.text_rules import project_problem, storable
from memory_layer.edge.shapes.problems import VIOLATIONS_MAX
from memory_layer.edge.shapes.violation_words import error_message
from memory_layer.errors import Invalid, Malformed, Violation
from memory_layer.manifest.run_events import RUN_COMPLETED, RUN_ID, RUN_ID_RULE, SPELLINGS


@dataclass(frozen=True, slots=True)
class RunReport:
    """Run, with its origin as far as its envelope names it."""

    run: Run
    project: str | None
    source: str | None


def read_run_report(body: str | bytes) -> RunReport:
    """Parses a report in any of the three envelopes.

    Raises:
        Malformed: it is no JSON.
        Invalid: it breaks the schema; `violations` point into it as it was sent.
    """
    try:
        document = json.loads(body, parse_constant=_no_number)
    except (ValueError, RecursionError) as error:
        raise Malformed(f"the report of the run is no JSON: {error}") from error
    return run_report_of(document)


def run_report_of(document: Any) -> RunReport:
    """Reads a report of JSON that was parsed already, as `read_run_report` does.

    Raises:
        Invalid
    """
    place, raw_run, source = _unwrapped(document)
    if not isinstance(raw_run, Mapping):
        raise Invalid.at(place, "a run is a JSON object; its schema is at /schemas/run-completed.json")
    run_fields = _in_snake_case(raw_run, place)
    project = run_fields.pop("project", None)
    if project is not None and (not isinstance(project, str) or project_problem(project)):
        raise Invalid.at(f"{place}/project", project_problem(str(project)) or "a project is named by a text")
    try:
        run = _reader().validate_json(json.dumps(run_fields), strict=True)
    except ValidationError as error:
        raise _refusal(error, raw_run, place) from None
    sent = next(value for key, value in raw_run.items() if SPELLINGS.get(key, key) == "run_id")
    if not _RUN_ID.fullmatch(sent):  # as it was sent: a name is refused, not made storable
        raise Invalid.at(place + _sender_pointer(["run_id"], raw_run), RUN_ID_RULE)
    return RunReport(run, project, source)


_RUN_ID = re.compile(RUN_ID)


def _no_number(name: str) -> NoReturn:
    raise ValueError(f"{name} is no number that JSON knows")


@cache
def _reader() -> TypeAdapter[Run]:
    return TypeAdapter(Run)


def _unwrapped(document: Any) -> tuple[str, Any, str | None]:
    """Path of the run in its envelopes, the run, and its sender; an event may carry another one."""
    place, source = "", None
    while isinstance(document, Mapping):
        if "detail-type" in document:
            _refuse_kind(document["detail-type"], f"{place}/detail-type")
            inside = "detail"
        elif "specversion" in document:
            _refuse_kind(document.get("type"), f"{place}/type")
            inside = "data"
        else:
            break
        source = source or _source(document, place)
        if inside not in document:
            raise Invalid.at(
                f"{place}/{inside}", "the envelope is empty; the run belongs here, as a JSON object"
            )
        place, document = f"{place}/{inside}", document[inside]
    return place, document, source


def _refuse_kind(kind: Any, place: str) -> None:
    if kind != RUN_COMPLETED and not (isinstance(kind, str) and kind.endswith(f".{RUN_COMPLETED}")):
        raise Invalid.at(place, f"only events of the kind {RUN_COMPLETED} are taken here")


def _source(envelope: Mapping[str, Any], place: str) -> str:
    source = envelope.get("source")
    if not isinstance(source, str) or not source:
        raise Invalid.at(f"{place}/source", "an event says who sent it: a text")
    return source


def _in_snake_case(raw_run: Mapping[str, Any], place: str) -> dict[str, Any]:
    """Fields under their own names from either spelling, at every depth."""
    run_fields: dict[str, Any] = {}
    for key, value in raw_run.items():
        name = SPELLINGS.get(key, key)
        if name in run_fields:
            raise Invalid.at(f"{place}/{_escaped(key)}", f"{name} is said twice, in two spellings")
        run_fields[storable(name)] = _renamed(value, f"{place}/{_escaped(key)}")
    return run_fields


def _renamed(value: Any, place: str) -> Any:
    if isinstance(value, str):
        return storable(value)
    if isinstance(value, float) and value.is_integer():  # 3.0 is an integer in JSON Schema
        return int(value)
    if isinstance(value, Mapping):
        return _in_snake_case(value, place)
    if isinstance(value, list):
        return [_renamed(item, f"{place}/{position}") for position, item in enumerate(value)]
    return value


def _refusal(error: ValidationError, raw_run: Mapping[str, Any], place: str) -> Invalid:
    found = tuple(
        Violation(place + _sender_pointer(item["loc"], raw_run), redact(error_message(item), "secrets").text)
        for item in islice(error.errors(), VIOLATIONS_MAX)
    )
    return Invalid.each(found, whole="the run")


def _sender_pointer(path: Sequence[int | str], raw_run: Any) -> str:
    """JSON pointer in the sender's spelling."""
    written = []
    for part in path:
        if isinstance(raw_run, Mapping):
            part = next((key for key in raw_run if SPELLINGS.get(key, key) == part), str(part))
            raw_run = raw_run.get(part)
        elif isinstance(raw_run, list) and isinstance(part, int) and part < len(raw_run):
            raw_run = raw_run[part]
        written.append(f"/{_escaped(redact(str(part), 'secrets').text)}")
    return "".join(written)


def _escaped(part: str) -> str:
    """Name escaped as in RFC 6901, and without characters that no text may hold."""
    return storable(part).replace("~", "~0").replace("/", "~1")
