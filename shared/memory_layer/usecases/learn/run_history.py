"""History of a run: all its iterations, as gzip in blobs, under a digest that its record names; and its words."""

import gzip
import json
from collections.abc import Iterator
from dataclasses import asdict
from hashlib import sha256
from itertools import islice
from typing import Any, Final

from memory_layer.domain.fields import canonical_json
from memory_layer.domain.learning.run import Run, RunRecord
from memory_layer.domain.memory import Scope
from memory_layer.domain.text.analyzer import analyze
from memory_layer.errors import StoreUnavailable
from memory_layer.ports.blobs import BlobStore

PREFIX: Final = "runs/"
WORDS_MAX: Final = 2_000
"""Most different words of a run that it is searched by: the first that it says."""

_FOLDER_DIGITS: Final = 32


class RunHistories:
    """Histories of the runs of a project.

    A history is written before its run's record, and never changed: its key is its digest. One whose record was never
    written is nobody's, and goes with the run or the project.
    """

    def __init__(self, blobs: BlobStore, scope: Scope) -> None:
        self._blobs = blobs
        self._folder = f"{PREFIX}{scope.tenant}/{scope.project}/"

    def keep(self, run: Run) -> str:
        """Writes the iterations of a run, durably, and returns their digest."""
        body = canonical_json([asdict(step) for step in run.iterations]).encode()
        digest = sha256(body).hexdigest()
        self._blobs.put(self._key(run.run_id, digest), gzip.compress(body, mtime=0), tier="warm")
        return digest

    def read(self, record: RunRecord) -> list[dict[str, Any]] | None:
        """Reads the iterations of a run, as `domain.learning.run.Iteration` has them.

        Returns:
            None: the run is older than histories are.

        Raises:
            StoreUnavailable: they are lost or damaged, or cannot be read now.
        """
        if record.history is None:
            return None
        packed = self._blobs.get(self._key(record.run_id, record.history))
        return _steps(packed, record)

    def forget(self, run_id: str) -> int:
        """Deletes all that was ever kept under a run's id, and returns how many histories that were."""
        return self._delete(self._run_folder(run_id))

    def forget_all(self) -> int:
        """Deletes the histories of the project, and returns how many there were."""
        return self._delete(self._folder)

    def _delete(self, prefix: str) -> int:
        keys = self._blobs.keys(prefix)
        for key in keys:
            self._blobs.delete(key)
        return len(keys)

    def _run_folder(self, run_id: str) -> str:
        return f"{self._folder}{sha256(run_id.encode()).hexdigest()[:_FOLDER_DIGITS]}/"

    def _key(self, run_id: str, digest: str) -> str:
        return f"{self._run_folder(run_id)}{digest}.json.gz"


def _steps(packed: bytes | None, record: RunRecord) -> list[dict[str, Any]]:
    """Iterations in a body. Raises: StoreUnavailable: it is not there as it was written."""
    try:
        body = b"" if packed is None else gzip.decompress(packed)
    except (OSError, EOFError, ValueError):
        body = b""
    if sha256(body).hexdigest() != record.history:
        raise StoreUnavailable(
            f"the iterations of run {record.run_id} are lost or damaged; its record is whole"
        )
    steps: list[dict[str, Any]] = json.loads(body)
    return steps


def words_of(run: Run) -> tuple[str, ...]:
    """Words that a run is searched by, as terms: of its objective first, then of its iterations."""
    terms = (term for text in _texts(run) for term in analyze(text))
    return tuple(islice(dict.fromkeys(terms), WORDS_MAX))


def _texts(run: Run) -> Iterator[str]:
    yield run.objective
    for step in run.iterations:
        yield from (*step.learnings, *step.analysis.errors, *step.files_modified)
