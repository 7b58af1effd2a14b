"""What the index knows of the things that records are tied to: how many, which, and only what may be seen."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta
from typing import Any

from memory_layer.bootstrap.embedded import EmbeddedBackend
from memory_layer.domain.access import Principal, Viewer, viewer_of
from memory_layer.domain.filters import Filters
from memory_layer.domain.memory import Ref, Relation, Scope
from memory_layer.domain.retrieval.mentions import MentionedRecords, entity_key
from memory_layer.domain.time.entity_events import EntityEvent
from memory_layer.usecases.ground.entity_memories import EVERYONE
from memory_layer.usecases.write.forget import archive_memory, erase_memory
from memory_layer.usecases.write.prepare import RememberRequest
from memory_layer.usecases.write.remember import remember
from memory_layer.usecases.write.revise import revise
from tests.given import SCOPE, START, StandingClock
from tests.single_rows import mentioned

ORDERS = "urn:table:orders"


def keep(backend: EmbeddedBackend, who: Principal, id: str, content: str, **fields: Any) -> None:
    said = {"id": id, "content": content, **fields}
    remember(backend.ports, who, "web", RememberRequest(fields=said, on_duplicate="create"))


def mentioning(
    backend: EmbeddedBackend, who: Principal, keys: Sequence[str], k: int = 10
) -> dict[str, tuple[int, list[str]]]:
    """By thing, how many, and the ids of those told."""
    backend.drain()
    index, scopes = backend.ports.index, (who.scope("web"), who.scope("_shared"))
    now = backend.ports.clock.now()
    rows = index.mentioning(scopes, keys, Filters(), viewer_of(who), now=now, k=k)
    found = mentioned(rows, keys)
    return {key: (told.total, [ref.id for ref in told.refs]) for key, told in found.items()}


def test_records_are_found_by_what_they_say_and_by_what_they_name(
    backend: EmbeddedBackend, admin: Principal
) -> None:
    keep(backend, admin, "m1", "We met Amy Nutt in Paris on 8 May 2023.")
    keep(backend, admin, "m2", "Orders are never deleted.", entities=(ORDERS,))
    keep(backend, admin, "m3", f"A view reads {ORDERS}, see src/app/views.py and max_connections.")
    keep(backend, admin, "m4", "It replaced the old one.", relations=(Relation("replaces", "m2"),))
    asked = ["n:amy nutt", "n:paris", "d:2023-05-08", entity_key(ORDERS), "p:src/app/views.py"]
    found = mentioning(backend, admin, [*asked, "i:max_connections", entity_key("m2"), "n:nobody"])
    assert found == {
        "n:amy nutt": (1, ["m1"]),
        "n:paris": (1, ["m1"]),
        "d:2023-05-08": (1, ["m1"]),
        entity_key(ORDERS): (2, ["m2", "m3"]),
        "p:src/app/views.py": (1, ["m3"]),
        "i:max_connections": (1, ["m3"]),
        entity_key("m2"): (1, ["m4"]),
    }
    assert mentioning(backend, admin, []) == {}


def test_of_many_the_best_are_told_and_all_are_counted(backend: EmbeddedBackend, admin: Principal) -> None:
    for number in range(7):
        keep(backend, admin, f"m{number}", f"Fact {number}.", entities=(ORDERS,), confidence=number / 10)
    assert mentioning(backend, admin, [entity_key(ORDERS)], k=3) == {
        entity_key(ORDERS): (7, ["m6", "m5", "m4"])
    }


def test_a_change_of_words_or_of_entities_changes_what_is_found(
    backend: EmbeddedBackend, admin: Principal
) -> None:
    """Safeguards: the ties are written anew with either, and the fingerprint of a RAM row has them in it."""
    keep(backend, admin, "m1", "We met Amy Nutt.", entities=(ORDERS,))
    assert set(mentioning(backend, admin, ["n:amy nutt", entity_key(ORDERS)])) == {
        "n:amy nutt",
        entity_key(ORDERS),
    }
    revise(backend.ports, admin, "web", "m1", {"entities": ("urn:table:bills",)})
    asked = ["n:amy nutt", entity_key(ORDERS), entity_key("urn:table:bills")]
    assert set(mentioning(backend, admin, asked)) == {"n:amy nutt", entity_key("urn:table:bills")}
    revise(backend.ports, admin, "web", "m1", {"content": "We met Bob Ross."})
    assert set(mentioning(backend, admin, [*asked, "n:bob ross"])) == {
        entity_key("urn:table:bills"),
        "n:bob ross",
    }


def test_what_may_not_be_seen_is_not_counted(
    backend: EmbeddedBackend, admin: Principal, agent: Principal, clock: StandingClock
) -> None:
    """Safeguards: the mask of the RAM index, the conditions of a search, by persona, tenant, status and expiry."""
    stranger = Principal(tenant="globex", subject="eve", roles=frozenset({"admin"}))
    keep(backend, admin, "all", "For everyone.", entities=(ORDERS,))
    keep(backend, admin, "own", "For analysts.", entities=(ORDERS,), persona="analyst")
    keep(backend, admin, "old", "Not for long.", entities=(ORDERS,), expires_at=START + timedelta(hours=1))
    keep(backend, admin, "put-away", "Out of use.", entities=(ORDERS,))
    keep(backend, admin, "gone", "Told in confidence.", entities=(ORDERS,))
    keep(backend, stranger, "theirs", "Another tenant's.", entities=(ORDERS,))
    archive_memory(backend.ports, admin, "web", "put-away")
    erase_memory(backend.ports, admin, "web", "gone")
    clock.advance(hours=2)
    key = entity_key(ORDERS)
    assert mentioning(backend, agent, [key]) == {key: (1, ["all"])}
    assert mentioning(backend, admin, [key]) == {key: (2, ["all", "own"])}
    assert mentioning(backend, stranger, [key]) == {key: (1, ["theirs"])}


def test_both_projects_are_asked(backend: EmbeddedBackend, admin: Principal) -> None:
    keep(backend, admin, "m1", "Ours.", entities=(ORDERS,))
    said = {"id": "m0", "content": "Everyone's.", "entities": (ORDERS,)}
    remember(backend.ports, admin, "_shared", RememberRequest(fields=said))
    backend.drain()
    scopes, now = (admin.scope("web"), admin.scope("_shared")), backend.ports.clock.now()
    key = entity_key(ORDERS)
    rows = backend.ports.index.mentioning(scopes, [key], Filters(), viewer_of(admin), now=now, k=1)
    assert mentioned(rows, [key]) == {key: MentionedRecords(2, (Ref("_shared", "m0"),), (1_000_000,))}


def told(id: str, event: Any, urn: str, target: str, hours: int) -> EntityEvent:
    at = START + timedelta(hours=hours)
    whose = {"tenant": SCOPE.tenant, "project": SCOPE.project, "created_by": "ada"}
    return EntityEvent(id=id, urn=urn, event=event, target=target, occurred_at=at, received_at=at, **whose)


def test_links_in_force_are_told_of_both_ends_and_of_any_time(backend: EmbeddedBackend) -> None:
    store = backend.ports.store
    store.events.add(
        [
            told("e1", "linked", "urn:a:1", "urn:b:1", 1),
            told("e2", "linked", "urn:c:1", "urn:b:1", 2),
            told("e3", "unlinked", "urn:a:1", "urn:b:1", 3),
            told("e4", "renamed", "urn:b:1", "urn:b:2", 4),
        ]
    )
    assert store.events.links_of(SCOPE, ["urn:a:1", "urn:b:1", "urn:nobody:1"], EVERYONE) == {
        "urn:b:1": (("urn:c:1", "urn:b:1"),)
    }
    then = START + timedelta(hours=2)
    assert store.events.links_of(SCOPE, ["urn:a:1", "urn:b:1"], EVERYONE, as_of=then) == {
        "urn:a:1": (("urn:a:1", "urn:b:1"),),
        "urn:b:1": (("urn:a:1", "urn:b:1"), ("urn:c:1", "urn:b:1")),
    }
    assert store.events.links_of(SCOPE, ["urn:b:1"], EVERYONE, as_of=START) == {}
    assert store.events.links_of(SCOPE, [], EVERYONE) == {}
    assert store.events.links_of(Scope("globex", "web"), ["urn:b:1"], EVERYONE) == {}


def test_links_told_under_another_persona_are_not_seen(backend: EmbeddedBackend) -> None:
    """Safeguard: the viewer of `links_of`, on either backend."""
    store = backend.ports.store
    private = replace(told("e1", "linked", "urn:a:1", "urn:secret:1", 1), persona="ben")
    store.events.add([private, told("e2", "linked", "urn:a:1", "urn:b:1", 2)])
    common, whole = (("urn:a:1", "urn:b:1"),), (("urn:a:1", "urn:b:1"), ("urn:a:1", "urn:secret:1"))
    for viewer, seen in ((Viewer(), common), (Viewer.of("mal"), common), (Viewer.of("ben"), whole)):
        assert store.events.links_of(SCOPE, ["urn:a:1"], viewer) == {"urn:a:1": seen}
    assert store.events.links_of(SCOPE, ["urn:secret:1"], Viewer()) == {}


def test_news_of_another_kind_hide_no_link(backend: EmbeddedBackend) -> None:
    """Safeguard: only events about links are among those that are looked at."""
    store = backend.ports.store
    store.events.add([told("e1", "linked", "urn:a:1", "urn:b:1", 1)])
    noise = [told(f"n{hours}", "renamed", "urn:a:1", "urn:x:1", hours) for hours in range(2, 10)]
    store.events.add(noise)
    assert store.events.links_of(SCOPE, ["urn:a:1"], EVERYONE, limit=2) == {
        "urn:a:1": (("urn:a:1", "urn:b:1"),)
    }
