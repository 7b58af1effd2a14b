"""A deployment without a search domain: its moves to a domain and back, its comparison with the records, its bucket."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from memory_layer.domain.access import Viewer
from memory_layer.domain.filters import Filters
from memory_layer.domain.list_order import ListOrder
from memory_layer.domain.memory import Scope
from memory_layer.errors import IndexUnavailable
from memory_layer.ports.commit import Change, Commit, Erasure
from memory_layer.ports.index import IndexQuery, ListQuery
from memory_layer.ports.process import Embedder
from tests.aws.conftest import endpoint_of
from tests.aws.deployment import Deployment, deployed_small
from tests.engines.dynamodb import DYNAMODB
from tests.engines.opensearch import OPENSEARCH_NODE
from tests.given import START, StandingClock, a_memory, new_scope, some_vectors

pytestmark = pytest.mark.engines


@pytest.fixture
def small(tmp_path: Path, embedder: Embedder) -> Iterator[Deployment]:
    with deployed_small(endpoint_of(DYNAMODB), tmp_path, embedder) as deployment:
        yield deployment


class Project:
    """Writes of one project, and what is there."""

    def __init__(self, deployment: Deployment, scope: Scope) -> None:
        self.deployment, self.scope = deployment, scope
        self.versions: dict[str, int] = {}

    def write(self, *ids: str) -> None:
        store = self.deployment.cloud.ports.store
        for id in ids:
            version = self.versions.get(id, 0)
            record = a_memory(self.scope, id, content=f"the lion {id} sleeps", version=version + 1)
            change = Change(record, version, "created", "ada", START, vectors=some_vectors(1))
            store.writer.commit(Commit(scope=self.scope, changes=(change,)))
            self.versions[id] = version + 1

    def erase(self, id: str) -> None:
        erasure = Erasure(id, self.versions.pop(id))
        store = self.deployment.cloud.ports.store
        store.writer.commit(Commit(scope=self.scope, erasures=(erasure,)))

    def found(self) -> set[str]:
        """Ids that a search finds, those that the log has beside the index included."""
        ports = self.deployment.cloud.ports
        unseen = {ref.id for ref in ports.store.memories.written_after(self.scope, 0)}
        query = IndexQuery(
            scopes=(self.scope,),
            text="lion",
            vector=None,
            filters=Filters(),
            viewer=Viewer(),
            now=START,
            k=500,
        )
        return unseen | {ref.id for ref in ports.index.search(query).candidates.ranked("content_lexical")}

    def indexed(self) -> set[str]:
        """Ids that the index lists."""
        query = ListQuery(self.scope, Filters(status=()), Viewer(), START)
        listed = self.deployment.cloud.ports.index.ordered(query, ListOrder(), after=None, k=500)
        return {place.id for place in listed}


def test_a_deployment_moves_to_a_domain_and_back_while_writes_go_on(small: Deployment) -> None:
    """Falls if only the searched index is written to: what comes meanwhile would be in neither log nor index."""
    project = Project(small, new_scope())
    project.write(*(f"m{number:03d}" for number in range(40)))
    small.project()
    assert project.found() == project.indexed() == set(project.versions)
    small.resettle(search_endpoint=endpoint_of(OPENSEARCH_NODE), searched_index="segments")
    _move(small, project, "domain", "w")
    assert type(small.cloud.ports.index).__name__ == "OpenSearchIndex"
    _move(small, project, "segments", "v")
    assert type(small.cloud.ports.index).__name__ == "SegmentIndex"


def _move(small: Deployment, project: Project, to: Any, prefix: str) -> None:
    """Fills the other index while somebody writes and the stream goes on, then searches it."""
    project.erase(min(project.versions))
    is_over, seen = threading.Event(), list[bool]()

    def write() -> None:
        for number in range(12):
            project.write(f"{prefix}{number}", "m020")
            if number % 3 == 0:
                small.project()
            seen.append(project.found() >= set(project.versions))
        is_over.set()

    writer = threading.Thread(target=write)
    writer.start()
    report = small.cloud.fill(to)
    while not report.is_done:
        report = small.cloud.fill(to)
    writer.join()
    assert is_over.is_set()
    assert all(seen)
    small.resettle(searched_index=to)
    assert project.found() == set(project.versions)
    small.project()
    assert project.found() == project.indexed() == set(project.versions)


def test_a_move_needs_both_indexes(small: Deployment) -> None:
    with pytest.raises(IndexUnavailable, match="index=segments,domain"):
        small.cloud.fill("domain")


def test_a_lost_and_a_damaged_index_are_brought_back_by_the_comparison(
    small: Deployment, clock: StandingClock
) -> None:
    """Falls without `_built_anew`: the project would stay unsearchable until somebody comes."""
    del clock
    project = Project(small, new_scope())
    project.write("m1", "m2")
    small.project()
    client, bucket = small.cloud._segment_parts().store._client, small.settings.segments_bucket
    for damage in (_cut, _delete):
        for item in client.list_objects_v2(Bucket=bucket, Prefix="segments/")["Contents"]:
            damage(client, bucket, item["Key"])
        report = small.cloud.ports.index.reconcile(project.scope, after=None, is_dry_run=True)
        assert report.missing == 2
        assert small.cloud.ports.index.reconcile(project.scope, after=None, is_dry_run=False).missing == 2
        assert project.indexed() == {"m1", "m2"}
        assert small.cloud.ports.index.reconcile(project.scope, after=None, is_dry_run=False).counts == {}


def _cut(client: Any, bucket: str, key: str) -> None:
    body = client.get_object(Bucket=bucket, Key=key)["Body"].read()
    client.put_object(Bucket=bucket, Key=key, Body=body[:-1])


def _delete(client: Any, bucket: str, key: str) -> None:
    client.delete_object(Bucket=bucket, Key=key)


def test_a_rebuild_goes_on_where_the_last_one_ended(small: Deployment) -> None:
    projects = [Project(small, new_scope()) for _ in range(3)]
    for project in projects:
        project.write("m1")
    small.project()
    reports = [small.cloud.rebuild(seconds=0) for _ in range(3)]
    assert [report.is_done for report in reports] == [False, False, True]
    assert sum(report.projects for report in reports) == 3
    assert all(project.indexed() == {"m1"} for project in projects)


def test_an_operator_is_told_of_projects_that_are_too_large(
    small: Deployment, monkeypatch: pytest.MonkeyPatch
) -> None:
    project = Project(small, new_scope())
    project.write("m1", "m2")
    small.project()
    assert small.cloud.index_findings() == []
    monkeypatch.setattr("memory_layer.adapters.aws.integrity.segment_findings.RECORDS_MAX", 1)
    (finding,) = small.cloud.index_findings()
    assert project.scope.project in finding
    assert "mem admin migrate domain" in finding
