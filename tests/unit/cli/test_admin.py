"""`mem admin`: what an operator is told of a rebuild, and of what is missing for one."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest
from typer.testing import CliRunner, Result

from memory_layer.adapters.aws.integrity.rebuild_report import RebuildReport
from memory_layer.bootstrap import aws
from memory_layer.cli.app import app
from memory_layer.cli.commands.admin import NEEDED, OF_A_DOMAIN
from memory_layer.manifest import env
from memory_layer.settings import AwsSettings
from tests.given import REPOSITORY

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
    monkeypatch.setenv(env.SEGMENTS_BUCKET, "segments")
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


@pytest.mark.parametrize(
    "command", [["doctor"], ["migrate", "domain"], ["reindex"]], ids=lambda words: words[0]
)
def test_a_command_names_all_that_it_needs_and_no_option_that_it_lacks(
    monkeypatch: pytest.MonkeyPatch, command: list[str]
) -> None:
    """Falls where somebody is sent to an option that is then refused, or learns of the variables one by one."""
    for name in (*NEEDED, *OF_A_DOMAIN, env.SEGMENTS_BUCKET):
        monkeypatch.delenv(name, raising=False)
    refused = CliRunner().invoke(app, ["admin", *command])
    assert refused.exit_code == 1
    for name in (*NEEDED, *OF_A_DOMAIN, env.SEGMENTS_BUCKET, "get-function-configuration"):
        assert name in refused.stderr
    takes_it = CliRunner().invoke(app, ["admin", *command, "--stack", "s", "--help"]).exit_code == 0
    assert ("--stack" in refused.stderr) == takes_it


@pytest.mark.usefixtures("deployment")
def test_a_move_asks_for_both_indexes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(env.SEGMENTS_BUCKET, raising=False)
    refused = CliRunner().invoke(app, ["admin", "migrate", "domain"])
    assert (refused.exit_code, env.SEGMENTS_BUCKET in refused.stderr) == (1, True)
    assert env.SEARCH_SHARDS not in refused.stderr


def test_the_guide_names_what_a_move_needs() -> None:
    guide = (REPOSITORY / "docs/guides/deployer.md").read_text("utf-8")
    for name in (*NEEDED, *OF_A_DOMAIN, env.SEGMENTS_BUCKET):
        assert f"`{name.removeprefix('MEMORY_LAYER_')}`" in guide
