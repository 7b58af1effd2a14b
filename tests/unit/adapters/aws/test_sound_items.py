"""A damaged item of a record is healed from its history, or refused by name; it is never served, nor sealed anew."""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor
from copy import deepcopy
from dataclasses import replace
from hashlib import sha256
from typing import Any, cast

import pytest

from memory_layer.adapters.aws.projection.item_documents import documents_of
from memory_layer.adapters.aws.store import partition_erasure
from memory_layer.adapters.aws.store.commit_actions import RetryKnowledge, change_actions
from memory_layer.adapters.aws.store.history import VersionItems
from memory_layer.adapters.aws.store.receipts import receipt_item, receipt_of
from memory_layer.adapters.aws.store.record_verification import DynamoRecordVerification
from memory_layer.adapters.aws.store.sound_items import DamagedRecordItem, SoundItems
from memory_layer.adapters.aws.table import keys, record_items, record_seals
from memory_layer.adapters.aws.table.history_items import item_digest, verdict_item, verdict_of
from memory_layer.adapters.aws.table.packing import packed, unpacked
from memory_layer.adapters.aws.table.record_update import record_update
from memory_layer.adapters.stored_form.bodies import Bodies
from memory_layer.domain.fields import canonical_json
from memory_layer.domain.integrity.verification import broken_parts
from memory_layer.domain.memory import Ref, Relation
from memory_layer.errors import DamagedRecord, StoreUnavailable
from memory_layer.ports.commit import Change, Commit, Erasure, Vectors, Verdict
from memory_layer.ports.receipts import RecallReceipt
from tests.given import SCOPE, START, BlobsInMemory, a_memory, changed, created, some_vectors
from tests.unit.adapters.aws.items_in_memory import BatchReadsInMemory, ItemsInMemory

MEMORY = a_memory(
    SCOPE,
    summary="One line.",
    detail={"nested": [1, None, "ü"], "share": 0.1},
    context="Before.",
    session_id="talk",
    position=3,
    tags=("api",),
    relations=(Relation("uses", "urn:x"), Relation("needs", "urn:y")),
    outcome_score=-0.275,
    access_count=0,
)
REF = MEMORY.ref
OTHER: dict[str, Any] = {"S": {"S": "!"}, "N": {"N": "77"}, "BOOL": {"BOOL": None}, "L": {"L": []}}
"""Another value of the same type."""


def items_of(change: Change) -> list[dict[str, Any]]:
    """Items that the first commit of a record puts."""
    commit = Commit(scope=SCOPE, changes=(change,))
    return [dict(one.body["Item"]) for one in change_actions(commit, START, RetryKnowledge())]


def record_and_version() -> list[dict[str, Any]]:
    """Item of MEMORY with counts of recalls and vectors, and that of its version."""
    record, version, _ = items_of(created(MEMORY, vectors=some_vectors(1)))
    return [{**record, "access_count": {"N": "5"}}, version]


@pytest.fixture
def table() -> ItemsInMemory:
    return ItemsInMemory(*record_and_version())


@pytest.fixture
def sound(table: ItemsInMemory) -> SoundItems:
    return SoundItems(cast("Any", table), cast("Any", BatchReadsInMemory(table)))


def record_in(table: ItemsInMemory) -> dict[str, Any]:
    return table.items[keys.record_key(SCOPE, "m1")["pk"]["S"], keys.RECORD]


def version_in(table: ItemsInMemory) -> dict[str, Any]:
    return table.items[keys.record_partition(SCOPE, "m1"), keys.version_sort(1)]


def damage_version(table: ItemsInMemory) -> None:
    version_in(table)["record"] = packed(unpacked(version_in(table)["record"]).replace("One", "Two"))


def test_every_attribute_is_healed_and_nothing_else_is_touched(
    table: ItemsInMemory, sound: SoundItems
) -> None:
    """Falls without the comparison with the seal in `sound_memory_of`, and without `ItemRepair.heal`."""
    before, item = sound.one(SCOPE, "m1"), deepcopy(record_in(table))
    for name in (*record_seals.SEALED_ATTRIBUTES, record_seals.SEAL):
        if name == "pk":
            continue
        ((kind, content),) = item.get(name, {"S": "x"}).items()
        value = {"BOOL": not content} if kind == "BOOL" else OTHER[kind]
        record_in(table)[name] = value
        assert sound.one(SCOPE, "m1") == before, name
        assert record_in(table) == item, name
        record_in(table).pop(name, None)
        assert sound.memories(SCOPE.tenant, [REF]) == {REF: before}, name
        if name != record_seals.SEAL:  # an item without one is older than seals, and sealed by its next write
            assert record_in(table) == item, name
        record_in(table)[record_seals.SEAL] = item[record_seals.SEAL]
    assert sound.known_damage() == []


