"""`mem admin`: what an operator is told of a rebuild, and of what is missing for one."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest
from typer.testing import CliRunner, Result

from memory_layer.adapters.aws.integrity.rebuild_report import RebuildReport
from memory_layer.bootstrap import aws
from memory_layer.cli.app import app
from memory_layer.manifest import env
from memory_layer.settings import AwsSettings

HALF = RebuildReport(
    index="memories-2",
    is_done=False,
    copied=700,
    compared=0,
    repaired=0,
    records=700,
    projects=2,
    refused={},
    dropped=(),
)
WHOLE = RebuildReport(
    index="memories-2",
    is_done=True,
    copied=300,
    compared=4,
    repaired=1,
    records=1_000,
    projects=2,
    refused={"acme#web#m": "400 mapper_parsing_exception"},
    dropped=("memories-1",),
)


class FakeCloud:
    """A deployment whose rebuild needs two runs."""

    def __init__(self, settings: AwsSettings) -> None:
        self.table = settings.records_table
        self._reports: Iterator[RebuildReport] = iter([HALF, WHOLE])

    def rebuild(self) -> RebuildReport:
        return next(self._reports)

    def fill(self, index: str) -> RebuildReport:
        assert index == "domain"
        return next(self._reports)

    def index_findings(self) -> list[str]:
        return ["project web has 120,000 memories"]


@pytest.fixture
def deployment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(env.RECORDS_TABLE, "records")
    monkeypatch.setenv(env.SEARCH_ENDPOINT, "https://search.example")
    monkeypatch.setenv(env.SEARCH_ENGINE, "lucene")
    monkeypatch.setenv(env.SEARCH_SHARDS, "3")
    monkeypatch.setenv(env.SEARCH_REPLICAS, "2")
    monkeypatch.setenv(env.BLOBS_BUCKET, "blobs")
    monkeypatch.setattr(aws, "AwsBackend", FakeCloud)


def reindex(*options: str) -> Result:
    return CliRunner().invoke(app, ["admin", "reindex", *options])


@pytest.mark.usefixtures("deployment")
def test_a_rebuild_is_run_until_it_is_whole() -> None:
    done = reindex()
    assert (done.exit_code, done.stdout) == (0, f"{WHOLE}\n")
    assert "run the rebuild again" in done.stderr


@pytest.mark.usefixtures("deployment")
def test_programs_read_the_last_report() -> None:
    told = json.loads(reindex("--json").stdout)
    assert (told["is_done"], told["records"], told["dropped"]) == (True, 1_000, ["memories-1"])


@pytest.mark.usefixtures("deployment")
@pytest.mark.parametrize(
    "missing", [env.SEARCH_ENGINE, env.SEARCH_SHARDS, env.SEARCH_REPLICAS, env.BLOBS_BUCKET]
)
def test_nothing_is_rebuilt_by_defaults(monkeypatch: pytest.MonkeyPatch, missing: str) -> None:
    """A deployment's index would have other shards, copies or another engine, or none of its warm words."""
    monkeypatch.delenv(missing)
    refused = reindex()
    assert refused.exit_code != 0
    assert missing in refused.stderr
    assert "--stack" in refused.stderr


def test_without_a_deployment_it_says_what_to_set(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(env.RECORDS_TABLE, raising=False)
    refused = reindex()
    assert refused.exit_code != 0
    assert env.RECORDS_TABLE in refused.stderr


@pytest.mark.usefixtures("deployment")
def test_a_move_goes_on_until_the_other_index_is_whole_and_says_what_is_next() -> None:
    done = CliRunner().invoke(app, ["admin", "migrate", "domain"])
    assert done.exit_code == 0
    assert "memories-2 has 1000 records of 2 projects" in done.stdout
    assert "-c index=domain,segments" in done.stdout
    assert "run the rebuild again" in done.stderr


@pytest.mark.usefixtures("deployment")
def test_a_move_to_no_index_is_refused_with_those_that_there_are() -> None:
    refused = CliRunner().invoke(app, ["admin", "migrate", "files"])
    assert refused.exit_code != 0
    assert "segments, domain" in refused.stderr


@pytest.mark.usefixtures("deployment")
def test_an_operator_is_told_what_to_do_about_the_index() -> None:
    told = CliRunner().invoke(app, ["admin", "doctor"])
    assert (told.exit_code, told.stdout) == (0, "project web has 120,000 memories\n")
