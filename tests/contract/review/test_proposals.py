"""Agents propose other words for what people trust; the words stand until a reviewer decides."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from memory_layer.bootstrap.embedded import EmbeddedBackend
from memory_layer.domain.access import Principal
from memory_layer.domain.memory import Memory
from memory_layer.domain.proposals import PROPOSALS_OF_ONE, PROPOSED_FOR
from memory_layer.edge.shapes.answers import changed_answer, stored_answer
from memory_layer.errors import Conflict, Forbidden
from memory_layer.usecases.review.approve import approve_memory, reject_memory
from memory_layer.usecases.review.confirm import confirm_memory
from memory_layer.usecases.review.near_review_item import linked_by_proposal, near_review_item
from memory_layer.usecases.review.review import awaiting_review
from memory_layer.usecases.write.forget import archive_memory
from memory_layer.usecases.write.merge_memories import merge_memories
from memory_layer.usecases.write.put import put_memory
from memory_layer.usecases.write.restore_version import restore_version
from memory_layer.usecases.write.revise import revise
from memory_layer.usecases.write.supersede import supersede_memory
from memory_layer.usecases.write.undo import undo_last_change
from memory_layer.usecases.write.write_line import StoredMemory
from tests.given import PROJECT, REVIEWER, put_as, read_back, recalled_ids, remembered

EVE = Principal("acme", "u7", email="eve@acme.test")
BOT, OTHER = Principal("acme", "bot-1"), Principal("acme", "bot-2")
OLD = "The deploy needs Node 18."
NEW = {"content": "The deploy needs Node 22."}


@pytest.fixture
def said(backend: EmbeddedBackend) -> EmbeddedBackend:
    """A person's memory, and one of an agent that a reviewer approved."""
    put_as(backend.ports, EVE, "said", OLD)
    put_as(backend.ports, BOT, "approved", "The gateway is deployed before the billing worker.")
    approve_memory(backend.ports, REVIEWER, PROJECT, "approved")
    backend.drain()
    return backend


def get(backend: EmbeddedBackend, id: str) -> Memory:
    return read_back(backend.ports.store, EVE.scope(PROJECT), id)


def unmoved(backend: EmbeddedBackend, id: str, proposal: Memory) -> None:
    """The trusted memory stands as it stood, doubted; the proposal stands beside it, unreviewed."""
    old = get(backend, id)
    assert (old.status, old.superseded_by, old.standing, old.confidence) == ("active", None, "trusted", 1.0)
    assert old.doubted is not None
    assert proposal.id in old.doubted.proposals
    assert (proposal.standing, proposal.supersedes, proposal.confidence) == ("unreviewed", None, 0.5)
    assert [(link.type, link.target) for link in proposal.relations] == [(PROPOSED_FOR, id)]
    backend.drain()
    assert id in recalled_ids(backend.ports, EVE, old.content, limit=3)


def test_an_agents_correction_of_a_persons_memory_is_a_proposal(said: EmbeddedBackend) -> None:
    """Falls without `only_proposes` in `supersede_memory`."""
    stored: Any = supersede_memory(said.ports, BOT, PROJECT, "said", NEW, reason="engines in package.json")
    unmoved(said, "said", stored.memory)
    status, body = stored_answer(stored)
    assert status == 202
    assert '"proposed_for":"said"' in body


@pytest.mark.parametrize(("id", "who"), [("said", BOT), ("approved", OTHER), ("approved", BOT)])
def test_an_agents_update_of_trusted_words_is_a_proposal(
    said: EmbeddedBackend, id: str, who: Principal
) -> None:
    """Falls without `only_proposes` in `revise`: an approval would lapse with its author's update."""
    before = get(said, id)
    revised = revise(said.ports, who, PROJECT, id, {**NEW, "tags": ("deploy",)})
    unmoved(said, id, revised.memory)
    assert get(said, id).content == before.content
    assert (revised.memory.content, revised.memory.tags) == (NEW["content"], ("deploy",))
    assert changed_answer(revised)[0] == 202


