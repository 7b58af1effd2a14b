"""A server that is told to stop while imports run and wait: it ends soon, and the next one carries all of them out.

Falls where a stop waits until everything queued is done, and where a stopped operation is taken for a failed one.
"""

from __future__ import annotations

import os
import signal
import time
from pathlib import Path

import pytest

from tests.contract.transfer.test_export_import import line, sealed
from tests.e2e.test_serve_process import serving

IMPORTS = int(os.environ.get("STOPPED_IMPORTS", "2"))
RECORDS = int(os.environ.get("STOPPED_RECORDS", "300"))
NDJSON = {"content-type": "application/x-ndjson"}
TIMEOUT_S = 120.0
"""That of a hanging test; the stop itself is measured by hand."""


def _file(project: str) -> str:
    lines = [
        line(id=f"m{number:05}", content=f"Fact {number} of {project}.", project=project)
        for number in range(RECORDS)
    ]
    return "".join(sealed(lines, project))


@pytest.mark.parametrize("how", [signal.SIGTERM, signal.SIGKILL])
def test_what_a_stop_left_is_carried_out_by_the_next_server(
    model_dir: Path, tmp_path: Path, how: signal.Signals
) -> None:
    assert model_dir.is_dir()
    projects = [f"p{number}" for number in range(IMPORTS)]
    with serving(tmp_path) as (process, client):
        places = [
            client.post(f"/v1/projects/{project}/import", content=_file(project), headers=NDJSON).headers[
                "location"
            ]
            for project in projects
        ]
        began = time.monotonic()
        process.send_signal(how)
        status = process.wait(timeout=TIMEOUT_S)
        print(
            f"{how.name}: {IMPORTS} imports of {RECORDS} records queued, ended in {time.monotonic() - began:.1f} s"
        )
        assert status in (128 + how, -how)
    with serving(tmp_path) as (_, client):
        end = time.monotonic() + TIMEOUT_S
        told = [client.get(place).json() for place in places]
        assert {each["status"] for each in told} != {"succeeded"}, (
            "the stop came when all was done: import more"
        )
        while "running" in {each["status"] for each in told}:
            assert time.monotonic() < end
            time.sleep(0.2)
            told = [client.get(place).json() for place in places]
        assert [(each["status"], each["result"]["imported"]) for each in told] == [
            ("succeeded", RECORDS)
        ] * IMPORTS
        for project in projects:
            assert client.get(f"/v1/projects/{project}/stats").json()["total"] == RECORDS
