"""Each operation shows what is asked and what is answered, and each example is what its schema takes."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import jsonschema_rs
import pytest

from memory_layer.edge.app import api_document
from memory_layer.edge.http.request_examples import REQUESTS
from memory_layer.edge.shapes.run_reports import read_run_report
from tests.answer_schemas import closed, closed_schemas

READ_BY_ITSELF = "learn_from_run"
"""Its schema has a pattern that the validator does not know."""


def _media() -> Iterator[tuple[str, str, dict[str, Any]]]:
    for operations in api_document()["paths"].values():
        for operation in operations.values():
            bodies = {"asked": operation.get("requestBody", {}), **operation["responses"]}
            for place, body in bodies.items():
                for content_type, media in body.get("content", {}).items():
                    yield (
                        f"{operation['operationId']} {place} {content_type}",
                        operation["operationId"],
                        media,
                    )


def _broken(media: dict[str, Any]) -> list[str]:
    schema = {**closed(media["schema"]), "components": {"schemas": closed_schemas()}}
    validator = jsonschema_rs.Draft202012Validator(schema, validate_formats=True)
    return [error.message for error in validator.iter_errors(media["example"])]


def test_each_request_and_answer_has_an_example() -> None:
    assert [place for place, _, media in _media() if "example" not in media] == []


def test_each_operation_that_takes_a_body_is_asked_somehow() -> None:
    operations = [one for path in api_document()["paths"].values() for one in path.values()]
    assert set(REQUESTS) == {one["operationId"] for one in operations if "requestBody" in one}


def test_an_example_is_what_its_schema_takes() -> None:
    shown = [
        (place, media)
        for place, operation, media in _media()
        if operation != READ_BY_ITSELF or "asked" not in place
    ]
    assert {place: broken for place, media in shown if (broken := _broken(media))} == {}
    assert read_run_report(json.dumps(REQUESTS[READ_BY_ITSELF])).run.objective


@pytest.mark.parametrize("change", [{"unheard_of": 1}, {"content": ""}, {"content": None}])
def test_a_wrong_example_is_found(change: dict[str, Any]) -> None:
    """Falls where examples are held against nothing."""
    found = next(media for place, _, media in _media() if place == "create_memory asked application/json")
    assert _broken(found) == []
    assert _broken({**found, "example": {**found["example"], **change}})
