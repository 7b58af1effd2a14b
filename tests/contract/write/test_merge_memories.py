"""One memory takes in others that say the same: all in one transaction, nothing lost, nothing counted twice."""

from __future__ import annotations

from typing import Any

import pytest

from memory_layer.bootstrap.embedded import EmbeddedBackend
from memory_layer.domain.access import Principal
from memory_layer.domain.memory import Memory, Relation
from memory_layer.errors import Conflict, Duplicate, Forbidden, Invalid, NotFound, StaleVersion
from memory_layer.ports.commit import IdempotencyRecord
from memory_layer.usecases.ground.idempotency import IdempotentRequest
from memory_layer.usecases.ground.queries import get_memory, memory_history
from memory_layer.usecases.learn.report_outcome import OutcomeReport, report_outcome
from memory_layer.usecases.review.approve import approve_memory
from memory_layer.usecases.write.add_turns import add_turns
from memory_layer.usecases.write.forget import archive_memory
from memory_layer.usecases.write.merge_memories import MERGED_MAX, merge_memories
from memory_layer.usecases.write.prepare import RememberRequest
from memory_layer.usecases.write.remember import StoredMemory
from memory_layer.usecases.write.restore_version import restore_version
from memory_layer.usecases.write.supersede import supersede_memory
from memory_layer.usecases.write.undo import undo_last_change
from tests.given import PROJECT, StandingClock, recalled_ids, remembered

SHORT = "Herons nest in April."
LONG = "Herons nest in April. They keep to the reeds of the northern lake."
OTHER = "Otters sleep by day."


def add(backend: EmbeddedBackend, by: Principal, id: str, content: str, **fields: Any) -> Memory:
    return remembered(backend.ports, by, content, id=id, on_duplicate="create", **fields)


def merge(backend: EmbeddedBackend, by: Principal, id: str, *others: str, **how: Any) -> Memory:
    stored = merge_memories(backend.ports, by, PROJECT, id, others, **how)
    assert isinstance(stored, StoredMemory)
    assert get(backend, by, id) == stored.memory
    return stored.memory


def get(backend: EmbeddedBackend, by: Principal, id: str) -> Memory:
    return get_memory(backend.ports, by, PROJECT, id)


def recalled(backend: EmbeddedBackend, by: Principal, query: str) -> set[str]:
    return set(recalled_ids(backend.ports, by, query))


def test_the_history_says_that_what_was_taken_in_differs(backend: EmbeddedBackend, admin: Principal) -> None:
    """Falls without `_with_point`: two facts become one, and nothing tells."""
    add(backend, admin, "a", "The nightly backup of orders starts at 02:00.")
    add(backend, admin, "b", "The backup of invoices starts at 03:30.")
    add(backend, admin, "c", "The nightly backup of orders starts at 02:00!")
    merge(backend, admin, "a", "b", "c")
    reasons = [version.reason for version in memory_history(backend.ports, admin, PROJECT, "a")]
    assert "with b (which differs in a number), c" in reasons
    assert get(backend, admin, "a").content.splitlines() == [
        "The nightly backup of orders starts at 02:00.",
        "The backup of invoices starts at 03:30.",
    ]


def test_what_contradicts_each_other_is_united_in_given_words_alone(
    backend: EmbeddedBackend, admin: Principal
) -> None:
    """Falls where two sentences of which one is wrong are put under each other."""
    add(backend, admin, "a", "The nightly backup of orders starts at 02:00.")
    add(backend, admin, "b", "The backup of orders starts at 03:30.")
    with pytest.raises(Invalid, match="contradict each other") as told:
        merge(backend, admin, "a", "b")
    assert "give content" in told.value.detail
    assert get(backend, admin, "b").is_active
    said = "The nightly backup of orders starts at 03:30."
    assert merge_memories(backend.ports, admin, PROJECT, "a", ["b"], content=said).memory.content == said


def test_what_several_say_is_believed_as_the_least_of_them(
    backend: EmbeddedBackend, admin: Principal
) -> None:
    """Falls where words that are taken over keep the source or the approval of the words around them."""
    add(backend, admin, "a", LONG)
    add(backend, admin, "b", OTHER, source="learning", confidence=0.2)
    add(backend, admin, "c", SHORT, source="run", confidence=0.1)
    approve_memory(backend.ports, admin, PROJECT, "a")
    united = merge(backend, admin, "a", "b", "c")
    assert united.content == f"{LONG}\n{OTHER}"
    assert (united.source, united.confidence, united.approved_by) == ("learning", 0.2, None)


def test_a_caller_may_say_what_is_said(backend: EmbeddedBackend, admin: Principal) -> None:
    for id, content in (("a", SHORT), ("b", LONG), ("c", OTHER)):
        add(backend, admin, id, content)
    with pytest.raises(Duplicate):
        merge(backend, admin, "a", "b", content=OTHER)
    united = merge(backend, admin, "a", "b", content="Herons nest in the northern reeds from April.")
    assert united.content == united.summary == "Herons nest in the northern reeds from April."
    assert recalled(backend, admin, united.content) >= {"a"}


