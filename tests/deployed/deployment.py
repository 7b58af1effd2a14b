"""The cloud's deployment on one machine: the synthesised template in ministack, the search index on a real node.

As in the cloud: routes, tokens and their claims, roles and what their policies grant, the stream's filters, the bus,
the bucket. Not so: the processor and its layers, TLS and signed requests to the domain, throttling, access logs, alarms
on expressions, TTL, retries of the bus and of failed stream batches.
"""

from __future__ import annotations

import base64
import json
import urllib.parse
import urllib.request
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final
from uuid import uuid4

import httpx2

from memory_layer.manifest import env
from memory_layer.manifest.tables import CLIENTS
from tests.deployed import assembly, publishing, stacks
from tests.deployed.ministack import REGION, Ministack
from tests.given import REPOSITORY

LAYERS: Final = {name: REPOSITORY / "layers" / "dist" / f"{name}-host" for name in ("base", "onnx")}
"""Built for this machine and its Python: `python layers/build.py --arch host`."""

ADMIN_CLIENT, AGENT_CLIENT, RIVAL_CLIENT, UNKNOWN_CLIENT = "admin", "agent", "rival", "unknown"
TENANT: Final = f"acme-{uuid4().hex[:12]}"
RUN_SOURCE: Final = "tests.orchestrator"
"""Whose events of completed runs are taken, for the tenant of the session."""

CONTEXT: Final = {
    "profile": "dev",
    "region": REGION,
    "engine": "lucene",
    "layers": "placeholder",  # filled with LAYERS as they are uploaded: what is deployed is for another processor
    "clients": ",".join((ADMIN_CLIENT, AGENT_CLIENT, RIVAL_CLIENT, UNKNOWN_CLIENT)),
    "event_sources": json.dumps({RUN_SOURCE: {"tenant": TENANT, "sub": "orchestrator"}}),
}

SMALL_CONTEXT: Final = {name: value for name, value in CONTEXT.items() if name != "event_sources"} | {
    "profile": "small"
}
"""Without sources of events there is no queue that Lambda would ask all month long."""

_REQUEST_TIMEOUT_S: Final = 60.0


@dataclass(frozen=True)
class Deployed:
    """What was deployed, and the ways in.

    Args:
        outputs: of all stacks.
        functions: their names in Lambda, by their names in the manifest.
    """

    server: Ministack
    outputs: Mapping[str, str]
    functions: Mapping[str, str]

    def caller(self, token: str | None) -> httpx2.Client:
        """A client of the API that sends this token."""
        host = urllib.parse.urlsplit(self.outputs["ApiUrl"]).netloc.split(".")[0]
        headers = {"host": f"{host}.execute-api.localhost"}
        if token is not None:
            headers["authorization"] = f"Bearer {token}"
        return httpx2.Client(base_url=self.server.endpoint, headers=headers, timeout=_REQUEST_TIMEOUT_S)

    def token_of(self, client: str) -> str:
        """An access token by client credentials, as an application asks for it."""
        known = self._client(client)
        secret = f"{known['ClientId']}:{known['ClientSecret']}".encode()
        request = urllib.request.Request(
            f"{self.server.endpoint}/oauth2/token",
            urllib.parse.urlencode({"grant_type": "client_credentials"}).encode(),
            {
                "authorization": f"Basic {base64.b64encode(secret).decode()}",
                "content-type": "application/x-www-form-urlencoded",
            },
        )
        with urllib.request.urlopen(request, timeout=_REQUEST_TIMEOUT_S) as answer:
            return str(json.load(answer)["access_token"])

    def introduce(self, client: str, *, tenant: str, roles: list[str], email: str | None = None) -> None:
        """Write a client's row, as the operator does."""
        row: dict[str, Any] = {
            CLIENTS.partition_key: {"S": self._client(client)["ClientId"]},
            "tenant": {"S": tenant},
            "roles": {"SS": roles},
        }
        if email is not None:
            row["email"] = {"S": email}
        self.server.client("dynamodb").put_item(TableName=self.outputs["ClientsTableName"], Item=row)

    def invoke(self, function: str, event: Mapping[str, Any]) -> tuple[str | None, Any]:
        """Call a function and wait: the kind of its failure, if it failed, and what it answered."""
        answer = self.server.client("lambda").invoke(
            FunctionName=self.functions[function], Payload=json.dumps(event)
        )
        return answer.get("FunctionError"), json.load(answer["Payload"])

    def _client(self, name: str) -> Mapping[str, Any]:
        cognito, pool = self.server.client("cognito-idp"), self.outputs["UserPoolId"]
        listed = cognito.list_user_pool_clients(UserPoolId=pool, MaxResults=60)["UserPoolClients"]
        (id,) = (client["ClientId"] for client in listed if client["ClientName"] == name)
        told = cognito.describe_user_pool_client(UserPoolId=pool, ClientId=id)
        return dict(told["UserPoolClient"])


def deploy(server: Ministack, outdir: Path, search: str = "") -> Deployed:
    """Publish the assembly, make its stacks, and point the functions at what this machine has.

    Args:
        outdir: an assembly.
        search: base URL of the search node, if there is a domain.

    Raises:
        NotMade: a stack failed.
    """
    publishing.publish(assembly.assets_of(outdir), LAYERS, server.client("s3"))
    outputs = stacks.make(assembly.stacks_of(outdir), server)
    deployed = Deployed(server, outputs, _functions(server))
    for name in deployed.functions.values():
        _redirect(server, name, search)
    return deployed


def _functions(server: Ministack) -> dict[str, str]:
    found = server.client("lambda").list_functions()["Functions"]
    handlers = ((function["Handler"].split("."), function["FunctionName"]) for function in found)
    return {parts[1]: name for parts, name in handlers if parts[0] == "functions"}


def _redirect(server: Ministack, function: str, search: str) -> None:
    """The two places that a template cannot know here: the search node, and the layer, which is not at /opt."""
    client = server.client("lambda")
    variables = client.get_function_configuration(FunctionName=function).get("Environment", {})["Variables"]
    here = {env.SEARCH_ENDPOINT: search, env.MODEL_DIR: str(LAYERS["onnx"] / "model")}
    changed = {**variables, **{name: here[name] for name in here.keys() & variables.keys()}}
    changed.pop(env.API_URL, None)  # no server of names knows it here
    client.update_function_configuration(FunctionName=function, Environment={"Variables": changed})
