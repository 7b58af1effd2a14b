"""How the OpenSearch client is made: once, signed on https, and with errors that say what to do."""

from __future__ import annotations

import subprocess
import sys

import pytest
from opensearchpy.exceptions import AuthorizationException, ConnectionTimeout, NotFoundError

from memory_layer.adapters.aws.search.opensearch_client import (
    opensearch_errors,
    search_client,
    slow_request_params,
)
from memory_layer.errors import IndexUnavailable

DOMAIN = "https://search.example.test"


@pytest.fixture(autouse=True)
def _new_process(monkeypatch: pytest.MonkeyPatch) -> None:
    """No client yet, and no credentials but those that a test sets."""
    search_client.cache_clear()
    for name in (
        "AWS_ACCESS_KEY_ID",
        "AWS_SECRET_ACCESS_KEY",
        "AWS_PROFILE",
        "AWS_DEFAULT_REGION",
        "AWS_REGION",
    ):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")
    monkeypatch.setenv("AWS_SHARED_CREDENTIALS_FILE", "/nonexistent")
    monkeypatch.setenv("AWS_CONFIG_FILE", "/nonexistent")


def set_credentials(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "AKIDEXAMPLE")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "secret")


def test_requests_to_a_domain_are_signed_for_its_service(monkeypatch: pytest.MonkeyPatch) -> None:
    set_credentials(monkeypatch)
    client = search_client(DOMAIN, "eu-central-1")
    sign = client.transport.get_connection().http_auth
    headers = sign("POST", f"{DOMAIN}/memories-read/_msearch", b"{}\n")
    assert "/eu-central-1/es/aws4_request" in headers["Authorization"]


def test_plain_http_is_not_signed() -> None:
    client = search_client("http://127.0.0.1:19200")
    assert client.transport.get_connection().http_auth is None


def test_one_client_a_process() -> None:
    assert search_client("http://127.0.0.1:19200") is search_client("http://127.0.0.1:19200")


def test_reads_give_up_in_seconds_and_writes_have_patience() -> None:
    timeout = search_client("http://127.0.0.1:19200").transport.get_connection().timeout
    assert (timeout.connect_timeout, timeout.read_timeout) == (1.0, 3.0)
    assert slow_request_params(refresh="wait_for")["request_timeout"].read_timeout > timeout.read_timeout


def test_what_is_missing_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(IndexUnavailable, match="MEMORY_LAYER_SEARCH_ENDPOINT"):
        search_client("")
    with pytest.raises(IndexUnavailable, match="credentials"):
        search_client(DOMAIN, "eu-central-1")
    set_credentials(monkeypatch)
    with pytest.raises(IndexUnavailable, match="set AWS_REGION"):
        search_client(DOMAIN)


@pytest.mark.parametrize(
    ("error", "advice"),
    [
        (NotFoundError(404, "index_not_found_exception", {}), "mem admin reindex"),
        (AuthorizationException(403, "forbidden", {}), "access policy"),
        (ConnectionTimeout("TIMEOUT", "read timed out", TimeoutError()), "try again"),
    ],
)
def test_errors_say_what_to_do(error: Exception, advice: str) -> None:
    with pytest.raises(IndexUnavailable, match=advice), opensearch_errors("searching"):
        raise error


def test_projector_and_index_load_no_numpy() -> None:
    """A function that reads a record, or projects, starts without it."""
    modules = ("search.search_index", "projection.projector", "integrity.rebuild")
    code = "".join(f"import memory_layer.adapters.aws.{name}\n" for name in modules)
    code += "import sys; sys.exit('numpy' in sys.modules)"
    path = [entry for entry in sys.path if entry.endswith("shared")]
    ended = subprocess.run(
        [sys.executable, "-c", code], check=False, env={"PYTHONPATH": ":".join(path)}, capture_output=True
    )
    assert ended.returncode == 0, ended.stderr.decode()
