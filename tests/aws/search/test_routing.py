"""Documents lie by their projects: a search asks one shard of many; an index of before is searched everywhere."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from memory_layer.adapters.aws.integrity.rebuild import first_index
from memory_layer.adapters.aws.search import search_requests
from memory_layer.adapters.aws.search.documents import document_of, routing_of
from memory_layer.adapters.aws.search.opensearch_client import slow_request_params
from memory_layer.domain.memory import Scope
from tests.aws.search_domain import Domain, FaultyClient, ask, lexical, open_domain
from tests.given import a_memory
from tests.index_examples import MODEL

pytestmark = pytest.mark.engines

SHARDS = 6
PROJECTS = [Scope("acme", f"p{number}") for number in range(12)]


@pytest.fixture(params=[1, 2], ids=["one shard a project", "two"])
def spread(request: pytest.FixtureRequest) -> int:
    return int(request.param)


@pytest.fixture
def domain(opensearch_endpoint: str, spread: int) -> Iterator[Domain]:
    with open_domain(opensearch_endpoint, shards=SHARDS, spread=spread) as opened:
        fill(opened)
        yield opened


def fill(domain: Domain) -> None:
    said = [
        document_of(a_memory(scope, f"m{number}", content="wal"), None)
        for scope in PROJECTS
        for number in range(4)
    ]
    assert not domain.write(said).failed


class Shards:
    """Notes the shards that each search was answered by."""

    def __init__(self, domain: Domain) -> None:
        self.asked: list[int] = []
        self.client = FaultyClient(domain.client, self._noted)

    def _noted(self, name: str, call: Any, *args: Any, **given: Any) -> Any:
        if name == "msearch":
            given["params"] = {key: value for key, value in given["params"].items() if key != "filter_path"}
        answer = call(*args, **given)
        answers = answer["responses"] if name == "msearch" else [answer]
        self.asked += [one["_shards"]["total"] for one in answers]
        return answer


def test_a_search_asks_the_shards_of_its_projects_alone(domain: Domain, spread: int) -> None:
    """Falls without `routing`: each recall asks every shard, and waits for the slowest."""
    shards = Shards(domain)
    index = domain.new_index(client=shards.client)  # type: ignore[arg-type]
    for scope in PROJECTS:
        assert sorted(lexical(index, "wal", scopes=(scope,))) == ["m0", "m1", "m2", "m3"]
    first, *asked = shards.asked
    assert first == SHARDS, "once a process looks if documents lie by project"
    assert set(asked) == {spread}
    shards.asked.clear()
    assert len(ask(index, "wal", scopes=tuple(PROJECTS[:2])).arms.content_lexical) == 8
    assert max(shards.asked) <= 2 * spread


def test_documents_of_a_project_lie_together_and_projects_apart(domain: Domain, spread: int) -> None:
    places = [tuple(sorted(int(one["shard"]) for one in shards_of(domain, scope))) for scope in PROJECTS]
    assert {len(place) for place in places} == {spread}
    assert len(set(places)) > 2


def shards_of(domain: Domain, scope: Scope) -> list[dict[str, Any]]:
    found = domain.client.search_shards(index=domain.names.read_alias, routing=routing_of(scope))
    return [copies[0] for copies in found["shards"]]


def test_an_index_of_before_is_searched_everywhere_until_it_is_rebuilt(
    opensearch_endpoint: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Falls if every index is taken for one by project: hits that lie by their ids would be missed."""
    with open_domain(opensearch_endpoint, shards=SHARDS, is_of_before=True) as domain:
        fill(domain)
        shards = Shards(domain)
        index = domain.new_index(client=shards.client)  # type: ignore[arg-type]
        assert not domain.names.targets()[0].is_routed
        assert sorted(lexical(index, "wal", scopes=PROJECTS[:1])) == ["m0", "m1", "m2", "m3"]
        assert set(shards.asked) == {SHARDS}

        domain.body["mappings"]["_routing"] = {"required": True}
        new = domain.names.name(domain.body, 2)
        domain.names.create(new, domain.body, is_read=False)
        fill(domain)  # into both
        domain.names.move(read=new, dropped={domain.index_name})
        domain.client.indices.refresh(index=new, params=slow_request_params())
        assert sorted(lexical(index, "wal", scopes=PROJECTS[:1])) == ["m0", "m1", "m2", "m3"]
        monkeypatch.setattr(index._requests, "_known_until", 0.0)
        shards.asked.clear()
        assert sorted(lexical(index, "wal", scopes=PROJECTS[:1])) == ["m0", "m1", "m2", "m3"]
        assert set(shards.asked[1:]) == {1}


def test_an_empty_index_is_looked_at_again(opensearch_endpoint: str) -> None:
    clock = [0.0]
    with open_domain(opensearch_endpoint, shards=SHARDS) as domain:
        shards = Shards(domain)
        index = domain.new_index(client=shards.client)  # type: ignore[arg-type]
        index._requests._timer = lambda: clock[0]
        assert lexical(index, "wal", scopes=PROJECTS[:1]) == []
        fill(domain)
        clock[0] += search_requests.UNROUTED_FOR_S
        shards.asked.clear()
        assert len(lexical(index, "wal", scopes=PROJECTS[:1])) == 4
        assert shards.asked[1:] == [1] * len(shards.asked[1:])


def test_a_model_of_its_own_has_a_new_index_by_project(opensearch_endpoint: str) -> None:
    with open_domain(opensearch_endpoint) as domain:
        assert first_index(domain.names, domain.body) == domain.index_name
        (target,) = domain.names.targets()
        assert (target.is_routed, target.model) == (True, MODEL)
