"""Data folders of a corpus: loaded once through the product's import, kept, and copied for each measurement."""

from __future__ import annotations

import hashlib
import json
import shutil
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from tests.bench.corpus import WITH_CONTEXT, Chunk, Corpus, contents_by_project
from tests.bench.questions import SAMPLED, Sample, save_sample
from tests.bench.sentences import real_sentences, sentences
from tests.bench.vectors import LookupEmbedder, SeedVectors, unit

DRAWN_SENTENCES = 4_000
FORMAT = 1
"""Raised when a change makes another corpus of the same arguments."""

Tell = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Size:
    """A corpus to measure with. Args: texts: folders of real sentences; none: drawn ones."""

    records: int
    projects: int = 1
    texts: tuple[str, ...] = ()
    context_share: float = WITH_CONTEXT

    @classmethod
    def of(cls, text: str, texts: Sequence[str] = ()) -> Size:
        """From `10000` or `100000x20`."""
        records, _, projects = text.partition("x")
        return cls(int(records), int(projects or 1), tuple(texts))

    @property
    def name(self) -> str:
        places = "one project" if self.projects == 1 else f"{self.projects} projects"
        return f"{self.records:,} in {places}"

    @property
    def key(self) -> str:
        digest = hashlib.sha256(json.dumps([FORMAT, asdict(self)]).encode()).hexdigest()[:10]
        return f"{self.records}x{self.projects}-{digest}"


def loaded_folder(size: Size, cache: Path, tell: Tell) -> Path:
    """The folder of this corpus, loaded by this process's product unless it lies there already."""
    folder = cache / size.key
    if (folder / "loaded.json").exists():
        return folder
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    tell(f"loading {size.name} into {folder} ...")
    corpus = corpus_of(size, cache)
    begun = time.perf_counter()
    load_corpus(corpus, folder)
    tell(f"loaded in {time.perf_counter() - begun:.0f} s")
    return folder


@contextmanager
def working_copy(folder: Path) -> Iterator[Path]:
    """A copy beside it, for as long as it is used: measurements write."""
    with tempfile.TemporaryDirectory(prefix=f"{folder.name}-", dir=folder.parent) as copy:
        copy_folder(folder, Path(copy))
        yield Path(copy)


def copy_folder(folder: Path, into: Path) -> None:
    """By a clone where the file system has clones."""
    into.mkdir(parents=True, exist_ok=True)
    subprocess.run(["cp", "-r", "--reflink=auto", f"{folder}/.", str(into)], check=True)


def bytes_on_disk(folder: Path) -> int:
    """Blocks of everything that the product keeps there."""
    kept = (path for path in (folder / "data").rglob("*") if path.is_file())
    return sum(path.stat().st_blocks * 512 for path in kept)


def corpus_of(size: Size, cache: Path) -> Corpus:
    """The corpus of a size, of real or of drawn sentences."""
    texts = real_sentences(map(Path, size.texts)) if size.texts else sentences(DRAWN_SENTENCES, seed=2)
    return Corpus(size.records, size.projects, texts, _seed_vectors(texts, cache), size.context_share)


def _seed_vectors(texts: Sequence[str], cache: Path) -> SeedVectors:
    """Vectors of the sentences by the product's own model, kept in the cache."""
    digest = hashlib.sha256("\n".join(texts).encode()).hexdigest()[:16]
    kept = cache / f"sentences-{digest}.npy"
    if not kept.exists():
        from tests.bench.worker import product

        vectors = unit(product().real_embedder().embed(texts))
        with tempfile.NamedTemporaryFile(dir=cache, suffix=".npy", delete=False) as draft:
            np.save(draft, vectors)
        Path(draft.name).rename(kept)
    return SeedVectors.of(np.load(kept))


def load_corpus(corpus: Corpus, folder: Path) -> None:
    """Imports a corpus into `data` of a folder; beside it a sample to ask about, and last of all its size."""
    from tests.bench.worker import product

    embedder = LookupEmbedder(product().MODEL, {}, corpus.seeds.noise)
    opened = product().Product(folder / "data", embedder)
    wanted = set(np.random.default_rng(3).choice(corpus.n, min(SAMPLED, corpus.n), replace=False).tolist())
    sampled: list[tuple[dict[str, Any], np.ndarray]] = []
    try:
        for chunk in corpus.chunks():
            contents = (one["content"] for one in chunk.documents)
            embedder.known = dict(zip(contents, chunk.vectors, strict=True))
            _load_chunk(opened, chunk)
            rows = (row for row in range(len(chunk.documents)) if chunk.start + row in wanted)
            sampled += [(chunk.documents[row], chunk.vectors[row]) for row in rows]
    finally:
        opened.close()
    documents, vectors = zip(*sampled, strict=True)
    save_sample(folder, Sample(list(documents), np.stack(vectors), corpus.seeds.noise))
    size = {"records": corpus.n, "projects": corpus.projects, "text_bytes": _text_bytes(documents)}
    (folder / "loaded.json").write_text(json.dumps(size))


def _load_chunk(opened: Any, chunk: Chunk) -> None:
    for project, rows in contents_by_project(chunk).items():
        lines = [json.dumps(chunk.documents[row]) for row in rows]
        imported = opened.load(project, lines)
        if imported != len(lines):
            raise RuntimeError(f"{imported} of {len(lines)} memories were imported into {project}")


def _text_bytes(documents: Sequence[dict[str, Any]]) -> float:
    """Bytes of content and context of a memory, on average."""
    sizes = [len(one["content"].encode()) + len((one.get("context") or "").encode()) for one in documents]
    return float(np.mean(sizes))
