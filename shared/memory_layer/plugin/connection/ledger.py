"""Ledger of the files that connections changed: what they were before, so that they can be put back byte by byte."""

import json
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import Any, Final

from memory_layer.errors import Invalid

FOLDER: Final = "connections"
LEDGER: Final = "ledger.json"


@dataclass(slots=True)
class ConnectedFile:
    """Changed file.

    Args:
        backup: name of the copy of what was there before; None: the file was not there.
        after: digest of what we wrote.
        users: connections that it belongs to, `claude` or `copilot`.
        made: folders that were made for it, innermost first.
    """

    backup: str | None
    after: str
    users: list[str] = field(default_factory=list)
    made: list[str] = field(default_factory=list)


class Ledger:
    """Ledger and copies in the data folder. Args: data_dir: the data folder."""

    def __init__(self, data_dir: Path) -> None:
        self._folder = data_dir / FOLDER

    @contextmanager
    def changing(self) -> Iterator[dict[str, ConnectedFile]]:
        """Entries by the path of their file, written when the block ends, also where it fails. Raises: Invalid"""
        entries = self.read()
        try:
            yield entries
        finally:
            self._write(entries)

    def _write(self, entries: dict[str, ConnectedFile]) -> None:
        if not entries:
            (self._folder / LEDGER).unlink(missing_ok=True)
            with suppress(OSError):  # copies that are left stay
                self._folder.rmdir()
            return
        document = {path: asdict(entry) for path, entry in entries.items()}
        self.folder_made()
        replace_file(self._folder / LEDGER, f"{json.dumps(document, indent=2)}\n".encode())

    def read(self) -> dict[str, ConnectedFile]:
        """Entries by path. Raises: Invalid: the ledger is damaged."""
        file = self._folder / LEDGER
        try:
            said: dict[str, Any] = json.loads(file.read_text("utf-8"))
            return {path: ConnectedFile(**entry) for path, entry in said.items()}
        except FileNotFoundError:
            return {}
        except (OSError, ValueError, TypeError, AttributeError) as error:
            raise Invalid(f"{file} cannot be read ({error}); move it away, and connect again") from error

    def keep_copy(self, content: bytes) -> str:
        """Keeps a copy; returns its name."""
        name = digest_of(content)
        self.folder_made()
        replace_file(self._folder / name, content)
        return name

    def copy(self, name: str) -> bytes | None:
        """Copy by its name; None: it is gone, or damaged."""
        with suppress(OSError):
            content = (self._folder / name).read_bytes()
            return content if digest_of(content) == name else None
        return None

    def drop_copy(self, name: str) -> None:
        (self._folder / name).unlink(missing_ok=True)

    def folder_made(self) -> None:
        self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)


def digest_of(content: bytes) -> str:
    return sha256(content).hexdigest()


def replace_file(file: Path, content: bytes) -> None:
    """Writes a file whole or not at all; a link stays one, and the permissions stay. Raises: OSError"""
    target = file.resolve()
    mode = target.stat().st_mode & 0o777 if target.exists() else 0o600
    draft = target.with_name(f".{target.name}.{os.getpid()}.part")
    try:
        with open(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as opened:
            opened.write(content)
            opened.flush()
            os.fsync(opened.fileno())
        draft.chmod(mode)
        os.replace(draft, target)
    except BaseException:
        draft.unlink(missing_ok=True)
        raise
