"""The route of the sweeps: what each last did in numbers, for admins alone."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import httpx2
import pytest

from memory_layer.bootstrap.embedded import EmbeddedBackend
from memory_layer.errors import Forbidden
from memory_layer.manifest.sweeps import DECLARED_SWEEPS
from memory_layer.usecases.sweeps.list_sweeps import list_sweeps
from memory_layer.usecases.sweeps.run_sweep import run_sweep, sweep_named
from tests.answer_schemas import checked
from tests.e2e.conftest import running
from tests.given import REVIEWER


@pytest.fixture
def http(backend: EmbeddedBackend, tmp_path: Path) -> Iterator[httpx2.Client]:
    with (
        running(backend, tmp_path, with_auth=False) as url,
        httpx2.Client(base_url=url, timeout=30.0) as client,
    ):
        yield checked(client)


def test_each_declared_sweep_is_listed_with_the_counts_of_its_last_run(
    http: httpx2.Client, backend: EmbeddedBackend
) -> None:
    run_sweep(backend.ports, sweep_named("expiry"), holder="here", seconds=60.0)
    found = {one["name"]: one for one in http.get("/v1/sweeps").json()["sweeps"]}
    assert found.keys() == DECLARED_SWEEPS.keys()
    assert found["expiry"]["last_report"]["complete"] is True
    assert found["staleness"]["last_report"] is None


def test_no_sentence_of_a_report_is_told(http: httpx2.Client, backend: EmbeddedBackend) -> None:
    """Falls where the whole report is answered: its sentences name ids of other tenants."""
    run_sweep(backend.ports, sweep_named("expiry"), holder="here", seconds=60.0)
    (report,) = [one["last_report"] for one in http.get("/v1/sweeps").json()["sweeps"] if one["last_report"]]
    assert "failed" not in report


def test_the_sweeps_are_an_admin_s_to_see(backend: EmbeddedBackend) -> None:
    with pytest.raises(Forbidden):
        list_sweeps(backend.ports, REVIEWER)
