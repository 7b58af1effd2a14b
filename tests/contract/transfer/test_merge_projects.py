"""Two projects become one: by id, then by content; nothing is counted twice, and the other one stays as it is."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest

from memory_layer.bootstrap.embedded import EmbeddedBackend
from memory_layer.domain.access import Principal
from memory_layer.domain.fields import memory_to_json
from memory_layer.domain.memory import Memory, Scope
from memory_layer.errors import Forbidden, Invalid
from memory_layer.usecases.ground.project_pages import every_record
from memory_layer.usecases.ground.queries import get_memory, memory_history
from memory_layer.usecases.learn.report_outcome import OutcomeReport, report_outcome
from memory_layer.usecases.recall.recall import RecallRequest, recall
from memory_layer.usecases.review.approve import reject_memory
from memory_layer.usecases.review.configure import set_policy
from memory_layer.usecases.transfer.export_project import export_lines
from memory_layer.usecases.transfer.import_project import import_lines
from memory_layer.usecases.transfer.merge_projects import MergeReport, merge_project
from memory_layer.usecases.write.forget import archive_memory
from memory_layer.usecases.write.prepare import RememberRequest
from memory_layer.usecases.write.remember import StoredMemory, remember
from memory_layer.usecases.write.supersede import supersede_memory
from tests.contract.transfer.test_export_import import NOW, line, sealed
from tests.given import remembered

INTO, FROM = "web", "shop"
SECRET = "AKIAIOSFODNN7EXAMPLE"


def add(
    backend: EmbeddedBackend, principal: Principal, project: str, content: str, **fields: object
) -> Memory:
    return remembered(backend.ports, principal, content, project=project, on_duplicate="create", **fields)


def merged(backend: EmbeddedBackend, principal: Principal, *, is_dry_run: bool = False) -> MergeReport:
    return merge_project(backend.ports, principal, INTO, FROM, is_dry_run=is_dry_run)


def records(backend: EmbeddedBackend, project: str) -> dict[str, Memory]:
    return {
        memory.id: memory for memory in every_record(backend.ports.store.memories, Scope("acme", project))
    }


def test_by_id_then_by_content_and_the_rest_is_copied(backend: EmbeddedBackend, admin: Principal) -> None:
    add(backend, admin, INTO, "Ours under this id.", id="both")
    add(backend, admin, FROM, "Theirs under this id.", id="both")
    twin = add(backend, admin, INTO, "Said by both.", tags=["ours"])
    said = add(backend, admin, FROM, "Said by both.", tags=["theirs"])
    for project, id in ((INTO, twin.id), (FROM, said.id)):
        report_outcome(backend.ports, admin, project, id, OutcomeReport(result="worked", run_id=project))
    file = sealed(
        [line(id="c", content="News.", version=7, access_count=3, last_accessed_at=NOW, project=FROM)], FROM
    )
    import_lines(backend.ports, admin, FROM, file)
    before = records(backend, FROM)
    told = merged(backend, admin)
    assert (told.records, told.copied, told.merged, told.known) == (3, 1, 1, 1)
    assert told.differing_ids == ("both",)
    after = records(backend, INTO)
    assert after["both"].content == "Ours under this id."
    assert (after[twin.id].worked, after[twin.id].use_count, after[twin.id].tags) == (
        2,
        2,
        ("ours", "theirs"),
    )
    assert after[twin.id].detail["merged_ids"] == [said.id]
    assert after["c"] == replace(before["c"], project=INTO)
    assert (after["c"].version, after["c"].access_count) == (7, 3)
    (version,) = memory_history(backend.ports, admin, INTO, "c")
    assert (version.verb, version.reason) == ("copied", "copied from project shop")
    assert records(backend, FROM) == before


def test_a_second_merge_changes_nothing_and_a_later_one_adds_what_is_new(
    backend: EmbeddedBackend, admin: Principal
) -> None:
    """Falls where evidence is united by content alone: every merge would count it once more."""
    add(backend, admin, INTO, "Said by both.")
    add(backend, admin, FROM, "Said by both.")
    add(backend, admin, FROM, "News.")
    merged(backend, admin)
    after = records(backend, INTO)
    told = merged(backend, admin)
    assert (told.copied, told.merged, told.known) == (0, 0, 2)
    assert records(backend, INTO) == after
    add(backend, admin, FROM, "More news.")
    assert merged(backend, admin).copied == 1


def test_the_same_id_of_another_project_is_another_record(backend: EmbeddedBackend, admin: Principal) -> None:
    """Falls where `detail.merged_ids` alone says what was taken in: ids are unique in one project only."""
    twin = add(backend, admin, INTO, "Said by all.")
    for project in (FROM, "third"):
        add(backend, admin, project, "Said by all.", id="rule-1")
        assert merge_project(backend.ports, admin, INTO, project).merged == 1
        assert merge_project(backend.ports, admin, INTO, project).known == 1
    assert get_memory(backend.ports, admin, INTO, twin.id).version == 3


def test_an_id_that_fell_off_the_list_is_known_all_the_same(
    backend: EmbeddedBackend, admin: Principal
) -> None:
    """The list of merged ids holds 64; the history holds all."""
    add(backend, admin, INTO, "Said by all.")
    for number in range(70):
        add(backend, admin, FROM, "Said by all.", id=f"m{number:02}")
    assert merged(backend, admin).merged == 70
    assert merged(backend, admin).known == 70


def test_a_dry_run_foresees_what_happens(backend: EmbeddedBackend, admin: Principal) -> None:
    add(backend, admin, INTO, "Said by both.")
    for content in ("Said by both.", "News.", "News.", "Old."):
        add(backend, admin, FROM, content)
    archived = add(backend, admin, FROM, "Said by both, and archived.")
    archive_memory(backend.ports, admin, FROM, archived.id)
    for _ in range(2):
        before = records(backend, INTO)
        foreseen = merged(backend, admin, is_dry_run=True)
        assert records(backend, INTO) == before
        assert foreseen == replace(merged(backend, admin), is_dry_run=True)


def test_what_somebody_stored_meanwhile_is_seen(
    backend: EmbeddedBackend, admin: Principal, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Falls without `is_news` on copies, or where a conflict ends the merge."""
    add(backend, admin, FROM, "Said by both.", id="a")
    add(backend, admin, FROM, "News.", id="b")
    writer = type(backend.ports.store.writer)
    commit_each = writer.commit_each

    def overtaken(self: Any, commits: Any) -> Any:
        monkeypatch.setattr(writer, "commit_each", commit_each)
        stored = remember(
            backend.ports, admin, INTO, RememberRequest(fields={"id": "t", "content": "Said by both."})
        )
        assert isinstance(stored, StoredMemory)
        add(backend, admin, INTO, "Something else.", id="b")
        return commit_each(self, commits)

    monkeypatch.setattr(writer, "commit_each", overtaken)
    told = merged(backend, admin)
    assert (told.copied, told.merged, told.known) == (0, 1, 1)
    after = records(backend, INTO)
    assert after["t"].detail["merged_ids"] == ["a"]
    assert after["b"].content == "Something else."