def test_a_damaged_digest_is_healed_whatever_the_order_of_keys(
    sound: SoundItems, table: ItemsInMemory
) -> None:
    """Falls without `_says_all_of`: a version has the keys of objects in order, an item as they were written."""
    record, version, _ = items_of(created(replace(MEMORY, detail={"b": 1, "a": 2})))
    table.items[keys.record_partition(SCOPE, "m1"), keys.RECORD] = {**record, "digest": {"S": "0" * 64}}
    table.items[keys.record_partition(SCOPE, "m1"), keys.version_sort(1)] = version
    assert sound.one(SCOPE, "m1") == replace(MEMORY, detail={"b": 1, "a": 2})
    assert record_in(table)["digest"] == record["digest"]


def test_a_sound_item_is_not_written(table: ItemsInMemory, sound: SoundItems) -> None:
    assert sound.one(SCOPE, "m1") == replace(MEMORY, access_count=5)
    assert sound.mend(SCOPE, ["m1", "gone"]) == []
    assert table.updates == 0


def test_counts_of_recalls_are_no_part_of_a_seal(table: ItemsInMemory, sound: SoundItems) -> None:
    record_in(table)["access_count"] = {"S": "many"}
    assert sound.one(SCOPE, "m1") == MEMORY
    assert table.updates == 0


def test_two_damaged_copies_are_told_and_not_served(table: ItemsInMemory, sound: SoundItems) -> None:
    """Falls without the comparison with the version's digest in `sound_entry_of`."""
    record_in(table)["summary"] = {"S": "Two line."}
    damage_version(table)
    item = deepcopy(record_in(table))
    with pytest.raises(DamagedRecord, match=r"m1 is damaged.*mem verify -p web.*mem restore latest -p web"):
        sound.one(SCOPE, "m1")
    assert sound.memories(SCOPE.tenant, [REF]) == {}
    assert sound.with_vectors(SCOPE.tenant, [REF]) == {}
    (found,) = sound.read(SCOPE.tenant, [REF]).values()
    assert isinstance(found, DamagedRecordItem)
    assert sound.damaged_among(SCOPE.tenant, [REF, Ref(SCOPE.project, "m2")]) == [REF]
    assert sound.known_damage() == [(SCOPE, "m1")]
    assert (sound.mend(SCOPE, ["m1"]), record_in(table)) == ([], item)


def test_what_is_sound_again_is_known_as_damaged_no_longer(table: ItemsInMemory, sound: SoundItems) -> None:
    """Falls where a version that is brought back is not looked at again by a read of its id."""
    version = deepcopy(version_in(table))
    record_in(table)["summary"] = {"S": "Two line."}
    damage_version(table)
    assert sound.memories(SCOPE.tenant, [REF]) == {}
    table.items[keys.record_partition(SCOPE, "m1"), keys.version_sort(1)] = version
    assert sound.one(SCOPE, "m1") is not None
    assert sound.known_damage() == []


def test_an_erased_record_is_known_as_damaged_no_longer(table: ItemsInMemory, sound: SoundItems) -> None:
    record_in(table)["summary"] = {"S": "Two line."}
    damage_version(table)
    assert sound.memories(SCOPE.tenant, [REF]) == {}
    commit = Commit(scope=SCOPE, erasures=(Erasure("m1", 1),))
    tombstone, _ = (dict(one.body["Item"]) for one in change_actions(commit, START, RetryKnowledge()))
    table.items[keys.record_partition(SCOPE, "m1"), keys.RECORD] = tombstone
    assert sound.one(SCOPE, "m1") is None
    assert sound.known_damage() == []


def test_a_version_that_says_something_else_heals_nothing(table: ItemsInMemory, sound: SoundItems) -> None:
    """Falls without `_proven`: a sound line of the same version, which is not what was written here."""
    version = version_in(table)
    document = {**json.loads(unpacked(version["record"])), "summary": "Quite another."}
    version["record"] = packed(canonical_json(document))
    version[record_items.DIGEST] = {"S": item_digest(version)}
    record_in(table)["tags"] = {"L": []}
    with pytest.raises(DamagedRecord):
        sound.one(SCOPE, "m1")


def test_the_words_of_an_erased_neighbour_need_not_be_in_the_history(
    table: ItemsInMemory, sound: SoundItems
) -> None:
    """Falls without `_with_context`."""
    version, before = version_in(table), sound.one(SCOPE, "m1")
    version["record"] = packed(canonical_json({**json.loads(unpacked(version["record"])), "context": None}))
    version[record_items.DIGEST] = {"S": item_digest(version)}
    record_in(table)["tags"] = {"L": []}
    assert sound.one(SCOPE, "m1") == before


