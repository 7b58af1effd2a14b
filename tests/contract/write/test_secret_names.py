"""A name is stored as it is: one that holds a secret is refused, whatever the project does with texts.

Falls without `refuse_secret_names` in `usecases/ground/admission.py`, and the last one without the redaction of
a batch's turns before they become each other's context.
"""

from __future__ import annotations

from collections.abc import Callable

import pytest

from memory_layer.bootstrap.embedded import EmbeddedBackend
from memory_layer.domain.access import Principal
from memory_layer.domain.filters import Filters
from memory_layer.domain.policy import Policy, PrivacyMode
from memory_layer.errors import Invalid, MemoryLayerError
from memory_layer.usecases.ground.queries import list_memories
from memory_layer.usecases.learn.report_outcome import OutcomeReport, report_outcome
from memory_layer.usecases.review.configure import set_policy
from memory_layer.usecases.write.add_turns import add_turns
from memory_layer.usecases.write.prepare import RememberRequest
from memory_layer.usecases.write.put import put_memory
from memory_layer.usecases.write.remember import StoredMemory, remember
from memory_layer.usecases.write.revise import revise
from memory_layer.usecases.write.supersede import supersede_memory
from tests.given import PROJECT

KEY = "AKIA" + "Q3EGVXW7LDN5RTYB"
FACT = "The importer opens the file with mode=ro."
NAMES = [
    {"id": KEY},
    {"session_id": KEY},
    {"source_run_id": f"run {KEY}"},
    {"source_runs": ("r1", KEY)},
    {"source_recall_id": KEY},
    {"persona": KEY},
    {"created_by": KEY},
]


def pointer_of(refused: pytest.ExceptionInfo[MemoryLayerError]) -> str:
    """Where the name stood, after checking that the secret is not repeated."""
    error = refused.value
    assert isinstance(error, Invalid)
    assert KEY not in error.detail + "".join(violation.detail for violation in error.violations)
    return error.violations[0].pointer


def in_mode(backend: EmbeddedBackend, admin: Principal, mode: PrivacyMode) -> None:
    set_policy(backend.ports, admin, PROJECT, lambda _: Policy(privacy_mode=mode))


@pytest.mark.parametrize("mode", ["secrets", "personal", "refuse"])
@pytest.mark.parametrize("name", NAMES)
def test_a_secret_is_no_name(
    backend: EmbeddedBackend, admin: Principal, name: dict[str, object], mode: PrivacyMode
) -> None:
    in_mode(backend, admin, mode)
    with pytest.raises(MemoryLayerError) as refused:
        remember(backend.ports, admin, PROJECT, RememberRequest(fields={"content": FACT, **name}))
    assert pointer_of(refused).startswith(f"/{next(iter(name))}")
    nothing = list_memories(backend.ports, admin, PROJECT, Filters(status=()), after=None, limit=10)
    assert nothing.memories == ()


def test_a_secret_becomes_no_name_later(backend: EmbeddedBackend, admin: Principal) -> None:
    put_memory(backend.ports, admin, PROJECT, "m1", {"content": FACT})
    attempts: list[tuple[str, Callable[[], object]]] = [
        ("/id", lambda: put_memory(backend.ports, admin, PROJECT, KEY, {"content": FACT})),
        ("/project", lambda: put_memory(backend.ports, admin, KEY, "m1", {"content": FACT})),
        ("/session_id", lambda: revise(backend.ports, admin, PROJECT, "m1", {"session_id": KEY})),
        (
            "/id",
            lambda: supersede_memory(backend.ports, admin, PROJECT, "m1", {"content": "else", "id": KEY}),
        ),
    ]
    for pointer, attempt in attempts:
        with pytest.raises(MemoryLayerError) as refused:
            attempt()
        assert pointer_of(refused) == pointer


@pytest.mark.parametrize("name", ["session_id", "run_id", "recall_id"])
def test_a_verdict_names_no_secret(backend: EmbeddedBackend, admin: Principal, name: str) -> None:
    put_memory(backend.ports, admin, PROJECT, "m1", {"content": FACT})
    report = OutcomeReport(result="worked", **{name: KEY})  # type: ignore[arg-type]
    with pytest.raises(MemoryLayerError) as refused:
        report_outcome(backend.ports, admin, PROJECT, "m1", report)
    assert pointer_of(refused) == f"/{name}"
    assert backend.ports.store.history.verdicts(admin.scope(PROJECT), "m1") == []


def test_an_address_is_a_name_even_where_texts_lose_theirs(
    backend: EmbeddedBackend, admin: Principal
) -> None:
    in_mode(backend, admin, "personal")
    stored = remember(
        backend.ports,
        admin,
        PROJECT,
        RememberRequest(fields={"content": FACT, "created_by": "bob@acme.test"}),
    )
    assert isinstance(stored, StoredMemory)
    assert stored.memory.created_by == "bob@acme.test"


def test_a_project_that_keeps_secrets_keeps_their_names(backend: EmbeddedBackend, admin: Principal) -> None:
    in_mode(backend, admin, "off")
    stored = put_memory(backend.ports, admin, PROJECT, KEY, {"content": FACT, "session_id": KEY})
    assert (stored.memory.id, stored.memory.session_id) == (KEY, KEY)


def test_a_session_is_named_by_no_secret(backend: EmbeddedBackend, agent: Principal) -> None:
    (result,) = add_turns(backend.ports, agent, PROJECT, KEY, [RememberRequest(fields={"content": "Hello."})])
    assert isinstance(result, Invalid)
    assert result.violations[0].pointer == "/session_id"


def test_a_secret_cut_in_half_reaches_no_neighbour(backend: EmbeddedBackend, agent: Principal) -> None:
    """A neighbour's words are cut at 1,900 bytes: half of a key is a key that nobody recognises."""
    long = f"{'word ' * 378}{KEY} and so on"
    assert long.encode()[:1_900].decode().endswith(KEY[:10])
    turns = [RememberRequest(fields={"content": content}) for content in (long, "Thanks.")]
    results = add_turns(backend.ports, agent, PROJECT, "s1", turns)
    stored = [result.memory for result in results if isinstance(result, StoredMemory)]
    assert len(stored) == 2
    assert KEY[:10] not in (stored[1].context or "")
    assert "word" in (stored[1].context or "")
