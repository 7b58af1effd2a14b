"""Files of a project as a mirror reads and changes them, in a data folder or over a service."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from memory_layer.domain.portability.mirror_plan import KnownFile
from memory_layer.wire.message import Asked
from memory_layer.wire.problem import MemoryProblem

if TYPE_CHECKING:
    from memory_layer.cli.terminal.invocation import FolderCall, Invocation
    from memory_layer.usecases.files.read_files import ProjectFile

_PAGE: Final = 100


@dataclass(frozen=True, slots=True)
class ListedFiles:
    """Files of a project, by id. Args: note: tells what is not among them, where there are too many; None: all are."""

    files: dict[str, KnownFile]
    note: str | None = None


@dataclass(frozen=True, slots=True)
class MirroredFiles:
    """Files of the project that a command is about. Each method raises what its operation raises."""

    call: Invocation

    def known(self) -> ListedFiles:
        """All files that the project lists; none of a project that nobody has written to."""
        if self.call.service is None:
            return _tree(self.call.here)
        found: dict[str, KnownFile] = {}
        page: str | None = None
        while True:
            try:
                listed = self._asked("list_store_files", {}, {"limit": _PAGE, "page": page})
            except MemoryProblem as problem:
                if problem.status == 404:
                    return ListedFiles({})
                raise
            found |= {one["id"]: KnownFile(one["path"], one["content_sha256"]) for one in listed["data"]}
            page = listed["next_page"]
            if page is None:
                return ListedFiles(found, listed.get("note"))

    def text(self, id: str) -> str:
        """Text of a file, as it is now."""

        def here(folder: FolderCall) -> str:
            from memory_layer.usecases.files.read_files import get_file

            return get_file(folder.ports, folder.principal, folder.project, id).text

        if self.call.service is None:
            return here(self.call.here)
        return str(self._asked("get_store_file", {"id": id})["content"])

    def is_trusted(self, id: str) -> bool:
        """Tells whether a person said a file's words, or a reviewer approved them."""
        if self.call.service is None:
            here = self.call.here
            from memory_layer.usecases.ground.queries import get_memory

            return get_memory(here.ports, here.principal, here.project, id, with_body=False).is_trusted
        return bool(self.call.service.answer(Asked("get_memory", {"id": id}))["standing"] == "trusted")

    def create(self, path: str, text: str) -> tuple[str, KnownFile]:
        """Id of a new file, and the file as it was stored."""
        from memory_layer.usecases.files.write_files import create_file

        return self._written(
            lambda here: create_file(here.ports, here.principal, here.project, path, text),
            *("create_store_file", {}, {"path": path, "content": text}),
        )

    def update(self, id: str, text: str, seen: str) -> KnownFile:
        """File with another text, as it was stored. Args: seen: hash of the text that it has to have still."""
        from memory_layer.usecases.files.write_files import update_file

        precondition = {"type": "content_sha256", "content_sha256": seen}
        return self._written(
            lambda here: update_file(
                here.ports, here.principal, here.project, id, text=text, expected_sha256=seen
            ),
            *("update_store_file", {"id": id}, {"content": text, "precondition": precondition}),
        )[1]

    def rename(self, id: str, path: str) -> KnownFile:
        """File at another path."""
        from memory_layer.usecases.files.write_files import update_file

        return self._written(
            lambda here: update_file(here.ports, here.principal, here.project, id, path=path),
            *("update_store_file", {"id": id}, {"path": path}),
        )[1]

    def delete(self, id: str, seen: str) -> None:
        """Archives a file. Args: seen: as of `update`."""
        from memory_layer.usecases.files.write_files import delete_file

        if self.call.service is None:
            here = self.call.here
            delete_file(here.ports, here.principal, here.project, id, expected_sha256=seen)
        else:
            self._asked("delete_store_file", {"id": id}, {"expected_content_sha256": seen})

    def _written(
        self,
        here: Callable[[FolderCall], ProjectFile],
        operation: str,
        path: dict[str, Any],
        body: dict[str, Any],
    ) -> tuple[str, KnownFile]:
        if self.call.service is None:
            file = here(self.call.here)
            return file.id, KnownFile(file.path, file.sha256)
        said = self._asked(operation, path, {}, body)
        return said["id"], KnownFile(said["path"], said["content_sha256"])

    def _asked(
        self,
        operation: str,
        path: dict[str, Any],
        query: dict[str, Any] | None = None,
        body: dict[str, Any] | None = None,
    ) -> Any:
        assert self.call.service is not None
        at = {"memory_store_id": f"memstore_{self.call.project}", **path}
        return self.call.service.answer(Asked(operation, at, query or {}, body=body))


def _tree(here: FolderCall) -> ListedFiles:
    from memory_layer.usecases.files.read_files import file_tree

    tree = file_tree(here.ports, here.principal, here.project)
    return ListedFiles({file.id: KnownFile(file.path, file.sha256) for file in tree.shown()}, tree.note)