def test_the_author_of_an_approved_memory_proposes_under_its_own_id_too(said: EmbeddedBackend) -> None:
    stored = put_memory(said.ports, BOT, PROJECT, "approved", NEW)
    assert stored.proposed_for == "approved"
    unmoved(said, "approved", stored.memory)
    with pytest.raises(Forbidden):
        restore_version(said.ports, BOT, PROJECT, "approved", 1)


def test_a_merge_with_a_trusted_memory_proposes_the_agents_own(said: EmbeddedBackend) -> None:
    put_as(said.ports, BOT, "its", "The deploy needs Node 22, as engines says.")
    stored: Any = merge_memories(said.ports, BOT, PROJECT, "said", ["its"])
    assert (stored.memory.id, stored.proposed_for) == ("its", "said")
    unmoved(said, "said", get(said, "its"))
    with pytest.raises(Forbidden, match="one memory at a time"):
        merge_memories(said.ports, BOT, PROJECT, "said", ["approved"])


def test_a_twin_that_shall_supersede_a_trusted_memory_is_a_proposal(said: EmbeddedBackend) -> None:
    """Falls without `only_proposes` in `remember`."""
    memory = remembered(said.ports, BOT, "The deploy needs Node 20.", on_duplicate="supersede")
    if memory.relations:  # it is near enough
        unmoved(said, "said", memory)
    assert get(said, "said").is_active


def test_an_agent_puts_no_labels_on_a_trusted_memory(said: EmbeddedBackend) -> None:
    """Falls without `_refuse_agents_labels`: its tags would lead every scope with a reviewer's approval."""
    for change in ({"tags": ("**",)}, {"active": False}, {"expires_at": None}):
        with pytest.raises(Forbidden):
            revise(said.ports, BOT, PROJECT, "approved", change)
    assert get(said, "approved").is_approved


def test_an_agent_archives_nothing_that_is_trusted(said: EmbeddedBackend) -> None:
    """Falls without the check in `archive_memory`: approved words would leave recall without a reviewer."""
    with pytest.raises(Forbidden, match="a reviewer archives it"):
        archive_memory(said.ports, BOT, PROJECT, "approved")
    assert get(said, "approved").is_active


def test_a_reviewer_sees_and_accepts_a_proposal(said: EmbeddedBackend) -> None:
    """Falls without `settled_proposal`."""
    proposal = revise(said.ports, BOT, PROJECT, "said", NEW).memory
    page = awaiting_review(said.ports, REVIEWER, PROJECT, after=None, limit=10)
    assert [getattr(item, "id", None) for item in page.items] == ["said"]
    accepted = approve_memory(said.ports, REVIEWER, PROJECT, proposal.id)
    assert (accepted.standing, accepted.supersedes, accepted.version) == ("trusted", "said", 2)
    assert (get(said, "said").status, get(said, "said").superseded_by) == ("superseded", proposal.id)
    said.drain()
    assert recalled_ids(said.ports, EVE, "which Node does the deploy need?", limit=1) == [proposal.id]


def test_a_rejected_proposal_leaves_no_doubt(said: EmbeddedBackend) -> None:
    first = revise(said.ports, BOT, PROJECT, "said", NEW).memory
    second = revise(said.ports, OTHER, PROJECT, "said", {"content": "The deploy needs Bun instead."}).memory
    assert reject_memory(said.ports, REVIEWER, PROJECT, first.id).status == "rejected"
    doubt = get(said, "said").doubted
    assert doubt is not None
    assert doubt.proposals == (second.id,)
    reject_memory(said.ports, REVIEWER, PROJECT, second.id)
    assert get(said, "said").doubted is None


def test_a_relation_that_an_agent_writes_itself_proposes_nothing(said: EmbeddedBackend) -> None:
    """Falls without `is_open`: an approval of something else would retire a person's memory."""
    from memory_layer.domain.memory import Relation

    put_as(said.ports, BOT, "its", "Water the plants.", relations=(Relation(PROPOSED_FOR, "said"),))
    approve_memory(said.ports, REVIEWER, PROJECT, "its")
    assert get(said, "said").is_active


