"""Bodies of stores and their files, with the members that the published client of Anthropic's Memory Stores knows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Annotated, Any, Final, Literal

from pydantic import BaseModel, Field

from memory_layer.domain.memory import FILE_MAX_BYTES
from memory_layer.domain.portability.file_paths import PATH_MAX_BYTES
from memory_layer.domain.portability.file_text import text_sha256
from memory_layer.edge.shapes.answer_fields import document
from memory_layer.edge.shapes.derived_models import REFUSE_UNKNOWN
from memory_layer.usecases.files import memory_stores as stores
from memory_layer.usecases.files.read_files import Folder, ProjectFile

STORE: Final = "memstore_"
VERSION: Final = "memver_"
View = Literal["basic", "full"]

_NAME = Field(max_length=stores.NAME_MAX_CHARS, description="What the store is called.")
_DESCRIPTION = Field(
    max_length=stores.DESCRIPTION_MAX_CHARS, description="What it is for, in words for a model."
)
_TEXT = Field(max_length=FILE_MAX_BYTES, description="The file's text, 102,400 bytes of UTF-8 at most.")
_PATH = Field(
    max_length=PATH_MAX_BYTES,
    description="Where the file lies: begins with /, 1 to 20 segments, 1,024 bytes at most.",
)


class NewStore(BaseModel):
    """A store to begin: a project, called so."""

    model_config = REFUSE_UNKNOWN
    name: Annotated[str, _NAME]
    description: Annotated[str, _DESCRIPTION] = ""
    metadata: Annotated[dict[str, str], Field(description="Pairs for the caller's own use, 16 at most.")] = {}


class StoreRevision(BaseModel):
    """The fields of a store to change; what is not named stays."""

    model_config = REFUSE_UNKNOWN
    name: Annotated[str | None, _NAME] = None
    description: Annotated[str | None, _DESCRIPTION] = None
    metadata: Annotated[
        dict[str, str | None] | None, Field(description="Pairs to set; null removes a key.")
    ] = None


class NewFile(BaseModel):
    """A file to store."""

    model_config = REFUSE_UNKNOWN
    path: Annotated[str, _PATH]
    content: Annotated[str | None, _TEXT]


class ContentPrecondition(BaseModel):
    """The text that the caller has seen."""

    model_config = REFUSE_UNKNOWN
    type: Annotated[Literal["content_sha256"], Field(description="What is held against the file: its text.")]
    content_sha256: Annotated[
        str | None, Field(pattern="^[0-9a-f]{64}$", description="SHA-256 of it, hex; omitted: any text.")
    ] = None


class FileRevision(BaseModel):
    """Another text of a file, another path, or both."""

    model_config = REFUSE_UNKNOWN
    content: Annotated[str | None, _TEXT] = None
    path: Annotated[str | None, _PATH] = None
    precondition: Annotated[
        ContentPrecondition | None, Field(description="Change nothing unless the file is so.")
    ] = None


@dataclass(frozen=True, slots=True, kw_only=True)
class StoreAnswer:
    """Store of files: a project, with what it is called and is for.

    Args:
        id: `memstore_` and the project's name.
        name: what it is called; a project that nobody has described is called as its own name.
        description: what it is for.
        metadata: the caller's own pairs.
        archived_at: from then on its files are read and deleted here, and not written; null: it is in use.
        type: tells it from other documents.
    """

    id: str
    type: Literal["memory_store"] = "memory_store"
    name: str
    description: str
    metadata: Mapping[str, str]
    created_at: datetime
    updated_at: datetime
    archived_at: datetime | None


@dataclass(frozen=True, slots=True)
class StoresPage:
    """Page of stores.

    Args:
        data: by the names of their projects.
        next_page: what `page` takes for the next one; null: this is the last.
    """

    data: Sequence[StoreAnswer]
    next_page: str | None


@dataclass(frozen=True, slots=True)
class DeletedStore:
    """Store that was deleted, with all its files and their versions. Args: type: tells it from other documents."""

    id: str
    type: Literal["memory_store_deleted"] = "memory_store_deleted"


@dataclass(frozen=True, slots=True, kw_only=True)
class StoreFile:
    """File of a store: a memory, at a path.

    Args:
        id: the memory's own; it stays when the path changes.
        type: tells it from other documents.
        memory_store_id: the store.
        memory_version_id: the version that it is in.
        path: where it lies.
        content: its text; null with `view=basic`.
        content_size_bytes: length of its text, in bytes of UTF-8.
    """

    id: str
    type: Literal["memory"] = "memory"
    memory_store_id: str
    memory_version_id: str
    path: str
    content: str | None
    content_sha256: str
    content_size_bytes: int
    created_at: datetime
    updated_at: datetime


@dataclass(frozen=True, slots=True)
class StoreFolder:
    """Folder of a store, in a list of depth 1: it stands for all files below it.

    Args:
        path: with a slash at its end.
        type: tells it from other documents.
    """

    path: str
    type: Literal["memory_prefix"] = "memory_prefix"


@dataclass(frozen=True, slots=True)
class StoreFilesPage:
    """Page of files.

    Args:
        data: by path.
        next_page: what `page` takes for the next one; null: this is the last.
        note: what is no file of the store, and of whom, where there are too many; null: all is.
    """

    data: Sequence[StoreFile | StoreFolder]
    next_page: str | None
    note: str | None = None


@dataclass(frozen=True, slots=True)
class DeletedFile:
    """File that was deleted; its versions stay. Args: type: tells it from other documents."""

    id: str
    type: Literal["memory_deleted"] = "memory_deleted"


def store_answer(info: stores.MemoryStoreInfo) -> StoreAnswer:
    return StoreAnswer(
        id=f"{STORE}{info.project}",
        name=info.name,
        description=info.description,
        metadata=info.metadata,
        created_at=info.created_at,
        updated_at=info.updated_at,
        archived_at=info.archived_at,
    )


def version_id(number: int, memory_id: str) -> str:
    """Id of a version: its last number within the record, and the record's id."""
    return f"{VERSION}{number}_{memory_id}"


def file_answer(file: ProjectFile, view: View) -> StoreFile:
    text, memory = file.text, file.memory
    return StoreFile(
        id=memory.id,
        memory_store_id=f"{STORE}{memory.project}",
        memory_version_id=version_id(memory.version, memory.id),
        path=file.path,
        content=text if view == "full" else None,
        content_sha256=text_sha256(text),
        content_size_bytes=len(text.encode()),
        created_at=memory.created_at,
        updated_at=memory.updated_at,
    )


def files_json(
    found: Sequence[ProjectFile | Folder], view: View, next_page: str | None, note: str | None
) -> dict[str, Any]:
    data = [StoreFolder(one.path) if isinstance(one, Folder) else file_answer(one, view) for one in found]
    return document(StoreFilesPage(data, next_page, note))
