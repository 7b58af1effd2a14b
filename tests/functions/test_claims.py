"""Access tokens: a client's row decides on tenant and persona, a person's groups on roles, nothing else on either."""

from __future__ import annotations

import json
from typing import Any

import boto3
import pytest
from moto import mock_aws

from functions.claims import handler as claims
from memory_layer.adapters.aws.services.client_directory import DynamoClientDirectory
from memory_layer.edge.events.token_claims import with_claims
from memory_layer.edge.http.principals import principal_of
from memory_layer.manifest.tables import CLIENTS
from tests.functions.http_api import Context, cold

ROW = {
    "client_id": "c1",
    "tenant": "acme",
    "persona": "builder",
    "roles": ["agent", "reviewer"],
    "email": "bot@acme.test",
}


def event(
    trigger: str = "TokenGeneration_ClientCredentials", client_id: str = "c1", **request: Any
) -> dict[str, Any]:
    """Pre token generation, version 3. Source: Amazon Cognito developer guide."""
    return {
        "version": "3",
        "triggerSource": trigger,
        "region": "eu-west-1",
        "userPoolId": "eu-west-1_Example",
        "userName": client_id,
        "callerContext": {"awsSdkVersion": "aws-sdk-unknown-unknown", "clientId": client_id},
        "request": {
            "userAttributes": {},
            "groupConfiguration": {"groupsToOverride": [], "iamRolesToOverride": [], "preferredRole": None},
            "scopes": ["memory-layer/call"],
            **request,
        },
        "response": {"claimsAndScopeOverrideDetails": None},
    }


def person(groups: list[str], **attributes: str) -> dict[str, Any]:
    return event(
        "TokenGeneration_HostedAuth",
        userAttributes={"sub": "u1", **attributes},
        groupConfiguration={"groupsToOverride": groups},
    )


def added(answer: dict[str, Any]) -> dict[str, Any]:
    claims: dict[str, Any] = answer["response"]["claimsAndScopeOverrideDetails"]["accessTokenGeneration"][
        "claimsToAddOrOverride"
    ]
    return claims


def test_a_machine_is_what_its_row_says() -> None:
    sent = event()
    answer = with_claims(sent, {"c1": ROW}.get)
    expected = {name: value for name, value in ROW.items() if name != "client_id"}
    assert added(answer) == {**expected, "email_verified": "true"}
    assert {**answer, "response": None} == {**sent, "response": None}


def test_the_authorizer_reads_back_what_was_added() -> None:
    given = added(with_claims(event(), {"c1": ROW}.get))
    principal = principal_of({**given, "roles": f"[{' '.join(given['roles'])}]", "sub": "c1"})
    assert (principal.tenant, principal.persona, principal.name) == ("acme", "builder", "bot@acme.test")
    assert principal.roles == {"agent", "reviewer"}


def test_a_person_has_the_roles_of_their_groups_and_not_the_clients() -> None:
    """Safeguard: _person; with the row's roles every user of a reviewers' client would be one."""
    given = added(
        with_claims(
            person(["reviewer", "staff"], email="ada@acme.test", email_verified="true"), {"c1": ROW}.get
        )
    )
    expected = {"tenant": "acme", "persona": "builder", "email": "ada@acme.test", "roles": ["reviewer"]}
    assert given == {**expected, "email_verified": "true"}


def test_a_row_gives_personas_and_the_right_to_speak_for_users() -> None:
    """A person who signs in by the same client has the personas, and not the right: that is the machine's."""
    row = {**ROW, "persona": None, "personas": ["ops", "builder"], "acts_for": True}
    given = added(with_claims(event(), {"c1": row}.get))
    as_text = {"personas": "[builder ops]", "acts_for": "true", "email_verified": "true"}
    principal = principal_of({**given, **as_text, "sub": "c1"})
    assert (given["personas"], given["acts_for"]) == (["builder", "ops"], "true")
    assert (principal.persona, principal.personas, principal.acts_for) == (None, {"builder", "ops"}, True)
    assert "acts_for" not in added(with_claims(person([]), {"c1": row}.get))


@pytest.mark.parametrize("personas", [["billing admin"], ["a,b"], ["[x]"], "ops"])
def test_personas_that_would_read_as_others_make_no_token(personas: Any) -> None:
    """Safeguard: `_are_words`; the authorizer hands `["billing admin"]` over as two personas."""
    assert added(with_claims(event(), {"c1": {**ROW, "personas": personas}}.get)) == {}


@pytest.mark.parametrize("verified", [{}, {"email_verified": "false"}])
def test_an_address_that_nobody_proved_is_left_out(verified: dict[str, str]) -> None:
    given = added(with_claims(person([], email="ada@acme.test", **verified), {"c1": ROW}.get))
    assert "email" not in given


def test_what_a_user_may_set_makes_no_tenant() -> None:
    """Safeguard: the tenant is the row's alone."""
    sent = person(["admin"], **{"custom:tenant": "other", "tenant": "other"})
    assert added(with_claims(sent, {"c1": ROW}.get))["tenant"] == "acme"


def test_an_unknown_client_belongs_to_no_tenant(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    class Cloud:
        client_of = staticmethod({"c1": ROW}.get)

    monkeypatch.setattr(claims, "cloud", Cloud)
    assert added(cold(claims.handler)(event(client_id="stranger"), Context())) == {}
    assert added(cold(claims.handler)(event(), Context()))["tenant"] == "acme"
    (warning,) = [
        line for line in map(json.loads, capsys.readouterr().out.splitlines()) if line["level"] == "WARNING"
    ]
    assert "stranger" in warning["message"]


@mock_aws
@pytest.mark.parametrize("roles", [{"SS": ["agent", "reviewer"]}, {"L": [{"S": "agent"}, {"S": "reviewer"}]}])
def test_rows_are_read_as_an_operator_writes_them(roles: Any) -> None:
    client = boto3.client(
        "dynamodb", region_name="eu-west-1", aws_access_key_id="x", aws_secret_access_key="x"
    )
    client.create_table(
        TableName="clients",
        KeySchema=[{"AttributeName": CLIENTS.partition_key, "KeyType": "HASH"}],
        AttributeDefinitions=[{"AttributeName": CLIENTS.partition_key, "AttributeType": "S"}],
        BillingMode="PAY_PER_REQUEST",
    )
    item = {name: {"S": value} for name, value in ROW.items() if isinstance(value, str)}
    client.put_item(TableName="clients", Item={**item, "roles": roles})
    directory = DynamoClientDirectory(client, "clients")
    assert directory("c1") == ROW
    assert directory("c2") is None