def test_what_is_out_of_use_or_of_another_persona_is_copied_beside(
    backend: EmbeddedBackend, admin: Principal
) -> None:
    add(backend, admin, INTO, "Said by both.")
    archived = add(backend, admin, FROM, "Said by both.")
    archive_memory(backend.ports, admin, FROM, archived.id)
    other = add(backend, admin, FROM, "Said by both.", persona="critic")
    told = merged(backend, admin)
    assert (told.copied, told.merged) == (2, 0)
    after = records(backend, INTO)
    assert (after[archived.id].status, after[other.id].persona) == ("archived", "critic")


def test_copies_are_recalled_by_meaning_without_being_embedded_again(
    backend: EmbeddedBackend, admin: Principal, monkeypatch: pytest.MonkeyPatch
) -> None:
    add(backend, admin, FROM, "The heron nests in April.", context="about birds")
    embedded: list[str] = []
    embed = type(backend.ports.embedder).embed

    def counting(self: Any, texts: Sequence[str]) -> Any:
        embedded.extend(texts)
        return embed(self, texts)

    with monkeypatch.context() as patched:
        patched.setattr(type(backend.ports.embedder), "embed", counting)
        merged(backend, admin)
    assert embedded == []
    backend.drain()
    found = recall(
        backend.ports, admin, INTO, RecallRequest(query="When do birds breed?", strategy="semantic")
    )
    assert [item.memory.content for item in found.memories] == ["The heron nests in April."]


