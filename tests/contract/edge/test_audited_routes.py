"""Every accepted write that changes something leaves an entry in the audit log, whichever route it takes (SPEC 4.35).

Falls where a route that writes is in neither table, and where one of them leaves no entry.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import httpx2
import pytest

from memory_layer.bootstrap.embedded import EmbeddedBackend
from memory_layer.domain.conflicts.pair import Pair
from memory_layer.errors import StoreUnavailable
from memory_layer.local.tokens import LOCAL_PRINCIPAL
from memory_layer.usecases.ground import audit_log
from tests.answer_schemas import checked
from tests.contract.conftest import EMBEDDED_ONLY
from tests.e2e.conftest import running
from tests.e2e.test_screened_routes import FILES, OTHER, PLAIN, ROUTES, STORES, Shop
from tests.given import StandingClock
from tests.run_examples import loop

HOOK = {"url": "https://hooks.acme.test/x"}
PAGE = {"request_id": "c", "intent": PLAIN, "budgets": {"tokens_max": 500}}
POOR = {"completeness": 0.1, "user_satisfaction": 0.1, "coherence_score": 0.1, "contradiction_rate": 0.5}
GOOD = {"completeness": 0.9, "user_satisfaction": 0.9, "coherence_score": 0.9, "contradiction_rate": 0.0}
URN = "urn:table:prices"
FILE = {"path": "/notes/prices.md", "content": PLAIN}

Given = Callable[[Shop], Any]
Sent = Callable[[Shop, Any], tuple[str, str, Any]]


@pytest.fixture
def shop(backend: EmbeddedBackend, tmp_path: Path, clock: StandingClock) -> Iterator[Shop]:
    with (
        running(backend, tmp_path, with_auth=False) as url,
        httpx2.Client(base_url=url, timeout=60.0) as http,
    ):
        yield Shop(checked(http), clock)


def nothing(_: Shop) -> None:
    """No preparation."""


def said(shop: Shop) -> str:
    return shop.said()


def unsure(shop: Shop) -> str:
    return shop.said(confidence=0.2)


def two(shop: Shop) -> tuple[str, str]:
    return shop.said(), shop.said(OTHER)


def staged(shop: Shop) -> str:
    shop.ask("POST", "runs?mode=staged", loop("run-1"))
    return str(shop.ask("GET", "staging")["staged"][0]["id"])


def talked(shop: Shop) -> None:
    shop.ask("POST", "sessions/talk/turns", [{"content": PLAIN}])


def shown(shop: Shop) -> Any:
    shop.said()
    return shop.ask("POST", "context", PAGE)["recall_id"]


def tuned(shop: Shop) -> None:
    shown(shop)
    shop.ask("POST", "context/c/feedback", POOR)


def stale(shop: Shop) -> str:
    id = shop.said(entities=[URN])
    shop.clock.advance(minutes=1)
    shop.ask("POST", "entity-events", {"urn": URN, "event": "removed"})
    return id


def changed(shop: Shop) -> str:
    id = shop.said()
    shop.ask("PATCH", f"memories/{id}", {"summary": "Nine minutes."})
    return id


def decided(how: str) -> Given:
    def decide(shop: Shop) -> str:
        id = shop.said()
        shop.ask("PATCH", f"memories/{id}/{how}", {} if how == "reject" else None)
        return id

    return decide


def judged(shop: Shop) -> str:
    shop.ask("PATCH", f"memories/{shop.said(source='run')}/reject", {})
    return str(shop.ask("GET", "authors")["authors"][0]["id"])


def pair(shop: Shop) -> str:
    return str(shop.pair()["id"])


def author(shop: Shop) -> str:
    return str(shop.ask("GET", f"memories/{shop.said()}")["created_by"])


def rolled_back(shop: Shop) -> str:
    return str(shop.ask("POST", "rollback", {"principal": author(shop)})["id"])


def snapshot(shop: Shop) -> str:
    shop.said()
    shop.ask("POST", "snapshots")
    return str(shop.ask("GET", "snapshots")["snapshots"][0]["id"])


def other_project(shop: Shop) -> None:
    shop.said()
    shop.send("POST", "/v1/projects/other/memories", {"content": OTHER})


def hook(shop: Shop) -> str:
    shop.said()
    return str(shop.ask("POST", "webhooks", HOOK)["id"])


def store(shop: Shop) -> str:
    return str(shop.send("POST", STORES, {"name": "shop", "description": "d"})["id"])


def file(shop: Shop) -> str:
    return str(shop.send("POST", FILES, FILE)["id"])


def version(shop: Shop) -> str:
    id = file(shop)
    shop.send("POST", f"{FILES}/{id}", {"content": OTHER})
    versions = shop.send("GET", FILES.replace("/memories", "/memory_versions"))["data"]
    return str(versions[-1]["id"])


def on(method: str, path: str, body: Any = None) -> Sent:
    """Request with the id of what was prepared in its path, and in its body for `$`."""

    def request(_: Shop, given: Any) -> tuple[str, str, Any]:
        sent = {name: given if value == "$" else value for name, value in (body or {}).items()}
        return method, path.format(given), sent if isinstance(body, dict) else body

    return request


LEAVES_AN_ENTRY: Mapping[str, tuple[Given, Sent]] = {
    "POST /memories": (nothing, on("POST", "memories", {"content": PLAIN})),
    "POST /memories:batch": (nothing, lambda *_: ("POST", "memories:batch", [{"content": PLAIN}])),
    "PUT /memories/{id}": (nothing, on("PUT", "memories/mine", {"content": PLAIN})),
    "PATCH /memories/{id}": (said, on("PATCH", "memories/{}", {"summary": "Nine minutes."})),
    "DELETE /memories/{id}": (said, on("DELETE", "memories/{}")),
    "POST /memories/{id}/supersede": (said, on("POST", "memories/{}/supersede", {"content": OTHER})),
    "POST /memories/{id}/merge": (
        two,
        lambda _, ids: ("POST", f"memories/{ids[0]}/merge", {"ids": [ids[1]]}),
    ),
    "PATCH /memories/{id}/approve": (said, on("PATCH", "memories/{}/approve")),
    "PATCH /memories/{id}/reject": (said, on("PATCH", "memories/{}/reject", {})),
    "POST /memories/{id}/outcome": (said, on("POST", "memories/{}/outcome", {"result": "worked"})),
    "POST /memories/{id}/confirm": (stale, on("POST", "memories/{}/confirm", {})),
    "POST /memories/{id}/restore": (changed, on("POST", "memories/{}/restore", {"version": 1})),
    "POST /memories/{id}/undo": (decided("reject"), on("POST", "memories/{}/undo", {})),
    "POST /memories/{id}/apply": (decided("approve"), on("POST", "memories/{}/apply", {"as": "memory"})),
    "POST /sessions/{session_id}/turns": (
        nothing,
        lambda *_: ("POST", "sessions/talk/turns", [{"content": PLAIN}]),
    ),
    "DELETE /sessions/{session_id}": (talked, on("DELETE", "sessions/talk")),
    "POST /sessions/{session_id}/turns:pop": (talked, on("POST", "sessions/talk/turns:pop", {})),
    "POST /context/{request_id}/feedback": (shown, on("POST", "context/c/feedback", POOR)),
    "DELETE /context/tuning": (tuned, on("DELETE", "context/tuning")),
    "POST /outcome": (shown, on("POST", "outcome", {"recall_id": "$", "refs": [1], "result": "worked"})),
    "POST /runs": (nothing, on("POST", "runs?mode=auto", loop("run-1"))),
    "POST /staging/{id}/promote": (staged, on("POST", "staging/{}/promote", {})),
    "POST /staging/{id}/reject": (staged, on("POST", "staging/{}/reject", {})),
    "POST /staging:validate": (staged, on("POST", "staging:validate", {})),
    "POST /staging:promote": (staged, on("POST", "staging:promote", {"auto_validate": True})),
    "DELETE /staging": (staged, on("DELETE", "staging")),
    "POST /reviews:decide": (
        said,
        lambda _, id: ("POST", "reviews:decide", {"decisions": [{"id": id, "decision": "archive"}]}),
    ),
    "POST /conflicts/{id}/resolve": (pair, on("POST", "conflicts/{}/resolve", {"resolution": "kept_both"})),
    "POST /entity-events": (said, on("POST", "entity-events", {"urn": "urn:table:none", "event": "removed"})),
    "PATCH /settings": (nothing, on("PATCH", "settings", {"prompt_limit": 7})),
    "PUT /settings": (nothing, on("PUT", "settings", {"prompt_limit": 7})),
    "POST /merge-project": (other_project, on("POST", "merge-project", {"from": "other"})),
    "POST /prune": (unsure, on("POST", "prune", {"min_confidence": 0.5})),
    "POST /snapshots": (said, on("POST", "snapshots")),
    "POST /snapshots/{id}/restore": (snapshot, on("POST", "snapshots/{}/restore")),
    "GET /export": (said, on("GET", "export?format=ndjson")),
    "POST /erase": (author, on("POST", "erase", {"created_by": "$"})),
    "DELETE ": (said, on("DELETE", "/v1/projects/shop")),
    "POST /authors/{author}/reset": (judged, on("POST", "authors/{}/reset", {})),
    "POST /rollback": (author, on("POST", "rollback", {"principal": "$"})),
    "POST /rollback/{id}/undo": (rolled_back, on("POST", "rollback/{}/undo")),
    "POST /webhooks": (said, on("POST", "webhooks", HOOK)),
    "DELETE /webhooks/{id}": (hook, on("DELETE", "webhooks/{}")),
    f"POST {STORES}": (nothing, on("POST", STORES, {"name": "shop", "description": "d"})),
    f"POST {STORES}/{{memory_store_id}}": (store, on("POST", f"{STORES}/{{}}", {"description": "e"})),
    f"POST {STORES}/{{memory_store_id}}/archive": (store, on("POST", f"{STORES}/{{}}/archive")),
    f"DELETE {STORES}/{{memory_store_id}}": (store, on("DELETE", f"{STORES}/{{}}")),
    f"POST {STORES}/{{memory_store_id}}/memories": (nothing, on("POST", FILES, FILE)),
    f"POST {STORES}/{{memory_store_id}}/memories/{{id}}": (
        file,
        on("POST", f"{FILES}/{{}}", {"content": OTHER}),
    ),
    f"DELETE {STORES}/{{memory_store_id}}/memories/{{id}}": (file, on("DELETE", f"{FILES}/{{}}")),
    f"POST {STORES}/{{memory_store_id}}/memory_versions/{{memory_version_id}}/redact": (
        version,
        on("POST", f"{STORES}/memstore_shop/memory_versions/{{}}/redact"),
    ),
}
"""Routes that write, what they need first, and a request."""

LEAVES_NONE = {
    **dict.fromkeys(
        ("POST /recall", "POST /context", "POST /prompt", "POST /enrich"),
        "reads; its receipt is its asker's, and goes after 30 days",
    ),
    "POST /verify": "reads, and mends nothing",
    "POST /webhooks/{id}/test": "tells the receiver of no change",
    "POST /import": "sent as a file: test_an_import_leaves_entries",
    "POST /playbook/reorganisation": "decides on pairs, each as POST /conflicts/{id}/resolve does",
}
"""Routes that leave no entry of their own, and why."""


def entries(shop: Shop, backend: EmbeddedBackend) -> list[Any]:
    backend.drain()
    return [
        entry
        for project in ("shop", "_shared", "other")
        for entry in shop.send("GET", f"/v1/projects/{project}/audit?limit=200").get("entries", ())
    ]


def test_every_route_that_writes_is_listed_here() -> None:
    assert {*LEAVES_AN_ENTRY, *LEAVES_NONE} == {*ROUTES, "GET /export"}


@pytest.mark.some_on_engines(3)
@pytest.mark.parametrize("route", LEAVES_AN_ENTRY)
def test_an_accepted_write_leaves_an_entry(shop: Shop, backend: EmbeddedBackend, route: str) -> None:
    if "/webhooks" in route and backend.ports.webhooks is None:
        pytest.skip("webhooks are a laptop's")
    prepare, request = LEAVES_AN_ENTRY[route]
    given = prepare(shop)
    backend.drain()
    before = len(entries(shop, backend))
    method, path, body = request(shop, given)
    path = path if path.startswith("/v1") else f"/v1/projects/shop/{path}"
    answer = shop.http.request(method, path, **({} if body is None else {"json": body}))
    assert answer.is_success, answer.text
    assert len(entries(shop, backend)) > before, f"{route} leaves no entry in the audit log"


def test_an_import_leaves_entries(shop: Shop, backend: EmbeddedBackend) -> None:
    shop.brought(f"# Notes\n\n- {PLAIN}\n")
    assert [entry["what"] for entry in entries(shop, backend)] == ["created"]


@pytest.mark.parametrize("kind", ["removed", "activity", "linked"])
def test_an_event_is_entered_by_its_kind_and_without_what_it_is_about(
    shop: Shop, backend: EmbeddedBackend, kind: str
) -> None:
    """An erasure by a URN would have to find it in the log; an event reported twice is entered once."""
    event = {"urn": URN, "event": kind, "id": "e1", **({"target": "urn:b"} if kind == "linked" else {})}
    for _ in range(2):
        shop.ask("POST", "entity-events", event)
    (entry,) = entries(shop, backend)
    assert (entry["what"], entry["detail"]) == ("entity events", f"1 {kind}")
    assert URN not in str(entry)


@EMBEDDED_ONLY
def test_a_pair_that_two_keep_at_once_is_entered_once(
    shop: Shop, backend: EmbeddedBackend, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Falls where the decision is entered before it is stored, which the other one's prevents; repeated, it is none."""
    id, pairs = pair(shop), backend.ports.store.pairs

    def put_second(changed: Sequence[Pair]) -> Sequence[bool]:
        return [False for _ in changed]

    monkeypatch.setattr(pairs, "put", put_second)
    for _ in range(3):
        shop.ask("POST", f"conflicts/{id}/resolve", {"resolution": "kept_both"})
    assert not any(
        entry["what"] == "kept_both" for entry in entries(shop, backend)
    )  # the other one enters it
    monkeypatch.undo()


