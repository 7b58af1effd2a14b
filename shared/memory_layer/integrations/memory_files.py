"""Files by path, each a memory of a project: their text comes back byte by byte, save for secrets."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property
from typing import Any, Final

from memory_layer.client import Memory, MemoryProblem
from memory_layer.domain.portability.file_text import file_fields
from memory_layer.domain.portability.file_text import text_of as text_of
from memory_layer.integrations.connection import AGENT_SOURCE
from memory_layer.integrations.keyed_memories import digest, found, put_keyed
from memory_layer.integrations.stored_answers import KEPT_STATUSES, is_kept, notes_of, require_changed

LABEL: Final = "memory-tool"
PAGE: Final = 200


def ancestors(path: str) -> Iterator[str]:
    """Folders above a path, the nearest first; the root is ''."""
    while path:
        path = path.rpartition("/")[0]
        yield path


class Tree:
    """Files and folders of one moment. Args: records: those of files, and of folders that are kept while empty."""

    def __init__(self, records: Iterable[Any]) -> None:
        known = list(records)
        self.files: dict[str, Any] = {one.detail["path"]: one for one in known if "path" in one.detail}
        self.kept_folders: dict[str, Any] = {
            one.detail["folder"]: one for one in known if "folder" in one.detail
        }

    @cached_property
    def folders(self) -> frozenset[str]:
        """Every folder that holds something, or is kept; the root is always there."""
        above = (folder for path in (*self.files, *self.kept_folders) for folder in ancestors(path))
        return frozenset(("", *self.kept_folders, *above))

    def has(self, path: str) -> bool:
        return path in self.files or path in self.folders

    def under(self, folder: str) -> list[str]:
        """Names of what lies in a folder itself, in order."""
        inside = f"{folder}/" if folder else ""
        paths = (path for path in (*self.files, *self.folders) if path and path.startswith(inside))
        return sorted({path[len(inside) :].partition("/")[0] for path in paths} - {""})

    def below(self, path: str) -> list[Any]:
        """Records of a path and of all that lies below it."""
        every = {**self.files, **self.kept_folders}
        return [record for at, record in every.items() if at == path or at.startswith(f"{path}/")]


class MemoryFiles:
    """Files of one owner in a project.

    Args:
        client: of the project.
        owner: whose files they are, such as a user; files of different owners do not meet.
    """

    def __init__(self, client: Memory, owner: str = "") -> None:
        self.client = client
        self._owner = owner
        self._label = f"{LABEL}:{digest(owner)}" if owner else LABEL

    def tree(self) -> Tree:
        """All files and folders, by one list."""
        return Tree(
            self.client.list_memories.each(tags=[self._label], status=KEPT_STATUSES, limit=PAGE),
        )

    def file(self, path: str) -> Any | None:
        """Record of a file; None: there is none."""
        record = found(self.client, self._id("path", path))
        return record if record is not None and is_kept(record) else None

    def create(self, path: str, text: str) -> list[str]:
        """Stores a new file; returns notes about what did not go as it was sent.

        Raises:
            FileExistsError: it was created meanwhile.
            MemoryProblem: the service refuses.
        """
        id, fields = self._id("path", path), self._fields(path, text)
        before = found(self.client, id)
        if before is not None:
            return self._told(path, self._put(id, path, fields, before.version))
        try:
            return self._told(path, self._created(id, path, fields))
        except MemoryProblem as problem:
            if problem.status == 409 and problem.code != "recalled_text":
                raise FileExistsError(path) from problem
            raise

    def _created(self, id: str, path: str, fields: Mapping[str, Any]) -> Any:
        try:
            return self.client.create_memory(id=id, on_duplicate="create", **fields)
        except MemoryProblem as problem:
            if problem.code != "recalled_text":
                raise
        return self._put(id, path, fields, None)

    def write(self, path: str, text: str, version: int) -> list[str]:
        """Stores another text of a file, if it is still in this version; returns notes as `create` does."""
        return self._told(path, self._put(self._id("path", path), path, self._fields(path, text), version))

    def remove(self, records: Iterable[Any]) -> None:
        """Archives files and folders; a person can restore them."""
        for record in records:
            self.client.delete_memory(record.id)

    def keep_folder(self, folder: str) -> None:
        """Keeps a folder that holds nothing; its record is out of recall."""
        if folder:
            fields = {**self._labels(), "content": f"Folder {folder}", "detail": {"folder": folder}}
            id = self._id("folder", folder)
            put_keyed(self.client, id, fields, f"Folder {id}")
            self.client.update_memory(id, active=False)

    def _id(self, kind: str, path: str) -> str:
        return f"mf_{digest([self._owner, kind, path])}"

    def _labels(self) -> dict[str, Any]:
        return {"tags": [self._label], "source": AGENT_SOURCE, "expires_at": None}

    def _fields(self, path: str, text: str) -> dict[str, Any]:
        return {**self._labels(), **file_fields(path, text)}

    def _put(self, id: str, path: str, fields: Mapping[str, Any], version: int | None) -> Any:
        options = {} if version is None else {"if_match": version}
        return put_keyed(self.client, id, fields, f"File {path} {id}", **options)

    def _told(self, path: str, stored: Any) -> list[str]:
        """Notes about a write. Raises: MemoryProblem: the path was not stored as it is, or nothing was."""
        require_changed(stored.receipt, path)
        if stored.detail["path"] != path:
            self.client.delete_memory(stored.id, hard=True)
            raise MemoryProblem("secret_name", "the path looks like a secret: nothing is kept; name another")
        return notes_of(stored.receipt)
