"""Uploaded code: a folder a function with our code, a folder a layer with third-party code."""

import json
import shutil
from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Final

from infra.bytecode import add_bytecode
from infra.deployment import Deployment
from infra.errors import BadDeployment
from memory_layer.console.bundle import INDEX, NOT_KEPT, TYPES, BundleFile, read_bundle
from memory_layer.console.pages import NOT_BUILT
from memory_layer.manifest.functions import Function, Layer
from memory_layer.manifest.layers import PYTHON, is_current

FACES: Final = ("cli", "client", "console", "local", "mcp")
"""Parts of the package that functions import only where the manifest says so; a change redeploys no other."""

MAX_UNZIPPED_BYTES: Final = 250 * 1024 * 1024
"""Largest size of a function with its layers. Source: Lambda quotas, deployment package size."""

HEADERS: Final = "headers.json"
PUBLISHER: Final = tuple(
    f"infra/{name}.py"
    for name in ("__init__", "constructs/__init__", "constructs/empty_bucket", "constructs/publish_files")
)
"""Modules of the function that publishes the console."""

_DEBRIS = ("__pycache__", "*.pyc")


@dataclass(frozen=True, slots=True)
class CodeAssets:
    """Folders to upload, laid out from the repository.

    Args:
        root: of the repository.
        staging: an empty folder; CDK copies what lies in it as soon as it is told of it.
    """

    root: Path
    staging: Path
    deployment: Deployment

    def function_folder(self, function: Function) -> Path:
        """Lays out `functions/{name}` with the code that all functions share, and the package without its faces.

        Raises:
            BadDeployment: the handler is missing, or what compiles it.
        """
        source = self.root / "functions" / function.name
        if not (source / "handler.py").is_file():
            raise BadDeployment(f"function {function.name} has no functions/{function.name}/handler.py")
        target = self.staging / function.name
        if not target.exists():
            shutil.copytree(
                source, target / "functions" / function.name, ignore=shutil.ignore_patterns(*_DEBRIS)
            )
            for shared in source.parent.glob("*.py"):
                shutil.copy2(shared, target / "functions")
            ignored = partial(_ignored, frozenset(FACES) - {*function.faces})
            shutil.copytree(self.root / "shared" / "memory_layer", target / "memory_layer", ignore=ignored)
            if self.deployment.bytecode:
                add_bytecode(target, f"python{PYTHON}")
        return target

    def layer_folder(self, layer: Layer) -> Path:
        """Folder that becomes /opt, built for the deployment's architecture; or nearly empty, for a placeholder.

        Raises:
            BadDeployment: the layer was not built, or not from what is here now.
        """
        name = f"{layer}-{self.deployment.architecture}"
        if self.deployment.layers == "placeholder":
            return self._placeholder(name)
        folder = self.root / "layers" / "dist" / name
        if not (folder / "python").is_dir():
            raise BadDeployment(
                f"layer layers/dist/{name} is not built: run make layers (or look at the template alone: "
                "-c layers=placeholder)"
            )
        if not is_current(folder, self.root):
            raise BadDeployment(
                f"layer layers/dist/{name} was built from other locks, or for another model: run make layers"
            )
        return folder

    def console_folder(self) -> Path:
        """Lays out the function that publishes the console, with the files of its bundle and their headers.

        Raises:
            BadDeployment: the bundle was not built.
        """
        files = read_bundle(self.root / "shared" / "memory_layer" / "console" / "bundle")
        if not files and self.deployment.layers != "placeholder":
            raise BadDeployment(
                "the console is not built: run make console, or leave it out: -c console=false"
            )
        target = self.staging / "console"
        for name, file in (files or {INDEX: BundleFile(NOT_BUILT, TYPES[".html"], NOT_KEPT)}).items():
            (target / "files" / name).parent.mkdir(parents=True, exist_ok=True)
            (target / "files" / name).write_bytes(file.content)
        (target / "files" / HEADERS).write_text(_headers_of(files), "utf-8")
        for module in PUBLISHER:
            (target / module).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(self.root / module, target / module)
        return target

    def check_size(self, function: Function) -> None:
        """Checks a function's size. Raises: BadDeployment: the function is larger than Lambda unpacks."""
        folders = [self.function_folder(function), *(self.layer_folder(layer) for layer in function.layers)]
        size = sum(file.lstat().st_size for folder in folders for file in folder.rglob("*") if file.is_file())
        if size > MAX_UNZIPPED_BYTES:
            raise BadDeployment(
                f"function {function.name} has {size / 2**20:.0f} MB with its layers; Lambda unpacks at most 250 MB"
            )

    def _placeholder(self, name: str) -> Path:
        folder = self.staging / f"placeholder-{name}"
        (folder / "python").mkdir(parents=True, exist_ok=True)
        (folder / "python" / "placeholder.txt").write_text(f"{name} was not built; this cannot run\n")
        return folder


def _headers_of(files: Mapping[str, BundleFile]) -> str:
    """Headers of files by their path, the page last: what it names is there before it."""
    order = sorted(files, key=lambda name: (name == INDEX, name)) or [INDEX]
    known = {INDEX: BundleFile(b"", TYPES[".html"], NOT_KEPT), **files}
    named = {
        name: {"content_type": known[name].content_type, "cache_control": known[name].cache_control}
        for name in order
    }
    return json.dumps(named)


def _ignored(faces: frozenset[str], folder: str, names: list[str]) -> set[str]:
    debris = set(shutil.ignore_patterns(*_DEBRIS)(folder, names))
    return debris | (faces if Path(folder).name == "memory_layer" else set())
