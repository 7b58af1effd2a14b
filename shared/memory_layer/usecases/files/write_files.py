"""Changes of files: creation, new text, another path, deletion; each is a change of a memory under its own rules."""

from __future__ import annotations

from collections.abc import Callable
from itertools import count
from typing import Final, TypeVar

from memory_layer.domain.access import Principal
from memory_layer.domain.fields import canonical_json
from memory_layer.domain.memory import FILE_MAX_BYTES, Memory
from memory_layer.domain.portability.exact_json import storable_text
from memory_layer.domain.portability.file_paths import file_id, path_problem
from memory_layer.domain.portability.file_text import FILE_PATH, file_fields
from memory_layer.domain.text_rules import byte_length_problem, text_problem
from memory_layer.errors import Conflict, ContentChanged, IdTaken, Invalid, PathTaken, StaleVersion
from memory_layer.ports.commit import IdempotencyRecord
from memory_layer.ports.process import Ports
from memory_layer.usecases.files.read_files import ProjectFile, file_tree, get_file
from memory_layer.usecases.ground.admission import admit
from memory_layer.usecases.ground.change_record import WRITE_ATTEMPTS
from memory_layer.usecases.write.forget import archive_memory
from memory_layer.usecases.write.prepare import RememberRequest
from memory_layer.usecases.write.remember import remember
from memory_layer.usecases.write.revise import revise

T = TypeVar("T")
_IDS_AT_ONCE: Final = 8
_CONTROLS_MAX_BYTES: Final = 12_288
"""Bytes, as JSON, of a text that is kept beside the content, which cannot hold its control characters."""


def create_file(ports: Ports, principal: Principal, project: str, path: str, text: str) -> ProjectFile:
    """Stores a new file. It is kept as it was written, whatever else the project knows.

    Raises:
        PathTaken: a file is at the path, above it or below it.
        Invalid, Forbidden: as `remember`; or the path or the text breaks a rule.
    """
    _require_path(ports, principal, project, path)
    _require_text(text)
    id = _new_id(ports, principal, project, path)  # first: who is overtaken after it has the same one
    file_tree(ports, principal, project).require_free(path, is_vouched=not principal.is_agent)
    fields = {"id": id, "expires_at": None, **file_fields(path, text)}
    asked = RememberRequest(fields=fields, on_duplicate="create", is_verbatim=True, is_said_now=True)
    try:
        stored = remember(ports, principal, project, asked)
    except IdTaken as error:
        raise PathTaken(path) from error
    if isinstance(stored, IdempotencyRecord):
        raise TypeError("a file has no idempotency key")
    return ProjectFile(stored.memory, path)


def _new_id(ports: Ports, principal: Principal, project: str, path: str) -> str:
    """First id of a path that no file has had."""
    for first in count(0, _IDS_AT_ONCE):
        ids = [file_id(path, first + number) for number in range(_IDS_AT_ONCE)]
        used = ports.store.memories.last_versions(principal.scope(project), ids)
        if free := [id for id in ids if id not in used]:
            return free[0]
    raise AssertionError("an endless count has ended")


def _require_path(ports: Ports, principal: Principal, project: str, path: str) -> None:
    problem = path_problem(path)
    if problem is not None:
        raise Invalid.at("/path", problem)
    policy = ports.store.projects.policy(principal.scope(project))
    if admit({"detail": {FILE_PATH: path}}, policy).redacted:
        raise Invalid.at("/path", "the path looks like a secret, and a path is stored as it is; name another")


def _require_text(text: str) -> None:
    problem = text_problem(storable_text(text)) or byte_length_problem(text, FILE_MAX_BYTES)
    if problem is not None:
        raise Invalid.at("/content", problem)
    if len(canonical_json(file_fields("", text)["detail"]).encode()) > _CONTROLS_MAX_BYTES:
        raise Invalid.at(
            "/content",
            f"a text with control characters has {_CONTROLS_MAX_BYTES:,} bytes at most; remove them",
        )


def update_file(
    ports: Ports,
    principal: Principal,
    project: str,
    id: str,
    *,
    text: str | None = None,
    path: str | None = None,
    expected_sha256: str | None = None,
) -> ProjectFile:
    """Gives a file another text, another path, or both. A file that is so already stays as it is.

    Args:
        expected_sha256: of the text that the caller has seen; None: any.

    Raises:
        NotFound, Forbidden: as `get_file` and `revise`.
        ContentChanged: the file has another text than the caller has seen.
        PathTaken: as `create_file`.
        Conflict: the file is a person's word, and the change waits for a reviewer.
    """
    if text is None and path is None:
        raise Invalid("there is nothing to change; give a content, a path or both")
    if path is not None:
        _require_path(ports, principal, project, path)
    if text is not None:
        _require_text(text)

    def attempt() -> ProjectFile:
        file = get_file(ports, principal, project, id)
        wanted = (file.path if path is None else path, file.text if text is None else text)
        if wanted == (file.path, file.text):
            return file
        _require_sha256(file, expected_sha256)
        if wanted[0] != file.path:
            tree, is_person = file_tree(ports, principal, project), not principal.is_agent
            tree.require_free(wanted[0], mover=id, is_vouched=is_person and file.memory.is_trusted)
        return ProjectFile(_revised(ports, principal, file, *wanted), wanted[0])

    return _retry_on_stale(attempt)


def _revised(ports: Ports, principal: Principal, file: ProjectFile, path: str, text: str) -> Memory:
    memory = file.memory
    said = file_fields(path, text, memory.detail)
    revised = revise(ports, principal, memory.project, memory.id, said, expected=memory.version, revives=True)
    if revised.proposed_for is not None:
        raise Conflict(
            f"{memory.id} is a person's word and stays as it is; your words wait for a reviewer as "
            f"{revised.memory.id}"
        )
    return revised.memory


def delete_file(
    ports: Ports, principal: Principal, project: str, id: str, *, expected_sha256: str | None = None
) -> None:
    """Archives the memory that a file is; its versions stay.

    Raises:
        NotFound, Forbidden: as `get_file` and `archive_memory`.
        ContentChanged: the file has another text than the caller has seen.
    """

    def attempt() -> None:
        file = get_file(ports, principal, project, id)
        _require_sha256(file, expected_sha256)
        archive_memory(ports, principal, project, id, expected=file.memory.version)

    _retry_on_stale(attempt)


def _require_sha256(file: ProjectFile, expected: str | None) -> None:
    if expected is not None and expected != file.sha256:
        raise ContentChanged(file.id, expected, file.sha256)


def _retry_on_stale(attempt: Callable[[], T]) -> T:
    """Runs read-decide-write, and again where the record has got another version in between."""
    for _ in range(WRITE_ATTEMPTS - 1):
        try:
            return attempt()
        except StaleVersion:
            continue
    return attempt()
