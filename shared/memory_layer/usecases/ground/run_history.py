"""History of a run: all its iterations, as gzip in blobs, under a digest that its record names; and its words."""

import gzip
import json
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict
from hashlib import sha256
from itertools import islice
from typing import Any, Final

from memory_layer.domain.fields import canonical_json
from memory_layer.domain.learning.run import Run, RunRecord
from memory_layer.domain.memory import Scope
from memory_layer.domain.text.analyzer import analyze
from memory_layer.errors import DamagedRecord
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
        return self.keep_steps(run.run_id, [asdict(step) for step in run.iterations])

    def keep_steps(self, run_id: str, steps: Sequence[Mapping[str, Any]]) -> str:
        """Writes iterations as `read` returns them, durably, and returns their digest."""
        body = canonical_json(list(steps)).encode()
        digest = sha256(body).hexdigest()
        self._blobs.put(self._key(run_id, digest), gzip.compress(body, mtime=0), tier="warm")
        return digest

    def read(self, record: RunRecord) -> list[dict[str, Any]] | None:
        """Reads the iterations of a run, as `domain.learning.run.Iteration` has them.

        Returns:
            None: the run is older than histories are.

        Raises:
            DamagedRecord: they are lost or damaged.
            StoreUnavailable: they cannot be read now.
        """
        if record.history is None:
            return None
        packed = self._blobs.get(self._key(record.run_id, record.history))
        return _steps(packed, record)

    def forget(self, run_id: str) -> int:
        """Deletes all that was ever kept under a run's id, and returns how many histories that were."""
        return self._delete(self._run_folder(run_id))

    def forget_one(self, run_id: str, digest: str | None) -> None:
        """Deletes the history of a digest alone. Args: digest: None: there is none."""
        if digest is not None:
            self._blobs.delete(self._key(run_id, digest))

    def forget_others(self, record: RunRecord) -> None:
        """Deletes what was kept under a run's id beside the history that its record names."""
        named = {self._key(record.run_id, record.history)} if record.history is not None else set()
        for key in set(self._blobs.keys(self._run_folder(record.run_id))) - named:
            self._blobs.delete(key)

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
    """Iterations in a body. Raises: DamagedRecord: it is not there as it was written."""
    try:
        body = b"" if packed is None else gzip.decompress(packed)
    except (OSError, EOFError, ValueError, zlib.error):
        body = b""
    if sha256(body).hexdigest() != record.history:
        raise DamagedRecord(f"the iterations of run {record.run_id} are lost or damaged; its record is whole")
    steps: list[dict[str, Any]] = json.loads(body)
    return steps


def words_of(run: Run) -> tuple[str, ...]:
    """Words that a run is searched by, as terms: of its objective first, then of its iterations."""
    return words_in(run.objective, [asdict(step) for step in run.iterations])


def words_in(objective: str, steps: Iterable[Mapping[str, Any]]) -> tuple[str, ...]:
    """Words of a run as `words_of`, of iterations as `RunHistories.read` returns them."""
    terms = (term for text in _texts(objective, steps) for term in analyze(text))
    return tuple(islice(dict.fromkeys(terms), WORDS_MAX))


def _texts(objective: str, steps: Iterable[Mapping[str, Any]]) -> Iterator[str]:
    yield objective
    for step in steps:
        yield from (*step["learnings"], *step["analysis"]["errors"], *step["files_modified"])


def step_without(step: Mapping[str, Any], is_left_out: Callable[[str], bool]) -> dict[str, Any]:
    """Iteration without some of its texts."""

    def left(texts: Iterable[str]) -> list[str]:
        return [text for text in texts if not is_left_out(text)]

    kept = {name: left(step[name]) for name in ("learnings", "files_modified")}
    return {**step, **kept, "analysis": {**step["analysis"], "errors": left(step["analysis"]["errors"])}}
