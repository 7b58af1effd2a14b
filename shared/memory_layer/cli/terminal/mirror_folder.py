"""Folder of a mirror: its files by their paths in the project, and what it had when the two last met."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from memory_layer.cli.terminal.files import write_lines
from memory_layer.domain.memory import FILE_MAX_BYTES
from memory_layer.domain.portability.folder_text import FolderHashes, ended
from memory_layer.domain.portability.mirror_plan import CONFLICT, KnownFile, is_hidden
from memory_layer.errors import Invalid

STATE: Final = ".memory-layer-mirror.json"
"""File at the root of a mirror: its project, and path and hashes of each file by its id."""


@dataclass(frozen=True, slots=True)
class MirrorFolder:
    """Folder of a mirror of one project."""

    root: Path
    project: str

    def known(self, *, adopts: bool) -> dict[str, KnownFile]:
        """Files as they were when folder and project last met, by id.

        Args:
            adopts: the files of a folder that was no mirror yet become the project's.

        Raises:
            Invalid: the folder mirrors another project, or holds files and is no mirror; or its state is damaged.
        """
        state = self.root / STATE
        if not state.exists():
            self._require_empty(adopts)
            return {}
        try:
            said = json.loads(state.read_text("utf-8"))
            files = {id: KnownFile(*noted) for id, noted in said["files"].items()}
        except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
            raise Invalid.at(
                "/folder", f"{state} cannot be read: {error}; mirror into a new folder"
            ) from error
        if said.get("project") != self.project:
            raise Invalid.at("/folder", f"{self.root} mirrors {said.get('project')}, not {self.project}")
        return {id: one for id, one in files.items() if not is_hidden(one.path)}

    def _require_empty(self, adopts: bool) -> None:
        if self.root.is_dir() and not adopts and any(self._paths()):
            raise Invalid.at(
                "/folder",
                f"{self.root} holds files and is no mirror; name a new folder, or say --adopt to store them",
            )

    def keep(self, known: Mapping[str, KnownFile]) -> None:
        """Notes the files that both sides have now. Raises: Invalid: the folder cannot be written."""
        files = {id: [one.path, one.sha256, one.words_sha256] for id, one in sorted(known.items())}
        said = {"project": self.project, "files": files}
        self._make(self.root)
        write_lines(str(self.root / STATE), [json.dumps(said, ensure_ascii=False, indent=1), "\n"])

    def files(self) -> tuple[dict[str, FolderHashes], list[str]]:
        """Hashes of the files by their paths in the project, and a sentence about each that is none."""
        found: dict[str, FolderHashes] = {}
        left: list[str] = []
        for path in self._paths():
            at = "/" + path.relative_to(self.root).as_posix()
            try:
                found[at] = FolderHashes.of(self.text(at))
            except Invalid as error:
                left.append(error.detail)
        return found, left

    def _paths(self) -> Iterator[Path]:
        """Plain files below the root, but for hidden ones and the mirror's copies; no link is followed."""
        for folder, names, files in os.walk(self.root):
            names[:] = sorted(name for name in names if not is_hidden(name))
            for name in sorted(files):
                path = Path(folder, name)
                if not is_hidden(name) and CONFLICT not in name and not path.is_symlink():
                    yield path

    def text(self, at: str) -> str:
        """Text of a file. Raises: Invalid: it cannot be read, is no UTF-8, or is too large for a file."""
        path = self._place(at)
        try:
            data = path.read_bytes()
            if len(data.rstrip(b"\r\n")) > FILE_MAX_BYTES:
                raise Invalid.at("/folder", f"{path} has more than {FILE_MAX_BYTES:,} bytes and stays out")
            return data.decode()
        except UnicodeDecodeError as error:
            raise Invalid.at("/folder", f"{path} is no UTF-8 and stays out") from error
        except OSError as error:
            raise Invalid.at("/folder", f"{path} cannot be read: {error.strerror}") from error

    def write(self, at: str, text: str) -> None:
        """Writes a file whole, its last line ended. Raises: Invalid: it cannot be, or lies outside of the folder."""
        path = self._place(at)
        self._make(path.parent)
        write_lines(str(path), [ended(text)])

    def remove(self, at: str) -> None:
        """Removes a file, and the folders that are empty then."""
        path = self._place(at)
        path.unlink(missing_ok=True)
        for folder in path.parents:
            if folder == self.root or any(folder.iterdir()):
                return
            folder.rmdir()

    def _place(self, at: str) -> Path:
        if is_hidden(at):
            raise Invalid.at("/folder", f"a name in {at} begins with a dot, and a mirror has no hidden files")
        path = self.root / at[1:]
        if not path.resolve().is_relative_to(self.root.resolve()) or path.is_symlink():
            raise Invalid.at("/folder", f"{path} leads out of {self.root}; remove the link")
        return path

    def _make(self, folder: Path) -> None:
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except FileExistsError as error:
            raise Invalid.at("/folder", f"{folder} is a file; name a folder") from error
        except OSError as error:
            raise Invalid.at("/folder", f"{folder} cannot be made: {error.strerror}") from error
