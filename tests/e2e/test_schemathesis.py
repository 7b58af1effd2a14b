"""Nothing that openapi.json allows, and little that it does not, makes the server fail."""

from __future__ import annotations

from contextlib import suppress
from urllib.parse import quote

import httpx2
import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from hypothesis.errors import Unsatisfiable

from memory_layer.edge.app import api_document
from tests.fuzzing import examples

LAX = settings(
    max_examples=examples(15),
    phases=(Phase.explicit, Phase.generate),
    suppress_health_check=list(HealthCheck),
)


@schemathesis.serializer("application/x-ndjson")
def as_lines(_: schemathesis.SerializationContext, value: object) -> bytes:
    """A route's file of lines is described as text, and sent as it is."""
    return str(value).encode(errors="surrogatepass")


@pytest.mark.hypothesis
def test_no_request_makes_the_server_fail(http: httpx2.Client) -> None:
    schema = schemathesis.openapi.from_dict(api_document())
    operations = [result.ok() for result in schema.get_all_operations()]
    modes = (schemathesis.GenerationMode.POSITIVE, schemathesis.GenerationMode.NEGATIVE)
    tried = [_try(operation, mode, http) for operation in operations for mode in modes]
    assert len([count for count in tried if count]) > len(operations)


def _try(operation: schemathesis.APIOperation, mode: schemathesis.GenerationMode, http: httpx2.Client) -> int:
    """How many requests were sent; none where an operation has nothing that could be wrong."""
    sent = 0

    @LAX
    @given(case=operation.as_strategy(generation_mode=mode))
    def attempt(case: schemathesis.Case) -> None:
        nonlocal sent
        answer = case.call(base_url=str(http.base_url))
        sent += 1
        assert answer.status_code < 500, (case.as_curl_command(), answer.text)

    with suppress(Unsatisfiable):
        attempt()
    return sent


@settings(max_examples=examples(60), suppress_health_check=list(HealthCheck))
@given(body=st.binary(max_size=400), path=st.text(max_size=30))
def test_no_bytes_make_the_server_fail(http: httpx2.Client, body: bytes, path: str) -> None:
    headers = {"content-type": "application/json"}
    for url in ("/v1/projects/web/memories", "/v1/projects/web/recall", "/v1/projects/web/memories:batch"):
        assert http.post(url, content=body, headers=headers).status_code < 500
    quoted = quote(path, safe="")
    assert http.get(f"/v1/projects/{quoted}/memories/{quoted}").status_code < 500