def test_what_does_not_fit_is_left_as_it_is(backend: EmbeddedBackend, admin: Principal) -> None:
    """Falls without the limit in `united_text`."""
    for id, animal in (("a", "heron"), ("b", "otter")):
        lines = (f"The {animal} number {number} has its nest at mark {number}." for number in range(400))
        add(backend, admin, id, "\n".join(lines))
    with pytest.raises(Invalid, match="a and b together say more than the 32,768 bytes"):
        merge(backend, admin, "a", "b")
    assert get(backend, admin, "b").is_active


def test_the_longest_words_win_and_nothing_is_lost(
    backend: EmbeddedBackend, admin: Principal, clock: StandingClock
) -> None:
    a = add(backend, admin, "a", SHORT, tags=("birds",), entities=("urn:heron",), detail={"month": "April"})
    relations = (Relation("about", "urn:lake"),)
    add(backend, admin, "b", LONG, tags=("lake", "birds"), detail={"place": "reeds"}, relations=relations)
    add(backend, admin, "c", OTHER, tags=("otters",))
    report_outcome(backend.ports, admin, PROJECT, "a", OutcomeReport(result="worked"))
    report_outcome(backend.ports, admin, PROJECT, "b", OutcomeReport(result="failed"))
    report_outcome(backend.ports, admin, PROJECT, "b", OutcomeReport(result="worked"))
    clock.advance(days=1)
    united = merge(backend, admin, "a", "b", "c", reason="one lake")
    assert (united.id, united.content, united.version) == ("a", f"{LONG}\n{OTHER}", a.version + 2)
    assert united.tags == ("birds", "lake", "otters")
    assert (united.entities, united.relations) == (("urn:heron",), relations)
    assert united.detail == {"month": "April", "place": "reeds", "merged_ids": ["b", "c"]}
    assert (united.worked, united.failed, united.use_count, united.outcome_score) == (2, 1, 3, 0.1)
    for id in ("b", "c"):
        taken = get(backend, admin, id)
        assert (taken.status, taken.superseded_by, taken.status_reason) == ("superseded", "a", "one lake")
        assert taken.valid_to == clock.now()
    assert recalled(backend, admin, LONG) == {"a"}


def test_the_chain_shows_what_was_taken_in(backend: EmbeddedBackend, admin: Principal) -> None:
    """From either end; a memory that is only said to be merged is none of it."""
    for id, content in (("a", SHORT), ("b", LONG), ("c", OTHER)):
        add(backend, admin, id, content, detail={"merged_ids": ["c", ["x"], 7]} if id == "a" else {})
    merge(backend, admin, "a", "b")
    for id in ("a", "b"):
        history = memory_history(backend.ports, admin, PROJECT, id)
        assert {version.memory.id for version in history} == {"a", "b"}
        told = {(version.memory.id, version.verb, version.reason) for version in history}
        assert {("a", "merged", "with b"), ("b", "superseded", "merged into a")} <= told


def test_as_many_as_one_transaction_holds(backend: EmbeddedBackend, admin: Principal) -> None:
    """Turns that others have heard: their neighbours forget as well, as far as there is room just before."""
    contents = [f"Turn {number} speaks of heron number {number}." for number in range(MERGED_MAX + 1)]
    turns = [
        RememberRequest(fields={"content": content, "id": f"t{n:02d}"}) for n, content in enumerate(contents)
    ]
    heard = [
        RememberRequest(fields={"content": f"Reply {n}.", "id": f"r{n:02d}"}) for n in range(MERGED_MAX + 1)
    ]
    both = [turn for pair in zip(turns, heard, strict=True) for turn in pair]
    add_turns(backend.ports, admin, PROJECT, "talk", both)
    assert "heron" in (get(backend, admin, "r10").context or "")
    united = merge(backend, admin, "t00", *(f"t{n:02d}" for n in range(1, MERGED_MAX + 1)))
    assert len(united.detail["merged_ids"]) == MERGED_MAX
    for n in range(1, MERGED_MAX + 1):
        assert get(backend, admin, f"t{n:02d}").superseded_by == "t00"
    assert "heron number 10" not in (get(backend, admin, "r10").context or "")
    assert "heron number 20" not in (get(backend, admin, "r20").context or "")


@pytest.mark.parametrize("status", ["archived", "superseded"])
def test_what_is_out_of_use_is_not_merged(backend: EmbeddedBackend, admin: Principal, status: str) -> None:
    """Nor does it take in others; and nothing is half done."""
    for id, content in (("a", SHORT), ("b", LONG), ("c", OTHER)):
        add(backend, admin, id, content)
    if status == "archived":
        archive_memory(backend.ports, admin, PROJECT, "c")
    else:
        supersede_memory(backend.ports, admin, PROJECT, "c", {"content": "Otters play at night.", "id": "d"})
    before = [get(backend, admin, id) for id in "abc"]
    with pytest.raises(Conflict, match=f"c is {status}"):
        merge(backend, admin, "a", "b", "c")
    with pytest.raises(Conflict, match=f"c is {status}; only an active memory takes another's place"):
        merge(backend, admin, "c", "a")
    assert [get(backend, admin, id) for id in "abc"] == before


