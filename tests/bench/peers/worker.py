"""One peer in a process of its own, run by the peers' interpreter: fill it, ask it, write what it took.

python -m tests.bench.peers.worker PEER DATASET_FOLDER MODEL_FOLDER RESULT_FILE
"""

from __future__ import annotations

import json
import sys
import tempfile
import time
from importlib.metadata import version
from pathlib import Path
from typing import Any

from memory_layer.adapters.onnx.embedder import OnnxEmbedder
from tests.bench.peers.dataset import Dataset, GivenVectors, load
from tests.bench.peers.products import OPENERS, Switchable
from tests.bench.peers.timing import share_of_exact, time_searches


def main() -> None:
    name, dataset, model, result = sys.argv[1:]
    with tempfile.TemporaryDirectory() as folder:
        try:
            measured = measure(name, Path(folder), load(Path(dataset)), OnnxEmbedder(Path(model)))
        except Exception as error:  # a peer that does not run here is told in the table, not hidden
            measured = {"product": name, "problem": f"{type(error).__name__}: {error!s:.150}"}
    Path(result).write_text(json.dumps(measured))


def measure(name: str, folder: Path, dataset: Dataset, model: OnnxEmbedder) -> dict[str, Any]:
    embedder = Switchable()
    embedder.behind = GivenVectors(dataset, model.model)
    peer = OPENERS[name](folder, embedder)
    started = time.perf_counter()
    peer.fill(dataset)
    fill_s = time.perf_counter() - started
    found = None if peer.is_hybrid else share_of_exact(peer.search, dataset)
    without = time_searches(peer.search, dataset.questions)
    embedder.behind = GivenVectors(dataset, model.model, paid=model)
    return {
        "product": name,
        "version": version(peer.distribution),
        "searches": peer.searches,
        "fill_s": fill_s,
        "share_of_exact": found,
        "vector_given_ms": without,
        "with_embedding_ms": time_searches(peer.search, dataset.questions),
    }


if __name__ == "__main__":
    main()
