"""A name with a secret in it is refused before anything is stored under it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import httpx2
import pytest

KEY = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
FACT = {"content": "Herons nest in April."}
REQUESTS: list[tuple[str, str, Any, str]] = [
    ("PUT", f"/v1/projects/{KEY}/settings", {}, "/project"),
    ("POST", f"/v1/projects/{KEY}/memories", FACT, "/project"),
    ("POST", f"/v1/projects/{KEY}/memories:batch", [FACT], "/project"),
    ("POST", f"/v1/projects/{KEY}/sessions/s1/turns", [FACT], "/project"),
    ("POST", f"/v1/projects/{KEY}/recall", {"query": "herons"}, "/project"),
    ("PUT", f"/v1/projects/{KEY}/memories/m1", FACT, "/project"),
]


@pytest.mark.parametrize(("method", "path", "body", "pointer"), REQUESTS)
def test_no_name_in_a_path_takes_a_secret_to_the_disk(
    http: httpx2.Client, tmp_path: Path, method: str, path: str, body: Any, pointer: str
) -> None:
    """Falls without `refuse_secret_project` in edge/http/caller.py."""
    refused = http.request(method, path, json=body)
    assert refused.status_code == 422, refused.text
    assert [error["pointer"] for error in refused.json()["errors"]] == [pointer]
    files = [file for file in (tmp_path / "data").rglob("*") if file.is_file()]
    assert files
    assert not [file for file in files if KEY.encode() in file.read_bytes()]


def test_no_position_is_kept_under_the_name_of_a_secret(http: httpx2.Client, tmp_path: Path) -> None:
    """Falls where `add_turns` takes positions before it looks at the name of the session."""
    answer = http.post(f"/v1/projects/web/sessions/{KEY}/turns", json=[FACT])
    (told,) = answer.json()["results"]
    assert (told["status"], told["problem"]["errors"][0]["pointer"]) == (422, "/session_id")
    files = [file for file in (tmp_path / "data").rglob("*") if file.is_file()]
    assert not [file for file in files if KEY.encode() in file.read_bytes()]


def test_a_project_that_keeps_secrets_names_its_sessions_freely(http: httpx2.Client) -> None:
    assert http.put("/v1/projects/web/settings", json={"privacy_mode": "off"}).is_success
    told = http.post(f"/v1/projects/web/sessions/{KEY}/turns", json=[FACT]).json()["results"]
    assert [line["status"] for line in told] == [201]


def test_the_pointer_of_an_unknown_field_repeats_no_secret(http: httpx2.Client) -> None:
    """Falls without the redaction of pointers in edge/shapes/problems.py."""
    refused = http.post("/v1/projects/web/memories", json={**FACT, KEY: 1})
    assert KEY not in refused.text
    assert refused.json()["errors"][0]["pointer"] == "/[REDACTED:github_token]"