def test_a_pair_that_is_kept_again_is_entered_once(shop: Shop, backend: EmbeddedBackend) -> None:
    id = pair(shop)
    before = len(entries(shop, backend))
    for _ in range(3):
        shop.ask("POST", f"conflicts/{id}/resolve", {"resolution": "kept_both"})
    assert len(entries(shop, backend)) == before + 1


@EMBEDDED_ONLY
def test_a_webhook_that_is_removed_again_is_entered_once(
    shop: Shop, backend: EmbeddedBackend, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Falls where a removal is entered before it is known whether another one came first."""
    id, webhooks = hook(shop), backend.ports.webhooks
    assert webhooks is not None
    before = len(entries(shop, backend))
    monkeypatch.setattr(webhooks.store, "remove", lambda *_: False)
    assert shop.http.delete(f"/v1/projects/shop/webhooks/{id}").status_code == 404
    assert len(entries(shop, backend)) == before
    monkeypatch.undo()
    for status in (204, 404):
        assert shop.http.delete(f"/v1/projects/shop/webhooks/{id}").status_code == status
    assert len(entries(shop, backend)) == before + 1


@EMBEDDED_ONLY
def test_what_cannot_be_entered_is_not_done(
    shop: Shop, backend: EmbeddedBackend, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Falls without the transaction in `entered`: a crash between both would leave one without the other."""
    id, kept, webhooks = hook(shop), pair(shop), backend.ports.webhooks
    assert webhooks is not None

    def crash(*_: object, **__: object) -> None:
        raise StoreUnavailable("the process ends here")

    before = webhooks.store.every(), backend.ports.store.pairs.get(LOCAL_PRINCIPAL.scope("shop"), kept)
    with monkeypatch.context() as broken:
        broken.setattr(audit_log, "enter", crash)
        assert shop.http.delete(f"/v1/projects/shop/webhooks/{id}").status_code == 503
        for path, said in (
            ("webhooks", {"url": "https://hooks.example.com/other"}),
            (f"conflicts/{kept}/resolve", {"resolution": "kept_both"}),
        ):
            assert shop.http.post(f"/v1/projects/shop/{path}", json=said).status_code == 503
    after = webhooks.store.every(), backend.ports.store.pairs.get(LOCAL_PRINCIPAL.scope("shop"), kept)
    assert after == before


@pytest.mark.parametrize(("scores", "is_changed"), [(GOOD, False), (POOR, True)])
def test_feedback_is_entered_if_it_changes_how_contexts_are_assembled(
    shop: Shop, backend: EmbeddedBackend, scores: Mapping[str, float], is_changed: bool
) -> None:
    """Feedback that is counted and moves nothing leaves no entry; falls where a move of the tuning leaves none."""
    shown(shop)
    tuning, before = shop.ask("GET", "context/tuning"), len(entries(shop, backend))
    assert shop.ask("POST", "context/c/feedback", scores)["counted"]
    assert (shop.ask("GET", "context/tuning") != tuning) is is_changed
    assert len(entries(shop, backend)) == before + is_changed