def test_no_chain_becomes_a_ring(backend: EmbeddedBackend, admin: Principal) -> None:
    for id, content in (("a", SHORT), ("b", LONG), ("c", OTHER)):
        add(backend, admin, id, content)
    with pytest.raises(Invalid, match="a cannot be merged into itself; name others"):
        merge(backend, admin, "a", "b", "a")
    merge(backend, admin, "a", "b")
    merge(backend, admin, "c", "a")
    with pytest.raises(Conflict, match="b is superseded"):
        merge(backend, admin, "b", "c")


def test_a_merge_is_for_those_who_may_change_all_of_it(
    backend: EmbeddedBackend, agent: Principal, admin: Principal
) -> None:
    """Falls without `require_changeable` in `_changeable`."""
    add(backend, agent, "a", SHORT)
    add(backend, Principal("acme", "agent-8"), "b", LONG)
    for into, other in (("a", "b"), ("b", "a")):
        with pytest.raises(Forbidden, match="b was created by agent-8"):
            merge(backend, agent, into, other)
    with pytest.raises(NotFound, match="no memory none"):
        merge(backend, admin, "a", "none")
    with pytest.raises(StaleVersion):
        merge(backend, admin, "a", "b", expected=7)


def test_what_only_some_may_see_stays_theirs(backend: EmbeddedBackend, admin: Principal) -> None:
    """Falls without the look at the personas: the words of one would be shown to all."""
    add(backend, admin, "a", SHORT)
    add(backend, admin, "b", LONG, persona="ops")
    with pytest.raises(Conflict, match="b is for persona ops, a for everyone"):
        merge(backend, admin, "a", "b")
    other = Principal(tenant="acme", subject="r", roles=frozenset({"reviewer"}))
    with pytest.raises(NotFound):
        merge(backend, other, "a", "b")


def test_an_agents_merge_leaves_an_approval_as_it_is(
    backend: EmbeddedBackend, agent: Principal, admin: Principal
) -> None:
    """Falls without `only_proposes`: an approval would come to stand on words that nobody has seen."""
    add(backend, agent, "a", LONG)
    add(backend, agent, "b", SHORT, tags=("birds",))
    approve_memory(backend.ports, admin, PROJECT, "a")
    stored = merge_memories(backend.ports, agent, PROJECT, "a", ["b"])
    assert isinstance(stored, StoredMemory)
    proposal = stored.memory
    assert (proposal.id, proposal.standing, proposal.is_active) == ("b", "unreviewed", True)
    kept = get_memory(backend.ports, agent, PROJECT, "a")
    assert (kept.approved_by, kept.content, kept.tags) == (admin.name, LONG, ())


def test_what_would_be_refuted_together_is_left_as_it_is(backend: EmbeddedBackend, admin: Principal) -> None:
    for id, content in (("a", SHORT), ("b", LONG)):
        add(backend, admin, id, content)
        report_outcome(backend.ports, admin, PROJECT, id, OutcomeReport(result="failed"))
    with pytest.raises(Conflict, match=r"would be archived \(outcome_score below -0.5\)"):
        merge(backend, admin, "a", "b")
    assert get(backend, admin, "b").is_active


def test_a_merge_undone_and_done_again_counts_once(backend: EmbeddedBackend, admin: Principal) -> None:
    """Falls without `_fresh`. The other one is back with all it had; a version takes back what was taken in."""
    add(backend, admin, "a", SHORT)
    add(backend, admin, "b", LONG)
    report_outcome(backend.ports, admin, PROJECT, "b", OutcomeReport(result="worked"))
    united = merge(backend, admin, "a", "b")
    back = undo_last_change(backend.ports, admin, PROJECT, "b")
    assert isinstance(back, Memory)
    assert (back.status, back.superseded_by, back.valid_to, back.worked) == ("active", None, None, 1)
    assert get(backend, admin, "a") == united
    again = merge(backend, admin, "a", "b")
    assert (again.worked, again.outcome_score) == (1, 0.2)
    undo_last_change(backend.ports, admin, PROJECT, "b")
    restore_version(backend.ports, admin, PROJECT, "a", 1)
    assert get(backend, admin, "a").content == SHORT
    undone = undo_last_change(backend.ports, admin, PROJECT, "b")
    assert isinstance(undone, Memory)
    assert (undone.status, undone.superseded_by) == ("superseded", "a")


def test_the_same_request_twice_merges_once(backend: EmbeddedBackend, admin: Principal) -> None:
    add(backend, admin, "a", SHORT)
    add(backend, admin, "b", LONG)
    once = IdempotentRequest("k", "k", "same", lambda stored: (200, stored.memory.content))
    assert isinstance(merge_memories(backend.ports, admin, PROJECT, "a", ["b", "b"], once=once), StoredMemory)
    again = merge_memories(backend.ports, admin, PROJECT, "a", ["b", "b"], once=once)
    assert isinstance(again, IdempotencyRecord)
    assert again.body == LONG
    with pytest.raises(Conflict, match="b is superseded by a"):
        merge(backend, admin, "a", "b")
    assert get(backend, admin, "a").version == 2
