"""The committed openapi.json is what the routes say, and every route in it is served by a function."""

from __future__ import annotations

import re
from typing import Any

from memory_layer.edge.app import api_document, document_text
from memory_layer.edge.http.document_models import objects
from memory_layer.edge.shapes.filter_requests import Listing
from memory_layer.edge.shapes.member_words import MEMBER_WORDS
from memory_layer.edge.shapes.run_schema import run_schema
from tests.given import REPOSITORY


def test_the_committed_document_is_current() -> None:
    committed = (REPOSITORY / "docs" / "openapi.json").read_text("utf-8")
    assert committed == document_text(), "the routes changed: run make openapi"


def test_a_run_is_described_where_it_is_posted() -> None:
    """Falls where a part of the run's schema is not in the document."""
    document = api_document()
    body = document["paths"]["/v1/projects/{project}/runs"]["post"]["requestBody"]
    schemas = document["components"]["schemas"]
    forms = body["content"]["application/json"]["schema"]["oneOf"]
    named = {one.get("title") or one["$ref"].rpartition("/")[2] for one in forms}
    assert named == {*("Run", "EventBridgeEvent", "CloudEvent")}
    referred = set(re.findall(r'"#/components/schemas/([^"]+)"', document_text()))
    assert referred <= set(schemas)
    assert set(schemas["Run"]["properties"]) == set(run_schema()["$defs"]["Run"]["properties"])


def test_the_document_has_at_most_a_hundred_and_twenty_models() -> None:
    assert len(api_document()["components"]["schemas"]) <= 120


def test_a_list_of_choices_stands_in_one_place() -> None:
    """Falls where a choice of two places has no name in edge/http/named_choices.py."""
    inline: list[tuple[str, ...]] = []
    components = api_document()["components"]["schemas"]
    for place in (api_document()["paths"], [one for one in components.values() if "enum" not in one]):
        inline += [tuple(one["enum"]) for one in objects(place) if isinstance(one.get("enum"), list)]
    named = {tuple(one["enum"]) for one in components.values() if "enum" in one}
    assert [values for values in set(inline) if inline.count(values) > 1 or values in named] == []


def test_what_has_a_default_is_not_required() -> None:
    """Generators take a member of a component for required where it has a default."""
    models = [one for one in objects(api_document()) if isinstance(one.get("properties"), dict)]
    assert [one for one in models if any("default" in member for member in one["properties"].values())] == []
    asked = api_document()["components"]["schemas"]["RecallQuery"]
    assert asked["required"] == ["query"]
    assert asked["properties"]["limit"]["description"].endswith("Omitted: `10`.")


def test_a_filter_that_may_be_repeated_is_an_array() -> None:
    """Falls where a listing's parameters are left as Powertools tells them, all of them texts."""
    parameters = api_document()["paths"]["/v1/projects/{project}/memories"]["get"]["parameters"]
    schemas = {one["name"]: one["schema"] for one in parameters}
    repeated = {name for name, field in Listing.model_fields.items() if field.default == []}
    assert repeated == {name for name, schema in schemas.items() if schema.get("type") == "array"}
    assert schemas["type"]["items"] == {"$ref": "#/components/schemas/MemoryType"}
    assert set(Listing.model_fields) <= set(schemas)


def test_whatever_is_asked_or_answered_is_described() -> None:
    """A field or parameter that is new needs a sentence where it is declared, or in edge/shapes/member_words.py."""
    models = [one for one in objects(api_document()) if isinstance(one.get("properties"), dict)]
    fields = [(name, said) for model in models for name, said in model["properties"].items()]
    parameters = [(p["name"], p) for one in _operations() for p in one.get("parameters", ())]
    assert {name for name, said in (*fields, *parameters) if not said.get("description")} == set()


def test_no_model_is_called_as_one_of_its_members() -> None:
    """Falls where a generated class and its member would have one name."""
    schemas = api_document()["components"]["schemas"]
    assert [name for name, one in schemas.items() if name.lower() in one.get("properties", {})] == []


def test_what_is_left_out_is_never_null() -> None:
    problem = api_document()["components"]["schemas"]["Problem"]
    assert "duplicate_of" not in problem["required"]
    assert problem["properties"]["duplicate_of"]["$ref"] == "#/components/schemas/SimilarMemory"


def test_bodies_of_lines_tell_what_a_line_is() -> None:
    batch = api_document()["paths"]["/v1/projects/{project}/memories:batch"]["post"]["requestBody"]["content"]
    line = {"$ref": "#/components/schemas/BatchLine"}
    assert batch["application/json"]["schema"]["items"] == line
    assert batch["application/x-ndjson"]["schema"]["x-line"] == line


def test_bodies_that_say_nothing_are_not_described() -> None:
    operations = {one["operationId"]: one for one in _operations()}
    assert "requestBody" not in operations["try_webhook"]
    assert "content" not in operations["delete_memory"]["responses"]["204"]


def test_shared_words_are_of_some_use() -> None:
    told = {one["description"] for one in objects(api_document()) if isinstance(one.get("description"), str)}
    assert [name for name, words in MEMBER_WORDS.items() if words not in told] == []


def _operations() -> list[dict[str, Any]]:
    return [operation for path in api_document()["paths"].values() for operation in path.values()]


def test_schemas_are_named_after_themselves() -> None:
    """Two models of one name would carry the path of their module."""
    assert [name for name in api_document()["components"]["schemas"] if "__" in name] == []


def test_every_operation_has_a_function_an_id_and_a_problem() -> None:
    operations = _operations()
    ids = [operation["operationId"] for operation in operations]
    assert len(ids) == len(set(ids))
    assert all(operation["x-function"] for operation in operations)
    assert {one["operationId"]: (*one["responses"]["default"]["content"],) for one in operations} == {
        one["operationId"]: ("application/json" if one["tags"] == ["stores"] else "application/problem+json",)
        for one in operations
    }
