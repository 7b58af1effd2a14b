"""What another context takes away can be taken away: the data stack is updated first, while the others still stand."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.infra.conftest import DEV, PROD, need_node, synthesised
from tests.infra.templates import Assembly

FOREIGN = {name: PROD[name] for name in ("issuer", "audience")}


@pytest.fixture(scope="session")
def named(shared_folder: Path) -> Assembly:
    """As `dev`, with two clients."""
    need_node()
    return Assembly(synthesised(shared_folder / "named", {**DEV, "clients": "agent,old"}))


@pytest.fixture(scope="session")
def foreign(shared_folder: Path) -> Assembly:
    """As `dev`, with tokens of another issuer."""
    need_node()
    return Assembly(synthesised(shared_folder / "foreign", {**DEV, **FOREIGN}))


def exported(assembly: Assembly, stack: str) -> set[str]:
    outputs = assembly.templates[stack]["Outputs"].values()
    return {output["Export"]["Name"] for output in outputs if "Export" in output}


def imported(assembly: Assembly) -> set[str]:
    """The exports that some stack holds fast: CloudFormation deletes none of them."""
    return {name for template in assembly.templates.values() for name in _imports(template)}


def _imports(value: Any) -> list[str]:
    if isinstance(value, dict):
        own = [value["Fn::ImportValue"]] if "Fn::ImportValue" in value else []
        return own + [name for one in value.values() for name in _imports(one)]
    return [name for one in value for name in _imports(one)] if isinstance(value, list) else []


@pytest.mark.parametrize(("before", "after"), [("named", "dev"), ("dev", "foreign"), ("foreign", "dev")])
def test_a_changed_context_deletes_no_export_that_is_in_use(
    request: pytest.FixtureRequest, before: str, after: str
) -> None:
    """The safeguard is `_let_go`: a client or a pool that is exported could never be removed."""
    stands: Assembly = request.getfixturevalue(before)
    comes: Assembly = request.getfixturevalue(after)
    assert imported(stands)
    gone = exported(stands, "stateful") - exported(comes, "stateful")
    assert not gone & imported(stands)


def test_clients_are_still_the_audience(named: Assembly) -> None:
    audience = named.only("AWS::ApiGatewayV2::Authorizer")["JwtConfiguration"]["Audience"]
    clients = {f"{{{key}}}" for key in named.of_type("AWS::Cognito::UserPoolClient")}
    assert {named.resolve("service", one) for one in audience} == clients
    assert len(clients) == 3, "two of machines, and the console's"
    assert "ImportValue" not in json.dumps(audience)