def test_this_projects_privacy_mode_holds(backend: EmbeddedBackend, admin: Principal) -> None:
    """Falls without `admit_record` in usecases/transfer/merge_projects.py."""
    set_policy(backend.ports, admin, FROM, lambda policy: replace(policy, privacy_mode="off"))
    secret = add(backend, admin, FROM, f"the key is {SECRET}")
    add(backend, admin, FROM, "No secret.")
    set_policy(backend.ports, admin, INTO, lambda policy: replace(policy, privacy_mode="refuse"))
    told = merged(backend, admin)
    assert (told.copied, told.refused, told.refused_ids[0][0]) == (1, 1, secret.id)
    assert SECRET not in told.refused_ids[0][1]
    set_policy(backend.ports, admin, INTO, lambda policy: replace(policy, privacy_mode="secrets"))
    told = merged(backend, admin)
    assert (told.copied, told.redacted) == (1, 1)
    assert SECRET not in json.dumps([memory_to_json(memory) for memory in records(backend, INTO).values()])


def test_what_was_merged_is_exported_with_its_project(backend: EmbeddedBackend, admin: Principal) -> None:
    add(backend, admin, FROM, "News.")
    merged(backend, admin)
    *lines, _ = export_lines(backend.ports, admin, INTO)
    assert [json.loads(each)["project"] for each in lines] == [INTO]


def test_it_is_an_admins_and_between_two(
    backend: EmbeddedBackend, admin: Principal, agent: Principal
) -> None:
    for roles in ({"agent"}, {"reviewer"}):
        with pytest.raises(Forbidden):
            merged(backend, replace(agent, roles=frozenset(roles)))  # type: ignore[arg-type]
    with pytest.raises(Invalid):
        merge_project(backend.ports, admin, INTO, INTO)
    assert merged(backend, admin).records == 0


def correction(
    backend: EmbeddedBackend, principal: Principal, project: str, old: str, new: str
) -> tuple[str, str]:
    """Ids of a memory and of its correction."""
    was = add(backend, principal, project, old)
    stored = supersede_memory(backend.ports, principal, project, was.id, {"content": new})
    assert isinstance(stored, StoredMemory)
    return was.id, stored.memory.id


def test_a_chain_goes_on_at_the_twin_of_its_end(backend: EmbeddedBackend, admin: Principal) -> None:
    """Falls without `_united_with`: the successor never comes in under its own id."""
    twin = add(backend, admin, INTO, "Port 443 is open.")
    old, _ = correction(backend, admin, FROM, "Port 80 is open.", "Port 443 is open.")
    foreseen = merged(backend, admin, is_dry_run=True)
    assert foreseen == replace(merged(backend, admin), is_dry_run=True)
    assert get_memory(backend.ports, admin, INTO, old).superseded_by == twin.id
    told = {version.memory.id for version in memory_history(backend.ports, admin, INTO, old)}
    assert told == {old, twin.id}
    assert merged(backend, admin).known == 2


