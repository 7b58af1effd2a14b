"""The profile small as `cdk deploy` makes it: the whole path of a memory without a search domain."""

from __future__ import annotations

from collections.abc import Iterator

import httpx2
import pytest

from memory_layer.manifest.sweeps import DECLARED_SWEEPS
from memory_layer.usecases.context.request import TIME_MAX_MS
from tests.deployed.assembly import synthesise
from tests.deployed.calls import CONTENT, created, ids_of, logged, memories, recalled, settled
from tests.deployed.conftest import PROGRAM, Callers, introduced, require_parts
from tests.deployed.deployment import (
    ADMIN_CLIENT,
    AGENT_CLIENT,
    RIVAL_CLIENT,
    SMALL_CONTEXT,
    UNKNOWN_CLIENT,
    Deployed,
    deploy,
)
from tests.deployed.ministack import running
from tests.deployed.patience import eventually
from tests.deployed.stored_bytes import as_term, buckets, holding
from tests.deployed.stream_mapping import paused
from tests.given import REPOSITORY

pytestmark = pytest.mark.engines

WORD, TAG, SOURCE_FILE = "quetzalcoatlus", "feathered-xylograph", "urn:file:okapi-ledger.py"
"""Found nowhere but in what is erased; the word is its own stem."""

SWEPT = [name for name in DECLARED_SWEEPS if name not in ("decay", "tiering")]
"""In their order: what reads a lost index stops until `reconcile` has built it anew. The two that are left out walk, as
`expiry` does, over all days of the calendar at their first run: half a minute each here."""


@pytest.fixture(scope="module")
def small(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Deployed]:
    require_parts()
    outdir = tmp_path_factory.mktemp("cdk.out")
    synthesise(REPOSITORY, SMALL_CONTEXT, outdir)
    failed_before = request.session.testsfailed
    with running(PROGRAM, tmp_path_factory.mktemp("ministack")) as server:
        yield deploy(server, outdir)
        if request.session.testsfailed > failed_before:
            print(f"The log of ministack and of all functions: {server.log}")


@pytest.fixture(scope="module")
def small_callers(small: Deployed, tenant: str) -> Iterator[Callers]:
    with introduced(small, tenant) as found:
        yield found


@pytest.fixture
def agent(small_callers: Callers) -> httpx2.Client:
    return small_callers(AGENT_CLIENT)


@pytest.fixture
def admin(small_callers: Callers) -> httpx2.Client:
    return small_callers(ADMIN_CLIENT)


@pytest.fixture
def rival(small_callers: Callers) -> httpx2.Client:
    return small_callers(RIVAL_CLIENT)


def segments(small: Deployed, *sought: bytes) -> dict[bytes, set[str]]:
    return holding(small.server, small.outputs["SegmentsBucketName"], *sought)


def test_nothing_is_there_that_is_paid_for_while_nobody_calls(small: Deployed) -> None:
    server = small.server
    assert server.client("opensearch").list_domain_names()["DomainNames"] == []
    assert server.client("cloudwatch").describe_alarms()["MetricAlarms"] == []
    assert "compactor" in small.functions
    assert "projector" not in small.functions
    assert len(buckets(server)) >= 2


def test_who_has_no_token_is_not_answered_and_who_has_no_tenant_is_told(
    small: Deployed, agent: httpx2.Client, project: str
) -> None:
    with small.caller(None) as nobody, small.caller(small.token_of(UNKNOWN_CLIENT)) as unknown:
        assert nobody.get(memories(project)).status_code == 401
        assert nobody.get("/healthz").status_code == 200
        assert unknown.get(memories(project)).status_code == 401
    assert agent.get(f"/v1/projects/{project}/settings").status_code == 403
    assert agent.get(memories(project)).json()["memories"] == []


def test_a_recall_sees_a_write_before_the_compactor_has_run_and_after(
    small: Deployed, agent: httpx2.Client, tenant: str, project: str
) -> None:
    """Falls without the log beside the record: the compactor stands still, so no segment has the memory."""
    with paused(small, "compactor"):
        id = created(agent, project, tags=["pool"])["id"]
        assert segments(small, id.encode())[id.encode()] == set()
        assert len(logged(small, tenant, project)) == 1
        told = recalled(agent, project)
        assert (ids_of(told), told["degraded"]) == ([id], False)
        assert agent.post(memories(project), json={"content": CONTENT}).status_code == 409
    settled(small, tenant, project)
    (key,) = segments(small, id.encode())[id.encode()]
    assert key.startswith(f"segments/{tenant}/{project}/")
    told = recalled(agent, project)
    assert (ids_of(told), told["degraded"]) == ([id], False)
    signals = told["memories"][0]["signals"]
    assert signals["lexical"] > 0
    assert signals["semantic"] > 0
    assert agent.post(memories(project), json={"content": CONTENT}).status_code == 409


def test_a_write_is_never_missed_while_the_compactor_takes_it_up(
    small: Deployed, agent: httpx2.Client, tenant: str, project: str
) -> None:
    for number in range(3):
        text = f"Door number {number} opens with a key of its own."
        id, is_logged = created(agent, project, text, on_duplicate="create")["id"], True
        while is_logged:
            is_logged = bool(logged(small, tenant, project))
            assert id in ids_of(recalled(agent, project, f"what opens door {number}?"))


