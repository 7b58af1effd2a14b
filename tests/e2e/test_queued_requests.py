"""A time budget is what the caller waits: what a request stands in line for counts."""

from __future__ import annotations

from typing import Any

import anyio
import anyio.to_thread
import pytest

from tests.e2e.conftest import Serve

IN_LINE_S = 0.6


def test_time_spent_in_line_is_time_of_the_budget(serve: Serve, monkeypatch: pytest.MonkeyPatch) -> None:
    """Safeguard: `ARRIVED`, which the guard sets and the route hands on."""
    http = serve()
    assert http.post("/v1/projects/web/memories", json={"content": "The queue waits."}).status_code == 201
    free_at_once = anyio.to_thread.run_sync

    async def in_line(*work: Any) -> Any:
        await anyio.sleep(IN_LINE_S)
        return await free_at_once(*work)

    monkeypatch.setattr(anyio.to_thread, "run_sync", in_line)
    late, patient = (
        http.post(
            "/v1/projects/web/context",
            json={"intent": "the queue", "budgets": {"time_ms": time_ms}, "source_scope": ["project"]},
        ).json()
        for time_ms in (500, 20_000)
    )
    assert (late["fragments"], [warned["code"] for warned in late["warnings"]]) == ([], ["SOURCE_TIMEOUT"])
    assert len(patient["fragments"]) == 1
