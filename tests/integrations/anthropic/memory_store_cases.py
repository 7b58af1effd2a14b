"""The published client of Memory Stores, of which the base URL alone is changed, against our routes."""

from __future__ import annotations

import hashlib
import os
import uuid
from collections.abc import Callable
from typing import Any

import anthropic
import httpx2
import pytest
from anthropic import Anthropic

from memory_layer.client import Memory


def client(**options: Any) -> Anthropic:
    return Anthropic(base_url=os.environ["MEMORY_LAYER_URL"], api_key="none", max_retries=0, **options)


def sha256(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


@pytest.fixture
def stores() -> Any:
    return client().beta.memory_stores


@pytest.fixture
def store(stores: Any) -> Any:
    return stores.create(
        name=f"Notes of {uuid.uuid4().hex[:8]}", description="What we know", metadata={"of": "ada"}
    )


def refused(call: Callable[[], Any], kind: type[anthropic.APIStatusError], type_: str) -> dict[str, Any]:
    """Error of a call, as that API words it."""
    with pytest.raises(kind) as found:
        call()
    assert found.value.body["type"] == "error"
    assert found.value.body["error"]["type"] == type_ == found.value.type
    return dict(found.value.body["error"])


def test_a_store_is_created_read_listed_changed_and_archived(stores: Any, store: Any) -> None:
    assert store.id.startswith("memstore_notes-of-")
    assert (store.type, store.description, store.metadata) == ("memory_store", "What we know", {"of": "ada"})
    assert store.archived_at is None
    assert stores.retrieve(store.id).to_dict() == store.to_dict()
    changed = stores.update(
        store.id, name="Other notes", metadata={"of": None, "team": "blue"}, description=""
    )
    assert (changed.name, changed.metadata, changed.description) == ("Other notes", {"team": "blue"}, "")
    assert store.id in [one.id for one in stores.list(limit=1)]
    assert stores.archive(store.id).archived_at is not None
    assert store.id not in [one.id for one in stores.list()]
    assert store.id in [one.id for one in stores.list(include_archived=True)]


def test_an_archived_store_is_read_and_not_written(stores: Any, store: Any) -> None:
    made = stores.memories.create(store.id, path="/a.md", content="kept")
    stores.archive(store.id)
    for call in [
        lambda: stores.memories.create(store.id, path="/b.md", content="x"),
        lambda: stores.memories.update(made.id, memory_store_id=store.id, content="x"),
        lambda: stores.update(store.id, name="x"),
    ]:
        refused(call, anthropic.ConflictError, "conflict_error")
    assert stores.memories.retrieve(made.id, memory_store_id=store.id).content == "kept"
    stores.memories.delete(made.id, memory_store_id=store.id)


def test_a_deleted_store_is_gone(stores: Any, store: Any) -> None:
    stores.memories.create(store.id, path="/a.md", content="x")
    gone = stores.delete(store.id)
    assert (gone.id, gone.type) == (store.id, "memory_store_deleted")
    refused(lambda: stores.retrieve(store.id), anthropic.NotFoundError, "not_found_error")


TEXTS = ["", " ", "\n\n", "one line", "ends\n", "dos\r\nlines\r\n", "Grüße, 🦉 \u2028", "esc \x1b[0m\\u0000"]


@pytest.mark.parametrize("text", TEXTS)
def test_a_file_comes_back_byte_by_byte(stores: Any, store: Any, text: str) -> None:
    """Falls where a blank, a line end or a control character is lost, or a hash is of something else."""
    made = stores.memories.create(store.id, path="/projects/foo/notes.md", content=text, view="full")
    assert (made.type, made.path, made.content) == ("memory", "/projects/foo/notes.md", text)
    assert (made.content_sha256, made.content_size_bytes) == (sha256(text), len(text.encode()))
    read = stores.memories.retrieve(made.id, memory_store_id=store.id)
    assert read.to_dict() == made.to_dict()
    (listed,) = stores.memories.list(store.id)
    assert listed.to_dict() == {**made.to_dict(), "content": None}


def test_a_large_file_is_one_memory_and_a_larger_one_is_refused(stores: Any, store: Any) -> None:
    text = ("All work and no play. " * 5_000)[:102_400]
    made = stores.memories.create(store.id, path="/long.md", content=text)
    assert made.content_size_bytes == 102_400
    assert stores.memories.retrieve(made.id, memory_store_id=store.id).content == text
    for call in [
        lambda: stores.memories.create(store.id, path="/longer.md", content=text + "."),
        lambda: stores.memories.update(made.id, memory_store_id=store.id, content="é" * 51_201),
    ]:
        error = refused(call, anthropic.BadRequestError, "invalid_request_error")
        assert "102400" in error["message"].replace(",", "")


@pytest.mark.parametrize(
    "path",
    [
        "",
        "a.md",
        "/",
        "//a",
        "/a/",
        "/./a",
        "/a/../b",
        "/a\x07b",
        "/a\u200bb",
        "/e\u0301",
        "/" + "a/" * 20 + "a",
        "/" + "x" * 1024,
    ],
)
def test_a_bad_path_is_refused(stores: Any, store: Any, path: str) -> None:
    refused(
        lambda: stores.memories.create(store.id, path=path, content="x"),
        anthropic.BadRequestError,
        "invalid_request_error",
    )
    assert list(stores.memories.list(store.id)) == []


def test_a_taken_path_is_refused_with_the_file_in_the_way(stores: Any, store: Any) -> None:
    made = stores.memories.create(store.id, path="/a/b", content="x")
    for path in ("/a/b", "/a", "/a/b/c"):
        error = refused(
            lambda path=path: stores.memories.create(store.id, path=path, content="y"),
            anthropic.ConflictError,
            "memory_path_conflict_error",
        )
        assert (error["conflicting_memory_id"], error["conflicting_path"]) == (made.id, "/a/b")
    other = stores.memories.create(store.id, path="/other", content="y")
    refused(
        lambda: stores.memories.update(other.id, memory_store_id=store.id, path="/a/b"),
        anthropic.ConflictError,
        "memory_path_conflict_error",
    )
    assert stores.memories.update(made.id, memory_store_id=store.id, path="/a").path == "/a"


def test_an_update_holds_its_precondition(stores: Any, store: Any) -> None:
    """Falls where a text is written over that the caller never saw."""
    made = stores.memories.create(store.id, path="/a.md", content="one")
    seen = {"type": "content_sha256", "content_sha256": sha256("one")}
    two = stores.memories.update(made.id, memory_store_id=store.id, content="two", precondition=seen)
    assert (two.id, two.content_sha256) == (made.id, sha256("two"))
    assert two.memory_version_id != made.memory_version_id
    refused(
        lambda: stores.memories.update(made.id, memory_store_id=store.id, content="three", precondition=seen),
        anthropic.ConflictError,
        "memory_precondition_failed_error",
    )
    again = stores.memories.update(made.id, memory_store_id=store.id, content="two", precondition=seen)
    assert again.memory_version_id == two.memory_version_id
    refused(
        lambda: stores.memories.delete(
            made.id, memory_store_id=store.id, expected_content_sha256=sha256("one")
        ),
        anthropic.ConflictError,
        "memory_precondition_failed_error",
    )
    gone = stores.memories.delete(made.id, memory_store_id=store.id, expected_content_sha256=sha256("two"))
    assert (gone.id, gone.type) == (made.id, "memory_deleted")
    refused(
        lambda: stores.memories.retrieve(made.id, memory_store_id=store.id),
        anthropic.NotFoundError,
        "not_found_error",
    )
    assert stores.memories.create(store.id, path="/a.md", content="new").id != made.id


def test_an_update_without_anything_is_refused(stores: Any, store: Any) -> None:
    made = stores.memories.create(store.id, path="/a.md", content="one")
    refused(
        lambda: stores.memories.update(made.id, memory_store_id=store.id),
        anthropic.BadRequestError,
        "invalid_request_error",
    )


def test_lists_go_by_path_prefix_depth_and_page(stores: Any, store: Any) -> None:
    paths = ["/a.md", "/notes/x.md", "/notes/y/z.md", "/notes-archive/todo.md", "/z.md"]
    for path in paths:
        stores.memories.create(store.id, path=path, content=path)
    for limit in (1, 2, 100):
        assert [one.path for one in stores.memories.list(store.id, limit=limit)] == sorted(paths)
        shallow = [(one.type, one.path) for one in stores.memories.list(store.id, depth=1, limit=limit)]
        assert shallow == [
            ("memory", "/a.md"),
            ("memory_prefix", "/notes-archive/"),
            ("memory_prefix", "/notes/"),
            ("memory", "/z.md"),
        ]
    below = stores.memories.list(store.id, path_prefix="/notes/", view="full")
    assert [(one.path, one.content) for one in below] == [(one, one) for one in paths[1:3]]
    refused(
        lambda: stores.memories.list(store.id, path_prefix="/notes"),
        anthropic.BadRequestError,
        "invalid_request_error",
    )


def test_a_full_page_has_twenty_files(stores: Any, store: Any) -> None:
    for number in range(21):
        stores.memories.create(store.id, path=f"/{number:02}.md", content=f"text {number}")
    page = stores.memories.list(store.id, view="full", limit=100)
    assert (len(page.data), page.has_next_page()) == (20, True)
    assert len(list(page)) == 21


def test_a_project_of_memories_is_a_store_too(stores: Any) -> None:
    project = f"facts-{uuid.uuid4().hex[:8]}"
    memory = Memory(os.environ["MEMORY_LAYER_URL"], project=project)
    known = memory.create_memory(
        content="We chose Postgres for the orders, decided in May.", category="decision"
    )
    (listed,) = stores.memories.list(f"memstore_{project}", view="full")
    assert (listed.id, listed.content) == (known.id, known.content)
    assert listed.path.startswith("/decision/we-chose-postgres-")
    moved = stores.memories.update(
        known.id, memory_store_id=f"memstore_{project}", path="/db.md", content="We chose Postgres 17."
    )
    assert moved.path == "/db.md"
    assert memory.recall("which database did we choose").memories[0].content == "We chose Postgres 17."
    assert stores.retrieve(f"memstore_{project}").name == project


def test_a_secret_is_removed_and_an_order_of_an_agent_is_held(stores: Any, store: Any) -> None:
    made = stores.memories.create(
        store.id, path="/keys.md", content="the key is AKIAIOSFODNN7EXAMPLE", view="full"
    )
    assert made.content == "the key is [REDACTED:aws_access_key]"
    assert made.content_sha256 == sha256(made.content)
    refused(
        lambda: stores.memories.create(store.id, path="/AKIAIOSFODNN7EXAMPLE.md", content="x"),
        anthropic.BadRequestError,
        "invalid_request_error",
    )


def test_what_is_not_there_and_who_is_not_known_are_told(stores: Any) -> None:
    refused(lambda: stores.retrieve("memstore_never-begun"), anthropic.NotFoundError, "not_found_error")
    refused(lambda: stores.memories.list("memstore_never-begun"), anthropic.NotFoundError, "not_found_error")
    guarded = Anthropic(base_url=os.environ["GUARDED_URL"], auth_token="wrong", max_retries=0)
    refused(lambda: guarded.beta.memory_stores.list(), anthropic.AuthenticationError, "authentication_error")


def test_a_conflict_is_not_sent_again(store: Any) -> None:
    asked: list[str] = []
    patient = Anthropic(
        base_url=os.environ["MEMORY_LAYER_URL"],
        api_key="none",
        max_retries=3,
        http_client=httpx2.Client(event_hooks={"request": [lambda request: asked.append(request.method)]}),
    )
    memories = patient.beta.memory_stores.memories
    memories.create(store.id, path="/a.md", content="x")
    refused(
        lambda: memories.create(store.id, path="/a.md", content="y"),
        anthropic.ConflictError,
        "memory_path_conflict_error",
    )
    assert asked == ["POST", "POST"]


def test_versions_tell_each_change_and_who_made_it(stores: Any, store: Any) -> None:
    made = stores.memories.create(store.id, path="/a.md", content="one")
    two = stores.memories.update(made.id, memory_store_id=store.id, content="two")
    stores.memories.update(made.id, memory_store_id=store.id, path="/b.md")
    stores.memories.delete(made.id, memory_store_id=store.id)
    other = stores.memories.create(store.id, path="/other.md", content="x")
    found = list(stores.memory_versions.list(store.id, memory_id=made.id, view="full", limit=1))
    assert [(one.operation, one.path, one.content) for one in found] == [
        ("deleted", "/b.md", None),
        ("modified", "/b.md", "two"),
        ("modified", "/a.md", "two"),
        ("created", "/a.md", "one"),
    ]
    assert {one.created_by.type for one in found} == {"api_actor"}
    assert [one.content_sha256 for one in found] == [None, sha256("two"), sha256("two"), sha256("one")]
    assert stores.memory_versions.retrieve(made.memory_version_id, memory_store_id=store.id).content == "one"
    assert (
        stores.memory_versions.retrieve(two.memory_version_id, memory_store_id=store.id).id
        == two.memory_version_id
    )
    every = [(one.memory_id, one.operation) for one in stores.memory_versions.list(store.id)]
    assert every == [(other.id, "created"), *((made.id, one.operation) for one in found)]
    assert [one.operation for one in stores.memory_versions.list(store.id, operation="deleted")] == [
        "deleted"
    ]
    assert list(stores.memory_versions.list(store.id, session_id="sesn_1")) == []
    assert list(stores.memory_versions.list(store.id, created_at_lte="2020-01-01T00:00:00Z")) == []


def test_an_outcome_is_no_version_of_a_file(stores: Any, store: Any) -> None:
    made = stores.memories.create(store.id, path="/a.md", content="Deploy on Tuesdays.")
    memory = Memory(os.environ["MEMORY_LAYER_URL"], project=store.id.removeprefix("memstore_"))
    memory.report_outcome(made.id, result="worked")
    (version,) = stores.memory_versions.list(store.id)
    assert version.id == stores.memories.retrieve(made.id, memory_store_id=store.id).memory_version_id
    assert stores.memory_versions.retrieve(made.memory_version_id, memory_store_id=store.id).id == version.id


def test_a_redacted_version_keeps_its_author_and_loses_its_words(stores: Any, store: Any) -> None:
    """Falls where a word of it is found anywhere: in the version, in its record's history, in an answer."""
    made = stores.memories.create(store.id, path="/people/ada.md", content="Ada lives in Xanten.")
    refused(
        lambda: stores.memory_versions.redact(made.memory_version_id, memory_store_id=store.id),
        anthropic.ConflictError,
        "conflict_error",
    )
    stores.memories.update(made.id, memory_store_id=store.id, content="Nothing.", path="/none.md")
    gone = stores.memory_versions.redact(made.memory_version_id, memory_store_id=store.id)
    assert (gone.path, gone.content, gone.content_sha256, gone.content_size_bytes) == (None, None, None, None)
    assert gone.redacted_at is not None
    assert gone.redacted_by == gone.created_by
    assert stores.memory_versions.retrieve(gone.id, memory_store_id=store.id).to_dict() == gone.to_dict()
    memory = Memory(os.environ["MEMORY_LAYER_URL"], project=store.id.removeprefix("memstore_"))
    history = memory.get_memory_history(made.id)
    assert "Xanten" not in repr(history)
    assert stores.memories.retrieve(made.id, memory_store_id=store.id).content == "Nothing."


def test_the_sdk_syncs_a_folder_with_a_store(stores: Any, store: Any, tmp_path: Any) -> None:
    """Falls where a listing, a hash or a conflict is not as the SDK's own worker expects it."""
    import asyncio
    from types import SimpleNamespace

    from anthropic import AsyncAnthropic
    from anthropic.lib.tools._memories import SessionMemoryStores

    stores.memories.create(store.id, path="/a/one.md", content="one\n")
    root = tmp_path / "mounted"
    mounted = SimpleNamespace(
        type="memory_store", memory_store_id=store.id, mount_path=str(root), name="n", access="read_write"
    )

    async def work() -> None:
        own = AsyncAnthropic(base_url=os.environ["MEMORY_LAYER_URL"], api_key="none", max_retries=0)
        session = SessionMemoryStores(own, workdir=tmp_path)
        await session.download(SimpleNamespace(resources=[mounted]))  # type: ignore[arg-type]
        assert (root / "a/one.md").read_text() == "one\n"
        (root / "a/one.md").write_text("one, edited\n")
        (root / "two.md").write_text("two\n")
        stores.memories.create(store.id, path="/three.md", content="three\n")
        await session.finish()
        assert (root / "three.md").read_text() == "three\n"

    asyncio.run(work())
    kept = {one.path: one.content for one in stores.memories.list(store.id, view="full")}
    assert kept == {"/a/one.md": "one, edited\n", "/two.md": "two\n", "/three.md": "three\n"}