def test_a_chain_goes_on_where_its_own_project_says_it_twice(
    backend: EmbeddedBackend, admin: Principal
) -> None:
    """Falls where what was superseded is copied in its turn: the record that takes its successor in comes later."""
    was = add(backend, admin, FROM, "Port 80 is open.", id="old")
    said = add(backend, admin, FROM, "Port 443 is open.", id="said")
    new = add(backend, admin, FROM, "Port 443 is open.", id="new")
    supersede_memory(backend.ports, admin, FROM, was.id, {"id": new.id})
    told = merged(backend, admin)
    assert (told.copied, told.merged) == (2, 1)
    assert get_memory(backend.ports, admin, INTO, "old").superseded_by in (said.id, new.id)
    assert get_memory(backend.ports, admin, INTO, str(records(backend, INTO)["old"].superseded_by)).is_active


def ended(backend: EmbeddedBackend, admin: Principal, how: str) -> Memory:
    """A memory that somebody has taken out of use."""
    memory = add(backend, admin, INTO, "Deploys go out on Fridays.")
    if how == "rejected":
        reject_memory(backend.ports, admin, INTO, memory.id, reason="we stopped that")
    elif how == "archived":
        archive_memory(backend.ports, admin, INTO, memory.id)
    else:
        supersede_memory(
            backend.ports, admin, INTO, memory.id, {"content": "Nobody deploys before a weekend."}
        )
    return get_memory(backend.ports, admin, INTO, memory.id)


@pytest.mark.parametrize("how", ["rejected", "archived", "superseded"])
def test_what_was_taken_out_of_use_here_stays_out(
    backend: EmbeddedBackend, admin: Principal, how: str
) -> None:
    """Falls without `_at_rest`: another project would say again what somebody here has refused."""
    before = ended(backend, admin, how)
    said = add(backend, admin, FROM, "Deploys go out on Fridays.")
    foreseen = merged(backend, admin, is_dry_run=True)
    assert foreseen == replace(merged(backend, admin), is_dry_run=True)
    after = records(backend, INTO)
    assert after[before.id] == before
    assert (after[said.id].status, before.id in str(after[said.id].status_reason)) == ("archived", True)
    assert merged(backend, admin).known == 1
    assert records(backend, FROM)[said.id].is_active


def test_what_is_said_again_here_is_united(backend: EmbeddedBackend, admin: Principal) -> None:
    """What is in use here decides, whatever was refused before; and age alone refuses nothing."""
    ended(backend, admin, "archived")
    twin = add(backend, admin, INTO, "Deploys go out on Fridays.")
    add(backend, admin, FROM, "Deploys go out on Fridays.")
    add(backend, admin, INTO, "Gone by age.", expires_at=backend.ports.clock.now())
    young = add(backend, admin, FROM, "Gone by age.")
    assert (merged(backend, admin).merged, get_memory(backend.ports, admin, INTO, young.id).status) == (
        1,
        "active",
    )
    assert get_memory(backend.ports, admin, INTO, twin.id).is_active


def test_what_is_refused_while_a_merge_goes_on_stays_out(
    backend: EmbeddedBackend, admin: Principal, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Falls where a twin that was taken out of use meanwhile counts for none."""
    twin = add(backend, admin, INTO, "Deploys go out on Fridays.")
    said = add(backend, admin, FROM, "Deploys go out on Fridays.")
    memories = type(backend.ports.store.memories)
    get = memories.get

    def overtaken(self: Any, scope: Scope, id: str) -> Memory | None:
        monkeypatch.setattr(memories, "get", get)
        reject_memory(backend.ports, admin, INTO, twin.id)
        return get(self, scope, id)

    monkeypatch.setattr(memories, "get", overtaken)
    assert merged(backend, admin).copied == 1
    assert get_memory(backend.ports, admin, INTO, said.id).status == "archived"


def test_two_projects_close_no_ring(backend: EmbeddedBackend, admin: Principal) -> None:
    """Falls without `_without_rings`: the halves lie in two projects."""
    for project, old, new in ((INTO, "a", "b"), (FROM, "b", "a")):
        half = line(id=old, status="superseded", active=False, superseded_by=new, project=project)
        import_lines(backend.ports, admin, project, sealed([half], project))
    told = merged(backend, admin)
    assert (told.copied, told.refused, told.refused_ids[0][0]) == (0, 1, "b")
    assert "ring" in told.refused_ids[0][1]
