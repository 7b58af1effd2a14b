"""A project in which much waits, filled for each file of tests, and the page of its inbox."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx2
import pytest

from tests.console.browsing import Browsing
from tests.console.inbox.reviewing import Reviewing
from tests.console.inbox.waiting_items import PROJECT, fill
from tests.e2e.test_serve_process import PROGRAM, serving

OF_EACH_KIND = 9


@pytest.fixture(scope="module")
def data(chromium: Any, tmp_path_factory: pytest.TempPathFactory, request: pytest.FixtureRequest) -> Path:
    """Filled folder. A module that needs another number of items sets its own `OF_EACH_KIND`."""
    del chromium  # nothing is filled where there is no browser
    folder = tmp_path_factory.mktemp("inbox") / "data"
    fill(folder, getattr(request.module, "OF_EACH_KIND", OF_EACH_KIND))
    return folder


@pytest.fixture(scope="module")
def server(data: Path) -> Iterator[httpx2.Client]:
    with serving(data) as (_, client):
        yield client


@pytest.fixture
def inbox(browsing: Browsing, data: Path, server: httpx2.Client) -> Reviewing:
    """The page of the inbox, with all that waits in sight."""
    command = [sys.executable, "-c", PROGRAM, "console", "--data", str(data)]
    told = subprocess.run(command, capture_output=True, text=True, check=True, timeout=120).stdout
    browsing.open(told.strip())
    browsing.go(f"{PROJECT}/inbox")
    found = Reviewing(browsing, server)
    found.expect(found.lines.first).to_be_visible()
    found.expect(browsing.page).to_have_url(re.compile("at="))
    return found