def test_who_wrote_meanwhile_keeps_what_they_wrote(table: ItemsInMemory, sound: SoundItems) -> None:
    """Falls without the condition of `healing_update`: the second version would be lost."""
    damaged = {**record_in(table), "summary": {"S": "Two line."}}
    second = replace(MEMORY, version=2, summary="Later.")
    table.items[keys.record_partition(SCOPE, "m1"), keys.RECORD] = record_seals.sealed(
        record_items.item_of(second, None, "log-2")
    )
    assert sound.of_item(damaged) == second
    assert record_in(table)["version"] == {"N": "2"}
    assert table.updates == 0


def test_items_older_than_seals_are_held_against_their_digests(
    table: ItemsInMemory, sound: SoundItems
) -> None:
    """Falls without the comparison with the digest in `sound_memory_of`."""
    record_in(table).pop(record_seals.SEAL)
    before = sound.one(SCOPE, "m1")
    assert table.updates == 0
    record_in(table)["summary"] = {"S": "Two line."}
    assert sound.one(SCOPE, "m1") == before
    assert record_seals.holds_seal(record_in(table))


def test_an_item_older_than_digests_is_taken_as_it_is(table: ItemsInMemory, sound: SoundItems) -> None:
    for name in (record_seals.SEAL, record_items.DIGEST):
        record_in(table).pop(name)
    assert sound.one(SCOPE, "m1") is not None


def test_a_record_is_sealed_by_its_next_write() -> None:
    """Falls where an update leaves out an attribute that the seal covers: what lies there would be sealed anew."""
    update = record_update(changed(MEMORY, some_vectors(2)), "log-2", text_changed=False)
    assert (
        update["UpdateExpression"].count("#") == len(update["ExpressionAttributeNames"]) - 1
    )  # but for the kind
    left = {*record_seals.SEALED_ATTRIBUTES, record_seals.SEAL} - set(
        update["ExpressionAttributeNames"].values()
    )
    assert left == {"pk", "id", "tenant", "project"}


def test_what_an_update_leaves_is_what_its_seal_says(table: ItemsInMemory, sound: SoundItems) -> None:
    after = replace(MEMORY, version=2, summary=None, tags=("seen",))
    update = record_update(Change(after, 1, "updated", "ada", START), "log-2", text_changed=True)
    table.update(**update)
    assert sound.one(SCOPE, "m1") == replace(after, access_count=5)
    assert table.updates == 1


def test_the_names_of_a_format_are_fixed() -> None:
    """Other names are another format: beside a newer release an older one would take sound records for damaged."""
    names = " ".join(record_seals.SEALED_ATTRIBUTES)
    assert (record_seals.SEAL_FORMAT, sha256(names.encode()).hexdigest()[:12]) == (3, "e2dddbbf86c0")


def test_an_older_release_takes_what_a_newer_one_sealed(table: ItemsInMemory, sound: SoundItems) -> None:
    """Falls without the comparison of formats in `holds_seal`."""
    record_in(table)[record_seals.SEAL] = {"S": f"{record_seals.SEAL_FORMAT + 1}:{'0' * 32}"}
    assert sound.one(SCOPE, "m1") is not None
    assert table.updates == 0


def test_what_an_older_release_sealed_is_held_against_its_digest(
    table: ItemsInMemory, sound: SoundItems
) -> None:
    """Falls where an older format is compared with a seal of this one: each record would be written once more."""
    record_in(table)[record_seals.SEAL] = {"S": f"{record_seals.SEAL_FORMAT - 1}:{'0' * 32}"}
    before = sound.one(SCOPE, "m1")
    assert table.updates == 0
    record_in(table)["summary"] = {"S": "Two line."}
    assert sound.one(SCOPE, "m1") == before
    assert table.updates == 1


@pytest.mark.parametrize("number", [2, 7])
def test_a_damaged_number_of_the_format_is_found(number: int) -> None:
    """Falls without the comparison of digests across formats: one flipped bit makes this format an older or a newer."""
    record, _ = record_and_version()
    digest = record[record_seals.SEAL]["S"].partition(":")[2]
    assert record_seals.holds_seal({**record, record_seals.SEAL: {"S": f"{number}:{digest}"}}) is False


def test_a_seal_is_the_same_on_every_python() -> None:
    """Falls with another form of its cells, or where marshal is not what it was: every record would be healed once."""
    item = {name: {"S": name} for name in record_seals.SEALED_ATTRIBUTES if name != "relations"}
    relations = [{"M": {"type": {"S": "uses"}, "target": {"S": "urn:ü"}}}]
    assert record_seals.seal_of({**item, "relations": {"L": relations}}) == {
        "S": "3:8886e5f40a1e04f157be9ccee6ede8f6"
    }


