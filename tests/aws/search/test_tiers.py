"""What is warm is found by all its words; what is cold is in the index for filters and counts alone."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any, get_args

import pytest

from memory_layer.adapters.aws.search.documents import document_of
from memory_layer.bootstrap.aws import AwsBackend
from memory_layer.domain.access import Viewer
from memory_layer.domain.filters import Filters
from memory_layer.domain.memory import Memory, Ref, Tier
from memory_layer.manifest import index as mapping
from memory_layer.ports.commit import Change, Commit, Erasure, Vectors
from memory_layer.ports.process import Embedder, Ports
from tests.aws.deployment import Deployment, deployed
from tests.aws.search_domain import Domain, ask, lexical, open_domain
from tests.index_examples import NOW, SCOPE, memory, unit_vectors

pytestmark = pytest.mark.engines

EVERYONE = Viewer(sees_all_personas=True)
ALL = Filters(status=())
VECTORS = unit_vectors(2)
DAY = timedelta(days=1)
TIERS: tuple[Tier, ...] = get_args(Tier)
OPENING = "zanzibar opens this long text. "
WORDS = OPENING + "what follows fills it up. " * 60 + "kilimanjaro ends it."


@pytest.fixture
def domain(opensearch_endpoint: str) -> Iterator[Domain]:
    with open_domain(opensearch_endpoint) as opened:
        yield opened


@pytest.fixture
def in_tiers(domain: Domain) -> Domain:
    """A record in each tier, all of the same words, vector and tag."""
    for tier in TIERS:
        domain.put(memory(tier, "wal mode", tier=tier, tags=(f"in-{tier}",)), Vectors(VECTORS[0], VECTORS[1]))
    return domain


@pytest.mark.parametrize("filters", [Filters(), ALL, Filters(tags=("in-cold",)), Filters(status=("active",))])
def test_no_question_finds_what_is_cold(in_tiers: Domain, filters: Filters) -> None:
    """The safeguard is `RECALLABLE`; the documents have nothing to be found by either, as the next test says."""
    expected = {"warm", "hot"} if not filters.tags else set()
    arms = ask(in_tiers.index, "wal", vector=VECTORS[0], filters=filters).arms
    for found in (arms.content_lexical, arms.content_semantic, arms.context_semantic):
        assert {ref.id for ref in found} == expected
    standing = in_tiers.index.standing((SCOPE,), filters, EVERYONE, now=NOW, k=9).refs()
    assert {ref.id for ref in standing} == expected


def test_a_cold_document_has_neither_words_nor_vectors(in_tiers: Domain) -> None:
    for field in (mapping.CONTENT_TEXT, mapping.CONTENT_VECTOR, mapping.CONTEXT_VECTOR):
        answer = in_tiers.client.search(
            index=in_tiers.names.read_alias,
            body={"query": {"exists": {"field": field}}, "docvalue_fields": ["id"], "_source": False},
        )
        assert {hit["fields"]["id"][0] for hit in answer["hits"]["hits"]} == {"hot", "warm"}


def test_its_tags_are_offered_to_nobody(in_tiers: Domain) -> None:
    assert in_tiers.index.tags((SCOPE,)) == ["in-hot", "in-warm"]


def test_what_a_term_weighs_is_not_of_what_is_cold(domain: Domain) -> None:
    """A project whose past is cold ranks as if it had none."""
    for number in range(3):
        domain.put(memory(f"m{number}", "wal mode" if number else "wal journal"), Vectors(VECTORS[0]))
    before = ask(domain.index, "wal journal").arms.content_lexical
    for number in range(20):
        domain.put(memory(f"c{number}", "journal", tier="cold"), Vectors(VECTORS[0]))
    assert ask(domain.index, "wal journal").arms.content_lexical == before


def test_statistics_count_every_tier_with_the_bytes_of_its_words(domain: Domain) -> None:
    assert domain.index.stats(SCOPE, EVERYONE, now=NOW).tiers == dict.fromkeys(TIERS, (0, 0))
    stub = memory("b", "the beginning", tier="cold")
    documents = [
        document_of(memory("a", "Grüße", tier="warm", context="yes"), None),
        document_of(stub, None, body_bytes=5_000),
    ]
    assert not domain.write(documents).failed
    found = domain.index.stats(SCOPE, EVERYONE, now=NOW)
    assert found.tiers == {"hot": (0, 0), "warm": (1, 7 + 2 + 3), "cold": (1, 5_000 + 2), "frozen": (0, 0)}
    assert found.bytes == 5_014
    assert found.body_bytes == {"hot": 0, "warm": 0, "cold": 5_000, "frozen": 0}
    assert found.by["tier"] == {"cold": 1, "warm": 1}


def settled(domain: Domain, since: datetime | None, until: datetime, tier: Tier = "hot") -> list[str]:
    """Page by page."""
    found: list[str] = []
    while True:
        after = found[-1] if found else None
        page = domain.index.settled(SCOPE, tier, since=since, until=until, after=after, k=2)
        found += page
        if not page:
            return found


def test_what_has_settled_is_named_in_order(domain: Domain) -> None:
    """Of the tier that is asked for; not what is pinned, nor what was written later, nor of another project."""
    for number in range(5):
        domain.put(memory(f"m{number}", updated_at=NOW - number * DAY))
    domain.put(memory("pinned", updated_at=NOW - 2 * DAY, pinned=True))
    domain.put(memory("warm", updated_at=NOW - 2 * DAY, tier="warm"))
    domain.put(memory("archived", updated_at=NOW - 2 * DAY, status="archived"))
    domain.put(memory("other", scope=SCOPE._replace(project="other"), updated_at=NOW - 2 * DAY))
    assert settled(domain, None, NOW) == ["archived", "m1", "m2", "m3", "m4"]
    assert settled(domain, NOW - 3 * DAY, NOW - DAY) == ["archived", "m2", "m3"]
    assert settled(domain, None, NOW, "warm") == ["warm"]
    assert settled(domain, None, NOW, "frozen") == []


# ---- from the table, with bodies


@pytest.fixture
def deployment(
    dynamodb_endpoint: str, opensearch_endpoint: str, tmp_path: Path, embedder: Embedder
) -> Iterator[Deployment]:
    with deployed(dynamodb_endpoint, opensearch_endpoint, tmp_path, embedder) as made:
        yield made


@pytest.fixture
def ports(deployment: Deployment) -> Ports:
    return deployment.cloud.ports


def long_memory(ports: Ports, id: str = "m1", **fields: Any) -> Memory:
    return memory(id, WORDS, embedding_model=ports.embedder.model, **fields)


def keep(ports: Ports, record: Memory, before: int = 0) -> Memory:
    """Args: record: at the version that it shall have."""
    vectors = None
    if before == 0:
        (vector,) = ports.embedder.embed([record.content])
        vectors = Vectors(vector)
    change = Change(record, before, "written", "ada", NOW, vectors=vectors)
    ports.store.writer.commit(Commit(scope=SCOPE, changes=(change,)))
    return record


def moved(ports: Ports, record: Memory, tier: Tier) -> Memory:
    return keep(ports, replace(record, tier=tier, version=record.version + 1), record.version)


def found(cloud: AwsBackend, text: str) -> list[str]:
    return lexical(cloud.ports.index, text)  # type: ignore[arg-type]


def test_a_warm_record_is_found_by_its_last_words(deployment: Deployment, ports: Ports) -> None:
    """Falls if documents are made of items alone: a stub ends before them."""
    record = moved(ports, keep(ports, long_memory(ports)), "warm")
    deployment.project()
    assert found(deployment.cloud, "kilimanjaro") == ["m1"]
    assert ports.index.stats(SCOPE, EVERYONE, now=NOW).tiers["warm"] == (1, len(WORDS) + 2)
    (vector,) = ports.embedder.embed([WORDS])
    arms = ask(ports.index, vector=vector).arms  # type: ignore[arg-type]
    assert arms.content_semantic[Ref(SCOPE.project, record.id)] > 0.99


def test_a_record_goes_down_and_comes_back(deployment: Deployment, ports: Ports) -> None:
    record = keep(ports, long_memory(ports))
    seen = []
    for tier in ("warm", "cold", "frozen", "hot"):
        record = moved(ports, record, tier)
        deployment.project()
        seen.append((found(deployment.cloud, "zanzibar"), ports.index.stats(SCOPE, EVERYONE, now=NOW).bytes))
    assert seen == [(ids, len(WORDS) + 2) for ids in (["m1"], [], [], ["m1"])]
    assert found(deployment.cloud, "kilimanjaro") == ["m1"]


def test_a_rebuild_reads_bodies(deployment: Deployment, ports: Ports) -> None:
    for id, tier in (("w", "warm"), ("c", "cold")):
        moved(ports, keep(ports, long_memory(ports, id)), tier)  # type: ignore[arg-type]
    deployment.project()
    report = deployment.cloud.rebuild()
    assert (report.is_done, report.refused, report.records) == (True, {}, 2)
    assert found(deployment.cloud, "kilimanjaro") == ["w"]
    assert ports.index.stats(SCOPE, EVERYONE, now=NOW).bytes == 2 * (len(WORDS) + 2)


def test_a_reconcile_reads_bodies(deployment: Deployment, ports: Ports) -> None:
    moved(ports, keep(ports, long_memory(ports)), "warm")
    later = deployment.open(clock=_Later())
    assert later.ports.index.reconcile(SCOPE, after=None, is_dry_run=False).missing == 1
    assert found(deployment.cloud, "kilimanjaro") == ["m1"]
    later.close()


class _Later:
    """After all that is on its way has had its hour."""

    def now(self) -> datetime:
        return datetime.now(NOW.tzinfo) + timedelta(hours=2)


def test_a_body_that_is_lost_holds_up_nothing(deployment: Deployment, ports: Ports, tmp_path: Path) -> None:
    """Its record is found by its first words and its vectors, and so is what is written behind it."""
    moved(ports, keep(ports, long_memory(ports)), "warm")
    keep(ports, memory("m2", "written behind it"))
    (body,) = (tmp_path / "bodies").rglob("*.zst")
    body.write_bytes(b"damaged")
    deployment.project()
    assert (found(deployment.cloud, "zanzibar"), found(deployment.cloud, "kilimanjaro")) == (["m1"], [])
    assert found(deployment.cloud, "behind") == ["m2"]
    (vector,) = ports.embedder.embed([WORDS])
    assert Ref(SCOPE.project, "m1") in ask(ports.index, vector=vector).arms.content_semantic  # type: ignore[arg-type]


def test_an_erasure_that_crashed_is_finished_with_its_bodies(
    deployment: Deployment, ports: Ports, tmp_path: Path
) -> None:
    record = moved(ports, keep(ports, long_memory(ports)), "warm")
    (body,) = (tmp_path / "bodies").rglob("*.zst")
    left = body.read_bytes()
    ports.store.writer.commit(Commit(scope=SCOPE, erasures=(Erasure("m1", record.version),)))
    body.write_bytes(left)
    deployment.project()
    assert not list((tmp_path / "bodies").rglob("*.zst"))