def test_a_confirmation_settles_the_proposals_as_well(said: EmbeddedBackend) -> None:
    proposal = revise(said.ports, BOT, PROJECT, "said", NEW).memory
    confirm_memory(said.ports, EVE, PROJECT, "said")
    assert get(said, "said").doubted is None
    approve_memory(said.ports, REVIEWER, PROJECT, proposal.id)
    assert get(said, "said").is_active


def test_proposals_are_bounded(said: EmbeddedBackend) -> None:
    """Falls without the room that `proposed` asks for."""
    for number in range(16):
        bot = Principal("acme", f"bot-{number // 4}")
        words = {"content": f"Thing number {number} of {number * 7}."}
        supersede_memory(said.ports, bot, PROJECT, "said", words)
    with pytest.raises(Conflict, match="16 proposals already"):
        supersede_memory(
            said.ports, Principal("acme", "bot-9"), PROJECT, "said", {"content": "One more thing."}
        )
    approve_memory(said.ports, REVIEWER, PROJECT, "said")
    assert waiting(said) == [], "one transaction has room for the rejection of all"


def test_one_principal_leaves_room_to_others(said: EmbeddedBackend) -> None:
    """Falls without PROPOSALS_OF_ONE; a proposal that is superseded makes room."""
    made = []
    for number in range(PROPOSALS_OF_ONE):
        client = Principal("acme", f"agent:{number}:eve@acme.test")
        words = {"content": f"Thing number {number} of {number * 7}."}
        stored = supersede_memory(said.ports, client, PROJECT, "said", words)
        assert isinstance(stored, StoredMemory)
        made.append(stored.memory.id)
    one_more = {"content": "One more thing."}
    with pytest.raises(Conflict, match="supersede or archive one of these"):
        supersede_memory(said.ports, client, PROJECT, "said", one_more)
    supersede_memory(said.ports, OTHER, PROJECT, "said", {"content": "What another says of it."})
    archive_memory(said.ports, client, PROJECT, made[-1])
    supersede_memory(said.ports, client, PROJECT, "said", one_more)


def test_who_decides_sees_the_words_that_a_proposal_links(said: EmbeddedBackend) -> None:
    """Falls without `linked_by_proposal`, however far the words are from each other."""
    words = {"content": "Build inside of the container image."}
    stored: Any = supersede_memory(said.ports, BOT, PROJECT, "said", words)
    beside, *_ = near_review_item(said.ports, REVIEWER, PROJECT, "said")
    assert (beside.memory.id, beside.memory.content) == (stored.memory.id, words["content"])
    assert near_review_item(said.ports, REVIEWER, PROJECT, stored.memory.id)[0].memory.id == "said"
    approve_memory(said.ports, REVIEWER, PROJECT, "said")
    assert linked_by_proposal(said.ports, REVIEWER, get(said, stored.memory.id)) == [], (
        "it waits for no place"
    )


def test_a_reviewer_of_some_personas_sees_no_words_of_another(
    said: EmbeddedBackend, admin: Principal
) -> None:
    """Falls without the look at the persona in `linked_by_proposal`."""
    stored: Any = supersede_memory(said.ports, BOT, PROJECT, "said", NEW)
    of_ada = replace(REVIEWER, persona="ada", personas=frozenset({"ada"}))
    assert len(linked_by_proposal(said.ports, of_ada, get(said, "said"))) == 1
    revise(said.ports, admin, PROJECT, stored.memory.id, {"persona": "bo"})
    assert linked_by_proposal(said.ports, of_ada, get(said, "said")) == []


def two_proposals(backend: EmbeddedBackend) -> tuple[str, str]:
    """Ids of what two agents propose for one memory."""
    words = [(BOT, NEW), (OTHER, {"content": "Deploys run on Bun since spring."})]
    return tuple(revise(backend.ports, who, PROJECT, "said", said).memory.id for who, said in words)  # type: ignore[return-value]


def waiting(backend: EmbeddedBackend) -> list[str]:
    page = awaiting_review(backend.ports, REVIEWER, PROJECT, after=None, limit=10)
    return [getattr(item, "id", "") for item in page.items]


