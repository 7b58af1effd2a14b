"""Who may call: tokens by client credentials, completed by the function `claims`, checked by the API's authorizer."""

from __future__ import annotations

import base64
import json

import httpx2
import pytest

from tests.deployed.calls import memories
from tests.deployed.conftest import Callers
from tests.deployed.deployment import ADMIN_CLIENT, UNKNOWN_CLIENT, Deployed

pytestmark = pytest.mark.engines


def claims_in(token: str) -> dict[str, object]:
    payload = token.split(".")[1]
    claims: dict[str, object] = json.loads(base64.urlsafe_b64decode(payload + "=" * (-len(payload) % 4)))
    return claims


def test_a_token_says_what_the_clients_row_says(deployed: Deployed, callers: Callers, tenant: str) -> None:
    callers(ADMIN_CLIENT)
    claims = claims_in(deployed.token_of(ADMIN_CLIENT))
    assert (claims["tenant"], claims["email"]) == (tenant, "ada@acme.test")
    assert claims["roles"] == ["agent", "reviewer", "admin"]


def test_without_a_token_nothing_is_answered(deployed: Deployed, project: str) -> None:
    with deployed.caller(None) as nobody:
        assert nobody.get(memories(project)).status_code == 401
        assert nobody.get("/healthz").status_code == 200


def test_a_token_that_nobody_signed_is_refused(deployed: Deployed, callers: Callers, project: str) -> None:
    callers(ADMIN_CLIENT)
    header, payload, signature = deployed.token_of(ADMIN_CLIENT).split(".")
    forged = {**claims_in(f"{header}.{payload}.{signature}"), "tenant": "another"}
    text = base64.urlsafe_b64encode(json.dumps(forged).encode()).decode().rstrip("=")
    with deployed.caller(f"{header}.{text}.{signature}") as forger:
        assert forger.get(memories(project)).status_code == 401


def test_a_client_that_belongs_to_no_tenant_is_told_so(deployed: Deployed, project: str) -> None:
    with deployed.caller(deployed.token_of(UNKNOWN_CLIENT)) as unknown:
        answer = unknown.get(memories(project))
    assert (answer.status_code, answer.headers["content-type"]) == (401, "application/problem+json")
    assert "clients table" in answer.json()["detail"]


def test_an_agent_is_no_admin(agent: httpx2.Client, project: str) -> None:
    assert agent.get(f"/v1/projects/{project}/settings").status_code == 403
