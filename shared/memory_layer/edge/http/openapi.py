"""openapi.json: the document of the routes, with problem details and the function that serves each route."""

import json
from functools import reduce
from operator import or_
from typing import Any

from aws_lambda_powertools.event_handler.api_gateway import ApiGatewayResolver
from pydantic import BaseModel
from pydantic.json_schema import models_json_schema

from memory_layer.domain.memory import Relation
from memory_layer.domain.policy import Limits, PriorityWeights
from memory_layer.edge.http.caller import JSON, MADE_OF
from memory_layer.edge.http.described_bodies import LINE_BODIES, LIST_BODIES, complete_body
from memory_layer.edge.http.document_models import omit_nulls, tidy_models
from memory_layer.edge.http.examples import add_examples
from memory_layer.edge.http.named_choices import name_choices
from memory_layer.edge.http.principals import USER_HEADER, USER_SHAPE
from memory_layer.edge.http.store_errors import StoreError
from memory_layer.edge.shapes.derived_models import answer_model, describe
from memory_layer.edge.shapes.filter_requests import Listing
from memory_layer.edge.shapes.problems import PROBLEM_JSON, Problem
from memory_layer.edge.shapes.run_schema import run_schema
from memory_layer.manifest.functions import function_of
from memory_layer.version import VERSION

TITLE = "Memory Layer"
DESCRIPTION = (
    "Stores what agents learned, lets people approve it, recalls it, and ranks it by whether it worked."
)
_REFERENCE = "#/components/schemas/{model}"
_GATHERED: dict[str, type[BaseModel]] = {"list_memories": Listing}
"""Routes with a model of their query parameters."""

_USER_PARAMETER = {
    "name": USER_HEADER,
    "in": "header",
    "required": False,
    "description": "The end user for whom a service speaks: persona, view and author of what is written",
    "schema": {"type": "string", "pattern": USER_SHAPE},
}


def openapi_document(resolver: ApiGatewayResolver) -> dict[str, Any]:
    """OpenAPI 3.1 document of a resolver's routes."""
    _name_answers(resolver)
    text = resolver.get_openapi_json_schema(
        title=TITLE, version=VERSION, openapi_version="3.1.0", description=DESCRIPTION
    )
    document: dict[str, Any] = json.loads(text)
    for path, operations in document["paths"].items():
        for operation in operations.values():
            _complete(operation)
            if path.startswith("/v1/"):
                operation.setdefault("parameters", []).append(_USER_PARAMETER)
    _complete_components(document)
    name_choices(document)
    tidy_models(document)
    add_examples(document)
    return document


def _name_answers(resolver: ApiGatewayResolver) -> None:
    """Puts the models of answers into the descriptions of their routes, which may share one."""
    for route in (*resolver._static_routes, *resolver._dynamic_routes):
        described: dict[int, dict[str, Any]] = route.responses or {}  # type: ignore[assignment]
        for response in described.values():
            if answers := response.pop(MADE_OF, None):
                response["content"] = {JSON: {"model": reduce(or_, map(answer_model, answers))}}


def serialized_document(document: dict[str, Any]) -> str:
    """Text of the document as the repository keeps it: two spaces, sorted, a line feed at the end."""
    return json.dumps(document, indent=2, sort_keys=True, ensure_ascii=False) + "\n"


def _list_parameters(model: type[BaseModel]) -> list[dict[str, Any]]:
    """Query parameters of a model that gathers them; Powertools tells lists and choices as plain texts."""
    schema = model.model_json_schema(ref_template=_REFERENCE)
    return [
        {
            "name": name,
            "in": "query",
            "required": False,
            "description": member.pop("description"),
            "schema": member,
        }
        for name, member in schema["properties"].items()
    ]


def _complete(operation: dict[str, Any]) -> None:
    operation["x-function"] = function_of(operation["tags"][0])
    if operation["operationId"] in _GATHERED:
        path = [one for one in operation["parameters"] if one["in"] != "query"]
        operation["parameters"] = [*path, *_list_parameters(_GATHERED[operation["operationId"]])]
    operation["responses"].pop("422", None)
    operation["responses"].get("204", {}).pop("content", None)
    kind, model = (JSON, "StoreError") if operation["tags"] == ["stores"] else (PROBLEM_JSON, "Problem")
    operation["responses"]["default"] = {
        "description": "What went wrong, and what to do",
        "content": {kind: {"schema": {"$ref": _REFERENCE.format(model=model)}}},
    }
    complete_body(operation)


def _run_schemas() -> dict[str, Any]:
    """Parts of the run's schema, as components."""
    text = json.dumps(run_schema()["$defs"]).replace("#/$defs/", _REFERENCE.format(model=""))
    parts: dict[str, Any] = json.loads(text)
    return parts


def _complete_components(document: dict[str, Any]) -> None:
    models: list[type[BaseModel]] = [
        answer_model(Problem),
        answer_model(StoreError),
        *LINE_BODIES.values(),
        *LIST_BODIES.values(),
    ]
    _, schema = models_json_schema([(model, "validation") for model in models], ref_template=_REFERENCE)
    components = document.setdefault("components", {})
    answered = {**components.get("schemas", {}), **schema["$defs"]}
    omit_nulls(answered)
    components["schemas"] = {**answered, **_run_schemas()}
    for shared in (Relation, Limits, PriorityWeights):
        describe(components["schemas"][shared.__name__], shared)
    for unused in ("HTTPValidationError", "ResponseValidationError", "ValidationError"):
        components["schemas"].pop(unused, None)
    components["securitySchemes"] = {"bearer": {"type": "http", "scheme": "bearer", "bearerFormat": "JWT"}}
    document["security"] = [{"bearer": []}, {}]
