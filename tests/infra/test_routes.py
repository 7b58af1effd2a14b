"""Resolver == docs/openapi.json == template: every operation has one route, to its function, and there is no other."""

from __future__ import annotations

import json
from typing import Any

import pytest

from infra.errors import BadDeployment
from infra.operations import operations_of, read_document
from memory_layer.edge.app import api_document
from memory_layer.manifest.functions import FUNCTIONS
from tests.given import REPOSITORY
from tests.infra.templates import Assembly

Routes = set[tuple[str, str]]

OPEN = {
    *("GET /healthz", "GET /readyz", "GET /version", "GET /docs", "GET /openapi.json"),
    "GET /docs/{name}",
    *("GET /schemas/run-completed.json", "$default"),
    *("GET /.well-known/oauth-protected-resource", "GET /.well-known/oauth-protected-resource/mcp"),
}
"""What needs no token; the last answers 404 to whatever is no route."""


def declared(document: dict[str, Any]) -> Routes:
    return {(operation.route_key, operation.function) for operation in operations_of(document)}


def routed(assembly: Assembly) -> list[tuple[str, str]]:
    found = []
    for key, route in assembly.properties("AWS::ApiGatewayV2::Route"):
        stack = key.split(":")[0]
        integration = assembly.resources[assembly.resolve(stack, route["Target"]).split("{")[1].rstrip("}")]
        uri = assembly.resolve(stack, integration["Properties"]["IntegrationUri"])
        found.append((route["RouteKey"], assembly.function_at(uri)))
    return found


def test_resolver_document_and_template_are_one(assembly: Assembly) -> None:
    routes = routed(assembly)
    assert len(routes) == len(set(routes)) > 20
    assert ("$default", "memories") in routes
    assert (
        set(routes) - {("$default", "memories")}
        == declared(read_document(REPOSITORY))
        == declared(api_document())
    )


def test_only_what_lies_beside_v1_is_open(assembly: Assembly) -> None:
    """The safeguard is `needs_token`: without it a route is open to everybody."""
    routes = [route for _, route in assembly.properties("AWS::ApiGatewayV2::Route")]
    opened = {route["RouteKey"] for route in routes if route["AuthorizationType"] == "NONE"}
    assert opened == OPEN
    assert {route["AuthorizationType"] for route in routes if route["RouteKey"] not in opened} == {"JWT"}
    assert all("AuthorizerId" in route for route in routes if route["RouteKey"] not in opened)


def test_each_function_lets_this_api_call_it_and_nobody_else(assembly: Assembly) -> None:
    callers: dict[str, list[str]] = {}
    for key, permission in assembly.properties("AWS::Lambda::Permission"):
        stack = key.split(":")[0]
        name = assembly.function_at(assembly.resolve(stack, permission["FunctionName"]))
        assert permission["SourceArn"], key
        callers.setdefault(name, []).append(permission["Principal"])
    for function in FUNCTIONS:
        if function.name in assembly.functions():
            expected = ["apigateway.amazonaws.com"] * bool(function.tags or function.routes)
            expected += ["events.amazonaws.com"] * len(function.events)
            expected += ["cognito-idp.amazonaws.com"] * ("read clients" in function.grants)
            assert callers.get(function.name, []) == expected


def test_web_pages_may_call_only_from_named_origins(dev: Assembly, prod: Assembly) -> None:
    cors = dev.only("AWS::ApiGatewayV2::Api")["CorsConfiguration"]
    assert cors["AllowOrigins"] == ["https://app.example.org"]
    assert set(cors["AllowMethods"]) == {"GET", "POST", "PUT", "PATCH", "DELETE"}
    allowed = {name.lower() for name in cors["AllowHeaders"]}
    assert {"authorization", "content-type", "if-match", "idempotency-key"} <= allowed
    assert "AllowCredentials" not in cors
    assert "CorsConfiguration" not in prod.only("AWS::ApiGatewayV2::Api")


def test_stage_throttles_and_logs_without_words_of_callers(assembly: Assembly) -> None:
    stage = assembly.only("AWS::ApiGatewayV2::Stage")
    settings = stage["DefaultRouteSettings"]
    assert settings["ThrottlingRateLimit"] > 0
    assert settings["ThrottlingBurstLimit"] > 0
    assert settings["DetailedMetricsEnabled"]
    logged = json.loads(stage["AccessLogSettings"]["Format"])
    assert {"request_id", "route", "status", "latency_ms"} <= logged.keys()
    told = " ".join(logged.values())
    assert not any(word in told for word in ("path", "queryString", "header", "requestOverride"))


def test_who_shows_no_token_has_limits_of_its_own(assembly: Assembly) -> None:
    """The safeguard is `route_settings`: without them all routes share the stage's limits."""
    ((_, resource),) = assembly.of_type("AWS::ApiGatewayV2::Stage").items()
    limits = resource["Properties"]["RouteSettings"]
    assert set(limits) == OPEN
    whole = resource["Properties"]["DefaultRouteSettings"]
    for one in limits.values():
        assert one["ThrottlingRateLimit"] <= 5
        assert one["ThrottlingBurstLimit"] < whole["ThrottlingBurstLimit"]
        assert one["DetailedMetricsEnabled"]
    routes = assembly.properties("AWS::ApiGatewayV2::Route")
    open_routes = {key.split(":")[1] for key, route in routes if route["RouteKey"] in OPEN}
    assert open_routes <= set(resource["DependsOn"])


@pytest.mark.parametrize("path", ["/v1/a b", "/v1/{id}:undo", "/v1//x", "/v1/x*"])
def test_a_path_that_cannot_be_a_route_is_refused(path: str) -> None:
    with pytest.raises(BadDeployment, match="cannot be part of a route"):
        operations_of({"paths": {path: {"get": {"x-function": "memories"}}}})


def test_an_operation_that_nobody_serves_is_refused() -> None:
    with pytest.raises(BadDeployment, match="names function 'nobody'"):
        operations_of({"paths": {"/v1/x": {"get": {"x-function": "nobody"}}}})