def test_a_map_may_come_in_any_order() -> None:
    """Falls where the seal depends on the order of keys, which DynamoDB does not keep."""
    record, _ = record_and_version()
    turned = [{"M": dict(reversed(list(one["M"].items())))} for one in record["relations"]["L"]]
    assert record_seals.holds_seal({**record, "relations": {"L": turned}})


@pytest.mark.parametrize("name", ["summary", "kind", "content_vector", "vectors_digest"])
def test_a_damaged_item_reaches_no_index(name: str) -> None:
    """Falls without `sound_memory_of` and `is_tombstone` in `documents_of`: the index would hold it."""
    record, _ = record_and_version()
    value = {"S": record_items.TOMBSTONE} if name == "kind" else {"S": "!"}
    damaged = {**record, name: {"B": b"\0" * 768} if name == "content_vector" else value}
    with ThreadPoolExecutor(1) as executor:
        found = documents_of([damaged], Bodies(BlobsInMemory(), executor))
    assert (found.made, len(found.broken)) == ({}, 1)


def test_damaged_vectors_are_not_compared_with(table: ItemsInMemory, sound: SoundItems) -> None:
    """Falls without the comparison in `sound_vectors_of`."""
    ((_, vectors),) = sound.with_vectors(SCOPE.tenant, [REF]).values()
    assert isinstance(vectors, Vectors)
    record_in(table)["content_vector"] = {"B": b"\0" * 768}
    ((memory, vectors),) = sound.with_vectors(SCOPE.tenant, [REF]).values()
    assert (memory.id, vectors) == ("m1", None)


def test_a_damaged_record_is_no_tombstone_for_an_erasure(table: ItemsInMemory) -> None:
    """Falls where `has_tombstone` goes by the kind alone: the history would be deleted, which heals the record."""
    record_in(table)["kind"] = {"S": record_items.TOMBSTONE}
    partition_erasure.finish_erasure(cast("Any", table), SCOPE, "m1", 1)
    assert version_in(table)


def test_a_damaged_version_is_not_shown(table: ItemsInMemory) -> None:
    """Falls without the comparison in `sound_entry_of`."""
    with ThreadPoolExecutor(1) as executor:
        versions = VersionItems(cast("Any", table), cast("Any", BatchReadsInMemory(table)), executor)
        assert len(versions.all(SCOPE, "m1")) == 1
        assert set(versions.in_status_since(SCOPE, ["m1"], "active")) == {"m1"}
        damage_version(table)
        with pytest.raises(StoreUnavailable, match="version 1 of m1 is damaged"):
            versions.all(SCOPE, "m1")
        assert versions.sound(SCOPE, "m1") == []
        assert versions.in_status_since(SCOPE, ["m1"], "active") == {}


def test_a_damaged_version_is_not_sealed_anew_by_an_erasure_beside_it(table: ItemsInMemory) -> None:
    """Falls without the comparison in `_rewriting`."""
    damage_version(table)
    commit = Commit(scope=SCOPE, erasures=(Erasure("m0", 1, echoes=("m1",)),))
    (action,) = partition_erasure.context_removals(cast("Any", table), commit)
    assert ":digest" not in action.body["ExpressionAttributeValues"]


def test_items_beside_the_records_are_held_against_their_digests() -> None:
    """Falls without `sound_item`."""
    verdict = Verdict("v1", "m1", "worked", "ada", START, None, None, None, None, 0.2, 0.1)
    receipt = RecallReceipt("rcl_1", SCOPE, "ada", (REF,), START)
    for item, name, read in (
        (verdict_item(SCOPE, verdict), "principal", verdict_of),
        (receipt_item(receipt), "principal", receipt_of),
    ):
        assert read(item)
        with pytest.raises(record_seals.DamagedItem):
            read({**item, name: {"S": "bob"}})


def test_a_verification_tells_of_a_seal_that_does_not_hold(table: ItemsInMemory) -> None:
    """Falls without `is_seal_broken`: readers would refuse what a verification calls sound."""
    record_in(table)[record_seals.SEAL] = {"S": f"{record_seals.SEAL_FORMAT}:{'0' * 32}"}
    with ThreadPoolExecutor(1) as executor:
        reading = cast("Any", BatchReadsInMemory(table))
        verification = DynamoRecordVerification(cast("Any", table), reading, cast("Any", None), executor)
        (kept,) = verification.under(SCOPE, ["m1"], True)
    found = list(broken_parts(kept, model="none", dimensions=384))
    assert "does not match the seal of its row" in {part.what for part in found}
