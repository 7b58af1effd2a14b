"""What the engines have in common: where they are kept, what they are asked, how tests are told of them."""

from __future__ import annotations

import hashlib
import os
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from tests.engines.artifacts import Artifact
from tests.engines.jdk import Jdk

LOOPBACK = "127.0.0.1"

_MEMORY = Path("/dev/shm")
_ROOM_B = 1 << 30
"""A few indexes at a time take some ten MB; the 64 MB that containers have by default would be too little."""


@dataclass(frozen=True)
class Engine:
    """A server that the tests of the AWS adapters run against.

    Args:
        name: one word; part of folders' and variables' names.
        title: with its version, for people.
        default_port: on loopback.
        jdk_versions: major versions of Java that it runs on.
        artifacts: what it is made of.
        sources: our own files that go into its home.
        lay_out: makes its home of (the artifacts' files, in order), with a JDK, in an empty folder.
        settings: text by name of file, given the run folder (where they go), the data folder and the port.
        command: what starts it, given the JDK, the home, the run folder and the port.
        answers: does it serve at this endpoint?
        start_timeout_s: how long until it is given up.
    """

    name: str
    title: str
    default_port: int
    jdk_versions: range
    artifacts: tuple[Artifact, ...]
    sources: tuple[Path, ...]
    lay_out: Callable[[list[Path], Jdk, Path], None]
    settings: Callable[[Path, Path, int], dict[str, str]]
    command: Callable[[Jdk, Path, Path, int], list[str]]
    answers: Callable[[str], bool]
    start_timeout_s: int

    @property
    def variable(self) -> str:
        """The environment variable that tells tests where it is."""
        return f"MEMORY_LAYER_TEST_{self.name.upper()}"

    @property
    def port(self) -> int:
        return int(os.environ.get(f"{self.variable}_PORT") or self.default_port)

    @property
    def home(self) -> Path:
        """Named after all that it is made of: a new pin is a new home."""
        parts = [artifact.sha256 for artifact in self.artifacts]
        parts += [source.read_text("utf-8") for source in self.sources]
        return engines_folder() / f"{self.name}-{hashlib.sha256(''.join(parts).encode()).hexdigest()[:12]}"

    @property
    def run_folder(self) -> Path:
        """Settings of the running one, and its data if memory has no room; emptied at each start."""
        return engines_folder() / f"{self.name}-run"

    @property
    def folder_in_memory(self) -> Path:
        """For its data; emptied at each start and stop. Another cache has another."""
        cache = hashlib.sha256(str(engines_folder()).encode()).hexdigest()[:12]
        return _MEMORY / f"memory-layer-{self.name}-{cache}"

    def data_folder(self) -> Path:
        """Where the one to be started keeps its data: in memory, where a flush costs nothing, or on disk."""
        has_room = _MEMORY.is_dir() and shutil.disk_usage(_MEMORY).free >= _ROOM_B
        return self.folder_in_memory if has_room else self.run_folder / "data"

    @property
    def state_file(self) -> Path:
        """Which process runs it. Not in the run folder: there another user writes."""
        return engines_folder() / f"{self.name}.json"

    @property
    def log_file(self) -> Path:
        """What the process printed since it was started."""
        return engines_folder() / f"{self.name}.log"


def engines_folder() -> Path:
    """The cache of this machine; not in the super-user's home, which the engines' own user cannot read."""
    default = Path("/var/cache") if os.geteuid() == 0 else Path.home() / ".cache"
    return Path(os.environ.get("XDG_CACHE_HOME") or default) / "memory-layer" / "engines"
