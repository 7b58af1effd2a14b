"""What is wrong with one line of an accepted batch (202) is that line's own trouble."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import httpx2
import pytest

from memory_layer.edge.operations import batch_jobs

MEMORIES = "/v1/projects/shop/memories"
SECRET = "password=Zx9#k4"
KEY = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
GROWS = {
    "content": f"{'x ' * 16_376}{SECRET}",
    "context": f"{'x ' * 4_088}{SECRET}",
    "detail": {"log": f"{'x ' * 8_175}{SECRET}"},
    "summary": f"{'x ' * 504}{SECRET}",
    "tags": [f"{'a' * 240} {SECRET}"],
    "entities": [f"urn:{'a' * 236} {SECRET}"],
    "relations": [{"type": "about", "target": f"{'a' * 240} {SECRET}"}],
}
"""By field: no longer than its bound before the mark stands in the place of the secret, and longer after."""


def done(http: httpx2.Client, lines: list[dict[str, Any]]) -> dict[str, Any]:
    accepted = http.post(f"{MEMORIES}:batch", json=lines, headers={"prefer": "respond-async"})
    while (operation := http.get(accepted.headers["location"]).json())["status"] == "running":
        time.sleep(0.01)
    return dict(operation)


def line(field: str) -> dict[str, Any]:
    return {"content": "Herons nest in April.", field: GROWS[field]}


@pytest.mark.parametrize("field", GROWS)
def test_a_text_that_its_marks_make_too_long_is_refused(http: httpx2.Client, field: str) -> None:
    """Falls without `_refuse_too_long_redacted` in usecases/ground/admission.py."""
    refused = http.post(MEMORIES, json=line(field))
    assert refused.status_code == 422, refused.text
    assert refused.json()["errors"][0]["pointer"].startswith(f"/{field}")
    assert "REDACTED" in refused.json()["errors"][0]["detail"]
    assert http.get(MEMORIES).json()["memories"] == []


def test_the_lines_around_a_refused_one_are_stored(http: httpx2.Client) -> None:
    operation = done(http, [{"content": "First of all."}, line("summary"), {"content": "And in the end."}])
    assert operation["status"] == "succeeded"
    assert [told["status"] for told in operation["result"]["results"]] == [201, 422, 201]


def test_a_line_that_cannot_be_read_back_fails_alone(
    http: httpx2.Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Falls where `_line` lets the error of a line out: a rule may be tightened while a batch waits."""
    kept = batch_jobs._kept

    def spoil(*asked: Any) -> dict[str, Any]:
        found = kept(*asked)
        return {**found, "fields": {"content": 7}} if "spoilt" in str(found) else found

    monkeypatch.setattr(batch_jobs, "_kept", spoil)
    operation = done(http, [{"content": "First of all."}, {"content": "spoilt"}, {"content": "In the end."}])
    assert operation["status"] == "succeeded"
    assert [told["status"] for told in operation["result"]["results"]] == [201, 422, 201]


def test_the_problem_of_a_line_keeps_no_secret(http: httpx2.Client, tmp_path: Path) -> None:
    """Falls without `_storable_problem` in batch_jobs.py and that of pointers in edge/shapes/problems.py."""
    operation = done(
        http, [{"content": "x", KEY: 1}, {"content": "x", "tags": [f"{{{KEY}"]}, {"content": "x", "id": KEY}]
    )
    told = operation["result"]["results"]
    assert [line["status"] for line in told] == [422, 422, 422]
    assert told[0]["problem"]["errors"][0]["pointer"] == "/[REDACTED:github_token]"
    files = [file for file in (tmp_path / "data").rglob("*") if file.is_file()]
    assert files
    assert not [file for file in files if KEY.encode() in file.read_bytes()]


def test_the_problem_of_a_line_quotes_no_other_memory(http: httpx2.Client) -> None:
    """Falls without `_storable_problem`: what a memory said would outlast its erasure in the report of a batch."""
    first = "The nightly backup of orders starts at 02:00."
    assert http.post(MEMORIES, json={"content": first}).status_code == 201
    operation = done(http, [{"content": "The nightly backup of orders starts at 03:30."}])
    (told,) = operation["result"]["results"]
    assert told["status"] == 409
    assert "says otherwise" in told["problem"]["detail"]
    assert "02:00" not in str(told)
