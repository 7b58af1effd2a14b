"""A reader with a server, a terminal and a coding agent on one data folder, at a moment that stands still."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import httpx2
import pytest

from memory_layer.bootstrap import embedded as bootstrap
from memory_layer.bootstrap.embedded import open_embedded
from memory_layer.mcp.server import AGENT
from memory_layer.mcp.tool_session import ToolSession
from memory_layer.ports.process import Embedder
from memory_layer.settings import read_settings
from tests.answer_schemas import checked
from tests.e2e.conftest import running
from tests.given import StandingClock
from tests.guides.reader import Reader
from tests.named_folder import name_project


@pytest.fixture
def terminal(tmp_path: Path, model_dir: Path, clock: StandingClock, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder whose project is `shop` to work in; what `mem` starts from goes by the clock."""
    folder = tmp_path / "shop"
    name_project(folder, "shop")
    monkeypatch.chdir(folder)
    monkeypatch.setattr(bootstrap, "SystemClock", lambda: clock)
    monkeypatch.setenv("MEMORY_LAYER_DATA", str(tmp_path / "data"))
    monkeypatch.setenv("MEMORY_LAYER_MODEL_DIR", str(model_dir.parent))
    monkeypatch.setenv("COLUMNS", "100")
    monkeypatch.delenv("MEMORY_LAYER_PROJECT", raising=False)
    return folder


@pytest.fixture
def reader(terminal: Path, tmp_path: Path, embedder: Embedder, clock: StandingClock) -> Iterator[Reader]:
    settings = read_settings({}, data_dir=tmp_path / "data", model_dir=tmp_path / "no-model")
    with (
        closing(open_embedded(settings, embedder=embedder, clock=clock)) as backend,
        running(backend, settings.data_dir, with_auth=False) as url,
        httpx2.Client(base_url=url, timeout=30.0) as http,
    ):
        desk = ToolSession(backend.ports, AGENT, "shop", session_id="ses_1")
        yield Reader(checked(http), desk, clock, terminal)