def test_what_else_is_proposed_waits_for_the_place_of_the_winner(said: EmbeddedBackend) -> None:
    """Falls without `with_open_proposals`: the other one is recalled, and no reviewer is asked."""
    first, second = two_proposals(said)
    accepted = approve_memory(said.ports, REVIEWER, PROJECT, first)
    assert accepted.doubted is not None
    assert (accepted.doubted.proposals, accepted.doubted.by) == ((second,), ("bot-2",))
    assert waiting(said) == [first]
    assert [one.id for one in linked_by_proposal(said.ports, REVIEWER, get(said, second))] == [first]
    approve_memory(said.ports, REVIEWER, PROJECT, second, seen={first: accepted.version})
    assert (get(said, first).superseded_by, get(said, second).supersedes) == (second, first)
    assert waiting(said) == []


def test_what_waits_for_the_winner_is_rejected_or_comes_back_with_an_undo(said: EmbeddedBackend) -> None:
    first, second = two_proposals(said)
    approve_memory(said.ports, REVIEWER, PROJECT, first)
    undo_last_change(said.ports, REVIEWER, PROJECT, "said")
    assert get(said, first).doubted is None
    assert second in get(said, "said").doubted.proposals  # type: ignore[union-attr]
    undo_last_change(said.ports, REVIEWER, PROJECT, "said")
    assert get(said, first).doubted.proposals == (second,)  # type: ignore[union-attr]
    reject_memory(said.ports, REVIEWER, PROJECT, second)
    assert get(said, first).doubted is None
    undo_last_change(said.ports, REVIEWER, PROJECT, second)
    assert get(said, first).doubted.proposals == (second,)  # type: ignore[union-attr]


def test_a_correction_by_a_person_is_doubted_by_what_was_proposed(said: EmbeddedBackend) -> None:
    first, second = two_proposals(said)
    stored: Any = supersede_memory(said.ports, EVE, PROJECT, "said", {"content": "The deploy needs Node 24."})
    assert stored.memory.doubted.proposals == (first, second)


def test_words_stored_in_a_memorys_place_are_doubted_by_what_was_proposed(said: EmbeddedBackend) -> None:
    """Falls without `with_open_proposals` in `remember`: the proposals are recalled on, and no reviewer is asked."""
    first, second = two_proposals(said)
    stored = remembered(said.ports, EVE, "The deploy needs Node 24.", on_duplicate="supersede")
    assert get(said, "said").superseded_by == stored.id
    assert stored.doubted is not None
    assert stored.doubted.proposals == (first, second)


def test_a_merge_hands_on_what_is_proposed(said: EmbeddedBackend) -> None:
    first, second = two_proposals(said)
    put_as(said.ports, EVE, "also", "Node is installed by the image.")
    merged: Any = merge_memories(said.ports, REVIEWER, PROJECT, "also", ["said"])
    assert merged.memory.doubted.proposals == (first, second)
    approve_memory(said.ports, REVIEWER, PROJECT, first, seen={"also": merged.memory.version})
    assert get(said, "also").superseded_by == first


@pytest.mark.parametrize("decide", [approve_memory, confirm_memory])
def test_a_reviewers_word_for_a_memory_rejects_what_is_proposed(said: EmbeddedBackend, decide: Any) -> None:
    """Falls without `overruled_by`: both are recalled on, and no reviewer is asked."""
    first, second = two_proposals(said)
    decide(said.ports, REVIEWER, PROJECT, "said")
    assert [get(said, id).status for id in (first, second)] == ["rejected", "rejected"]
    undo_last_change(said.ports, REVIEWER, PROJECT, first)
    assert get(said, "said").doubted.proposals == (first,)  # type: ignore[union-attr]


def test_the_undo_of_an_approval_asks_again(said: EmbeddedBackend) -> None:
    first, second = two_proposals(said)
    approve_memory(said.ports, REVIEWER, PROJECT, "said")
    undo_last_change(said.ports, REVIEWER, PROJECT, "said")
    assert [get(said, id).status for id in (first, second)] == ["active", "active"]
    assert get(said, "said").doubted.proposals == (first, second)  # type: ignore[union-attr]
