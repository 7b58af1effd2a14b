"""A closed address: what came through the content network is answered under the name that was called, no more."""

from __future__ import annotations

import json
from typing import Any

import httpx2
import pytest

from memory_layer.edge.api_gateway import HttpApi
from memory_layer.edge.http.origin_lock import HOST_HEADER, SECRET_HEADER, let_through
from memory_layer.errors import Forbidden
from memory_layer.manifest import env
from memory_layer.mcp.router import mcp_router
from memory_layer.settings import SignIn, read_origin_secret
from tests.functions.conftest import Shelf
from tests.functions.http_api import Context, event_of

SECRET = "s3cret-of-the-network"
METADATA = "/.well-known/oauth-protected-resource/mcp"


def answer_of(function: HttpApi, method: str, path: str, headers: dict[str, str], **sent: Any) -> Any:
    request = httpx2.Request(method, f"https://api.example{path}", headers=headers)
    return function(event_of(request, **sent), Context())


def locked(shelf: Shelf) -> HttpApi:
    return HttpApi("memories", lambda: shelf, origin_secret=lambda: SECRET)


@pytest.mark.parametrize("shown", [{}, {SECRET_HEADER: "another"}, {SECRET_HEADER: ""}])
@pytest.mark.parametrize("path", ["/v1/projects/web/memories", "/healthz", "/nowhere"])
def test_what_came_past_the_network_is_refused_whatever_its_token(
    shelf: Shelf, shown: dict[str, str], path: str
) -> None:
    answer = answer_of(locked(shelf), "GET", path, shown)
    assert answer["statusCode"] == 403
    assert answer["headers"]["content-type"] == "application/problem+json"
    assert "call the deployment by the output ApiUrl" in json.loads(answer["body"])["detail"]
    assert SECRET not in str(answer)


def test_what_came_through_the_network_is_answered(shelf: Shelf) -> None:
    answer = answer_of(locked(shelf), "GET", "/v1/projects/web/memories", {SECRET_HEADER: SECRET})
    assert answer["statusCode"] == 200


def test_clients_are_told_the_name_that_they_called(shelf: Shelf) -> None:
    """The safeguard is HOST_HEADER: the network speaks to the API by the API's own name, which is closed."""
    function = HttpApi(
        "mcp", lambda: shelf, routers=(mcp_router(lambda: SignIn()),), origin_secret=lambda: SECRET
    )
    sent = {SECRET_HEADER: SECRET, HOST_HEADER: "d111111abcdef8.cloudfront.net"}
    told = json.loads(answer_of(function, "GET", METADATA, sent)["body"])
    assert told["resource"] == "https://d111111abcdef8.cloudfront.net/mcp"


def test_without_a_lock_a_callers_own_name_for_the_api_counts_for_nothing(shelf: Shelf) -> None:
    function = HttpApi("mcp", lambda: shelf, routers=(mcp_router(lambda: SignIn()),), origin_secret=str)
    told = json.loads(answer_of(function, "GET", METADATA, {HOST_HEADER: "evil.example"})["body"])
    assert "evil" not in told["resource"]


def test_the_secret_goes_no_further_than_the_lock() -> None:
    event = event_of(
        httpx2.Request("GET", "https://a.example/healthz", headers={SECRET_HEADER: SECRET, "x-a": "1"})
    )
    passed = let_through(event, SECRET)
    assert SECRET not in str(passed)
    assert passed["headers"]["x-a"] == "1"


@pytest.mark.parametrize("shown", ["ü", "\ud800"])
def test_what_is_no_plain_text_is_refused_like_any_other(shown: str) -> None:
    event = event_of(httpx2.Request("GET", "https://a.example/healthz"))
    with pytest.raises(Forbidden):
        let_through({**event, "headers": {SECRET_HEADER: shown}}, SECRET)


def test_the_secret_is_read_from_the_environment() -> None:
    assert (read_origin_secret({env.ORIGIN_SECRET: SECRET}), read_origin_secret({})) == (SECRET, "")