def test_an_edit_an_outcome_a_context_and_a_prompt(
    small: Deployed, agent: httpx2.Client, tenant: str, project: str
) -> None:
    """What an agent does all day; the segments have the last version, and the count of recalls comes by the stream."""
    stored = created(agent, project, "The pool holds eight connections.", tags=["pool"])
    url = f"{memories(project)}/{stored['id']}"
    settled(small, tenant, project)

    worked = agent.post(f"{url}/outcome", json={"result": "worked"})
    assert (worked.status_code, worked.json()["worked"]) == (200, 1)
    words = "The pool holds sixteen connections."
    edited = agent.patch(url, json={"content": words, "tags": ["resized"]})
    assert edited.status_code == 200, edited.text
    told = recalled(agent, project, "how many connections does the pool hold?")
    assert [memory["content"] for memory in told["memories"]] == [words]
    settled(small, tenant, project)
    told = recalled(agent, project, "how many connections does the pool hold?")
    assert [memory["content"] for memory in told["memories"]] == [words]
    listed = agent.get(memories(project), params={"tags": "resized"}).json()["memories"]
    assert [memory["id"] for memory in listed] == [stored["id"]]
    assert agent.get(memories(project), params={"tags": "pool"}).json()["memories"] == []

    asked = {"intent": "size the pool", "budgets": {"time_ms": TIME_MAX_MS}}  # a cold function on busy cores
    context = agent.post(f"/v1/projects/{project}/context", json=asked)
    assert words in context.text
    page = agent.post(f"/v1/projects/{project}/prompt", json={"task": "size the pool"})
    assert (page.status_code, words in page.text) == (200, True)
    verdict = {"recall_id": page.json()["recall_id"], "refs": [1], "result": "worked"}
    assert agent.post(f"/v1/projects/{project}/outcome", json=verdict).status_code == 200
    assert eventually(lambda: agent.get(url).json()["access_count"] > 0)
    versions = [one["verb"] for one in agent.get(f"{url}/history").json()["versions"]]
    assert len(versions) >= 2


def test_what_is_erased_is_in_no_byte_of_a_bucket(
    small: Deployed, agent: httpx2.Client, admin: httpx2.Client, tenant: str, project: str
) -> None:
    """Its words, tags, id and entity leave segments and dictionaries; what stands beside it stays and is found."""
    kept = created(agent, project)["id"]
    marked = {"tags": [TAG], "entities": [SOURCE_FILE]}
    erased = created(agent, project, f"The {WORD} flies over the pool.", **marked)["id"]
    settled(small, tenant, project)
    sought = (erased.encode(), TAG.encode(), as_term(WORD))
    assert all(segments(small, *sought).values()), segments(small, *sought)
    assert set(ids_of(recalled(agent, project, f"the {WORD} and the pool"))) == {kept, erased}

    receipt = admin.post(f"/v1/projects/{project}/erase", json={"entity": SOURCE_FILE})
    assert receipt.status_code == 200, receipt.text
    assert receipt.json()["stores"]["records"] == 1
    assert ids_of(recalled(agent, project, f"the {WORD} and the pool")) == [kept]
    settled(small, tenant, project)
    assert eventually(lambda: not any(segments(small, *sought).values())), segments(small, *sought)
    assert segments(small, kept.encode())[kept.encode()]
    for bucket in buckets(small.server):
        found = holding(small.server, bucket, WORD.encode(), TAG.encode(), SOURCE_FILE.encode())
        assert not any(found.values()), (bucket, found)
    assert ids_of(recalled(agent, project, f"the {WORD} and the pool")) == [kept]
    assert agent.get(f"{memories(project)}/{erased}").status_code == 404


def test_tenants_do_not_meet(
    small: Deployed, agent: httpx2.Client, rival: httpx2.Client, tenant: str, project: str
) -> None:
    ours, theirs = created(agent, project)["id"], created(rival, project)["id"]
    settled(small, tenant, project)
    settled(small, f"rival-{tenant}", project)
    assert ids_of(recalled(agent, project)) == [ours]
    assert ids_of(recalled(rival, project)) == [theirs]
    assert agent.get(f"{memories(project)}/{theirs}").status_code == 404


def test_a_lost_index_is_built_anew_and_sweeps_end(
    small: Deployed, agent: httpx2.Client, admin: httpx2.Client, tenant: str, project: str
) -> None:
    """Falls where the role of a function lacks a right that a sweep needs over segments."""
    id = created(agent, project)["id"]
    settled(small, tenant, project)
    s3, bucket = small.server.client("s3"), small.outputs["SegmentsBucketName"]
    for key in segments(small, id.encode())[id.encode()]:
        s3.delete_object(Bucket=bucket, Key=key)
    for name in SWEPT:
        error, report = small.invoke("sweep", {"sweep": name})
        assert error is None, (name, report)
        assert not report["failed"], (name, report)
        if name == "reconcile":
            assert report["did"]["missing"] == 1
    assert segments(small, id.encode())[id.encode()]
    told = recalled(agent, project)
    assert (ids_of(told), told["degraded"]) == ([id], False)
    ran = {sweep["name"] for sweep in admin.get("/v1/sweeps").json()["sweeps"] if sweep["last_report"]}
    assert ran == set(SWEPT)

    error, report = small.invoke("reindex", {})
    assert error is None, report
    assert ids_of(recalled(agent, project)) == [id]
