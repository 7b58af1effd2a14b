"""`/metrics` and the request log: counts without contents, for whom they are for, behind the guard."""

from __future__ import annotations

import io
import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from memory_layer.adapters.process.prefetch_thread import PrefetchThread
from memory_layer.bootstrap.embedded import EmbeddedBackend, open_embedded
from memory_layer.local.asgi import Guard
from memory_layer.local.request_counts import AnsweredRequest, RequestCounts
from memory_layer.local.server import application
from memory_layer.local.tokens import mint, secret_of
from tests.given import NoEmbedder
from tests.unit.local.test_console_pages import asked

MARKER = "zanzibar-marker-7731"
MEMORIES = "/v1/projects/web/memories"


@pytest.fixture
def backend() -> Iterator[EmbeddedBackend]:
    opened = open_embedded(None, embedder=NoEmbedder())
    yield opened
    opened.close()


def served(backend: EmbeddedBackend, folder: Path, *, with_auth: bool = False) -> Guard:
    return application(backend, folder, with_auth=with_auth)


def sample(text: str, name: str) -> float:
    (line,) = [line for line in text.splitlines() if line.startswith(f"{name} ")]
    return float(line.rpartition(" ")[2])


def test_it_counts_requests_by_operation_and_status(backend: EmbeddedBackend, tmp_path: Path) -> None:
    guard = served(backend, tmp_path)
    assert asked(guard, "POST", MEMORIES, {"content": f"The pool closes after {MARKER}."}).status == 201
    assert asked(guard, "POST", f"{MEMORIES}", {"content": ""}).status == 422
    assert asked(guard, "POST", "/v1/projects/web/recall", {"query": "colour of the sky"}).status == 200
    assert asked(guard, "GET", "/nowhere").status == 404
    page = asked(guard, "GET", "/metrics")
    assert page.headers["content-type"].startswith("text/plain; version=0.0.4")
    text = page.body.decode()
    assert sample(text, 'memory_layer_requests_total{operation="create_memory",status="201"}') == 1
    assert sample(text, 'memory_layer_requests_total{operation="create_memory",status="422"}') == 1
    assert sample(text, 'memory_layer_requests_total{operation="",status="404"}') == 1
    assert sample(text, 'memory_layer_request_duration_seconds_count{operation="recall"}') == 1
    assert sample(text, 'memory_layer_request_duration_seconds_bucket{operation="recall",le="+Inf"}') == 1
    assert sample(text, "memory_layer_recalls_degraded_total") == 1
    assert sample(text, "memory_layer_memories") == 1
    assert sample(text, "memory_layer_review_backlog") == 0
    assert MARKER not in text


def test_every_sample_has_a_type_and_the_buckets_add_up() -> None:
    counts = RequestCounts()
    for seconds in (0.0005, 0.3, 99.0):
        counts.note(
            AnsweredRequest(request_id="r", method="GET", operation="recall", status=200, seconds=seconds)
        )
    text = counts.text([("memory_layer_memories", "All.", 3), ("unknown", "No.", None)])
    typed = {line.split()[2] for line in text.splitlines() if line.startswith("# TYPE")}
    names = {line.split("{")[0].split(" ")[0] for line in text.splitlines() if not line.startswith("#")}
    assert {
        name.removesuffix("_bucket").removesuffix("_sum").removesuffix("_count") for name in names
    } == typed
    buckets = [int(line.rpartition(" ")[2]) for line in text.splitlines() if "_bucket{" in line]
    assert buckets == sorted(buckets)
    assert (buckets[0], buckets[-2], buckets[-1]) == (1, 2, 3)
    assert "unknown" not in text


def test_with_tokens_it_is_the_owners(backend: EmbeddedBackend, tmp_path: Path) -> None:
    """The safeguards are role and tenant: counts tell of all tenants, and an admin is a stranger to the others."""
    guard = served(backend, tmp_path, with_auth=True)
    assert asked(guard, "GET", "/metrics").status == 401
    callers = [
        ("local", "agent", 403),
        ("local", "reviewer", 403),
        ("acme", "admin", 403),
        ("local", "admin", 200),
    ]
    for tenant, role, status in callers:
        token = minted(tmp_path, backend, role, tenant)
        assert asked(guard, "GET", "/metrics", authorization=f"Bearer {token}").status == status


def minted(folder: Path, backend: EmbeddedBackend, role: str, tenant: str) -> str:
    from datetime import timedelta

    return mint(
        secret_of(folder),
        tenant=tenant,
        principal="ada",
        persona=None,
        roles=[role],
        now=backend.ports.clock.now(),
        lifetime=timedelta(days=1),
    )


def test_no_web_page_of_another_origin_reads_it(backend: EmbeddedBackend, tmp_path: Path) -> None:
    guard = served(backend, tmp_path)
    assert asked(guard, "GET", "/metrics", origin="https://evil.example").status == 403


def test_a_line_a_request_says_nothing_of_its_contents(backend: EmbeddedBackend, tmp_path: Path) -> None:
    stream = io.StringIO()
    guard = served(backend, tmp_path)
    assert guard._metrics is not None
    guard._metrics.counts = RequestCounts(stream)
    asked(guard, "POST", f"/v1/projects/{MARKER}/memories", {"content": MARKER})
    asked(guard, "GET", f"/{MARKER}")
    first, second = map(json.loads, stream.getvalue().splitlines())
    assert (first["operation"], first["status"], first["method"]) == ("create_memory", 201, "POST")
    assert first["request_id"].startswith("req_")
    assert (second["operation"], second["status"]) == (None, 404)
    assert first["ms"] >= 0
    assert MARKER not in stream.getvalue()


def test_an_index_that_is_away_leaves_its_values_out(backend: EmbeddedBackend) -> None:
    from memory_layer.errors import IndexUnavailable
    from memory_layer.local.metrics_page import MetricsPage
    from memory_layer.local.tokens import no_authentication

    class Down:
        def __getattr__(self, name: str) -> Any:
            raise IndexUnavailable("no index")

    ports = replace(backend.ports, index=Down())  # type: ignore[arg-type]
    page = MetricsPage(RequestCounts(), ports, no_authentication)
    assert "memory_layer_memories" not in page.text(None)


def test_contexts_assembled_before_they_are_asked_for_are_counted(
    backend: EmbeddedBackend, tmp_path: Path
) -> None:
    guard = served(backend, tmp_path)
    prefetch = backend.ports.contexts.prefetch
    assert isinstance(prefetch, PrefetchThread)
    prefetch._quiet_s, prefetch._rest_factor = 0.02, 0.0
    patch = {"context_prefetch": True}
    assert asked(guard, "PATCH", "/v1/projects/web/settings", patch).status == 200
    said = {"intent": f"the pool of {MARKER}", "session_id": "s1", "budgets": {"time_ms": 20_000}}
    for number in range(4):
        assert (
            asked(guard, "POST", MEMORIES, {"content": f"The pool {number} closes at {number}."}).status
            == 201
        )
        backend.drain()
        prefetch.drain()
        assert asked(guard, "POST", "/v1/projects/web/context", said).status == 200
    text = asked(guard, "GET", "/metrics").body.decode()
    assert "# TYPE memory_layer_context_prefetch_hits_total counter" in text
    assert sample(text, "memory_layer_context_prefetch_requests_total") == 4
    assert MARKER not in text
    assert sample(text, "memory_layer_context_prefetch_processor_seconds_total") > 0.0
