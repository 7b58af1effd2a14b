"""A browser over a real server: skipped where there is no Chromium, no Playwright or no bundle."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx2
import pytest

from memory_layer.console.bundle import BUNDLE
from tests.console.browsing import Browsing
from tests.console.seeds import PROJECT, seed
from tests.e2e.test_serve_process import PROGRAM, serving

PATIENCE_MS = 20_000
"""Time that a page has to show what a test expects: on a busy machine it takes seconds; a pass never waits it out."""
CHROMIUM = os.environ.get("CHROMIUM") or shutil.which("chromium") or "/usr/bin/chromium"
ENDED = {
    "type": "urn:memory-layer:problem:unauthenticated",
    "title": "Not authenticated",
    "status": 401,
    "detail": "the session has ended",
    "errors": [],
}
API = re.compile("/v1/")


def reason_to_skip() -> str | None:
    if not (BUNDLE / "index.html").is_file():
        return "the console is not built; make console builds it"
    if not Path(CHROMIUM).is_file():
        return "Chromium is not here; apt-get install chromium"
    return None


@pytest.fixture(scope="module")
def chromium() -> Iterator[Any]:
    """Browser of a module's tests: Playwright holds the thread's event loop, which tests of others want to run."""
    if (reason := reason_to_skip()) is not None:
        pytest.skip(reason)
    sync_api = pytest.importorskip("playwright.sync_api")
    sync_api.expect.set_options(timeout=PATIENCE_MS)
    with sync_api.sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield browser
        browser.close()


@pytest.fixture(scope="session")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("console") / "data"


@contextmanager
def serving_seeds(data: Path) -> Iterator[httpx2.Client]:
    """Client of a server with what `seeds` holds."""
    if (reason := reason_to_skip()) is not None:
        pytest.skip(reason)
    with serving(data) as (_, client):
        seed(client, PROJECT)
        yield client


@pytest.fixture(scope="session")
def server(data: Path) -> Iterator[httpx2.Client]:
    """Server of most tests, which see what others of them wrote."""
    with serving_seeds(data) as client:
        yield client


@pytest.fixture
def link(server: httpx2.Client, data: Path) -> str:
    """Fresh link of `mem console`."""
    del server
    command = [sys.executable, "-c", PROGRAM, "console", "--data", str(data)]
    told = subprocess.run(command, capture_output=True, text=True, check=True, timeout=120).stdout
    return told.strip()


@pytest.fixture
def browsing(chromium: Any, server: httpx2.Client, request: pytest.FixtureRequest) -> Iterator[Browsing]:
    """Page of a fresh browser, on which nothing is blocked, thrown or logged as an error."""
    theme = getattr(request, "param", "light")
    context = chromium.new_context(
        color_scheme=theme, locale="en-GB", viewport={"width": 1280, "height": 860}
    )
    found = Browsing(context.new_page(), str(server.base_url).rstrip("/"))
    yield found
    complaints = list(found.complaints)  # what is still on its way is cut off by the end, and no fault
    context.close()
    assert complaints == []


@pytest.fixture
def end_session(browsing: Browsing) -> Callable[[], None]:
    """Lets the API refuse every call until somebody signs in anew."""
    browsing.may_be_refused = True

    def end() -> None:
        tokens: list[str] = []

        def answered(route: Any) -> None:
            token = route.request.headers.get("authorization", "")
            tokens.append(token)
            if token == tokens[0]:
                route.fulfill(status=401, content_type="application/problem+json", body=json.dumps(ENDED))
            else:
                route.continue_()

        browsing.page.route(API, answered)

    return end
