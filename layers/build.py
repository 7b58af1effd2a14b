"""Builds the Lambda layers: third-party code from the hashed lock, and the embedding model.

python layers/build.py [--arch arm64 x86_64 host]: layers/dist/{base,onnx}-{arch}/, as unpacked under /opt.
`host` is for this machine and its Python: what the tests start.
"""

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from importlib.metadata import PackageNotFoundError, requires
from pathlib import Path
from typing import Final, Literal, get_args

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from memory_layer.bootstrap.embedded import build_embedding_model
from memory_layer.bootstrap.model_choice import brought
from memory_layer.errors import Invalid
from memory_layer.manifest import layers
from memory_layer.manifest.functions import Layer
from memory_layer.settings import read_settings

Arch = Literal["arm64", "x86_64", "host"]

ROOT: Final = Path(__file__).resolve().parents[1]
DIST: Final = ROOT / "layers" / "dist"
LOCK: Final = ROOT / "requirements-aws.lock"
MACHINES: Final[Mapping[Arch, str]] = {"arm64": "aarch64", "x86_64": "x86_64"}
GLIBC_MINORS: Final = range(34, 16, -1)
"""Amazon Linux 2023, under Lambda's Python 3.13, has glibc 2.34: wheels for 2.17 to 2.34 run there."""

TIMESTAMP: Final = 315_532_800
"""1980-01-01, the oldest that a zip can say: the same input makes the same files."""


class CannotBuild(Exception):
    """Failure of the build, for the person at the keyboard."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--arch", nargs="+", choices=get_args(Arch), default=["arm64"])
    parser.add_argument(
        "--encoder", type=Path, help="folder of an encoder that goes into the onnx layer beside our own model"
    )
    parser.add_argument(
        "--interpreter", default=f"python{layers.PYTHON}", help="compiles bytecode for arm64 and x86_64"
    )
    asked = parser.parse_args()
    try:
        for arch in asked.arch:
            build(arch, sys.executable if arch == "host" else asked.interpreter, asked.encoder)
    except CannotBuild as error:
        sys.exit(str(error))


def build(arch: Arch, interpreter: str, encoder: Path | None = None) -> None:
    """Builds both layers for one architecture, and prints their sizes.

    Args:
        interpreter: of the Python that will run them; without one they are built without bytecode.
        encoder: folder of an encoder for the onnx layer; None: our own model alone.
    """
    DIST.mkdir(exist_ok=True)
    (DIST / ".gitignore").write_text("*\n", encoding="utf-8")
    for layer, names in contents(arch).items():
        folder = DIST / f"{layer}-{arch}"
        shutil.rmtree(folder, ignore_errors=True)
        layers.stamp_file(folder).unlink(missing_ok=True)
        install(names, folder / "python", arch)
        trim(folder / "python")
        if not compiled(folder / "python", interpreter):
            print(
                f"No {interpreter} here, so no bytecode: cold starts will take twice as long.",
                file=sys.stderr,
            )
        if layer == "onnx":
            add_model(folder / "model")
            if encoder is not None:
                add_encoder(encoder, folder / "model")
        date_alike(folder)
        layers.stamp_file(folder).write_text(f"{layers.stamp_of(ROOT)}\n", encoding="utf-8")
    for line in size_table(arch):
        print(line)


def contents(arch: Arch) -> dict[Layer, frozenset[str]]:
    """Every distribution of each layer, by its canonical name."""
    environment = environment_of(arch)
    base = closure(declared() - layers.LAPTOP_ONLY - layers.EMBEDDING, environment)
    return {"base": base, "onnx": closure(layers.EMBEDDING, environment) - base}


def declared() -> frozenset[str]:
    """Requirements of the engine and of the cloud, as pyproject.toml has them."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    extras = project["optional-dependencies"]
    lines = [*project["dependencies"], *extras["local"], *extras["aws"]]
    return frozenset(canonicalize_name(Requirement(line).name) for line in lines)


def environment_of(arch: Arch) -> dict[str, str]:
    """Environment by which markers of requirements are judged; empty: this interpreter."""
    if arch == "host":
        return {}
    return {
        "python_version": layers.PYTHON,
        "python_full_version": f"{layers.PYTHON}.0",
        "sys_platform": "linux",
        "platform_system": "Linux",
        "platform_machine": MACHINES[arch],
    }


def closure(roots: Iterable[str], environment: Mapping[str, str]) -> frozenset[str]:
    """Named distributions and all that they need, less those left out on purpose."""
    todo, found = list(roots), set(roots)
    for name in todo:
        new = set(needed_by(name, environment)) - found - layers.LEFT_OUT
        found |= new
        todo += sorted(new)
    return frozenset(found) - layers.LEFT_OUT


def needed_by(name: str, environment: Mapping[str, str]) -> Iterator[str]:
    """Requirements of an installed distribution without extras.

    Raises:
        CannotBuild: it is not installed here.
    """
    try:
        lines = requires(name) or []
    except PackageNotFoundError as error:
        raise CannotBuild(f"{name} is not installed in this environment; run: make layers") from error
    for requirement in map(Requirement, lines):
        if requirement.marker is None or requirement.marker.evaluate({**environment, "extra": ""}):
            yield canonicalize_name(requirement.name)


def locked(names: Iterable[str]) -> str:
    """Entries of these distributions in the lock, versions and hashes and all."""
    entries = dict(_entries(LOCK.read_text("utf-8")))
    missing = sorted(set(names) - entries.keys())
    if missing:
        raise CannotBuild(f"{', '.join(missing)}: not in {LOCK.name}; run: make lock")
    return "".join(entries[name] for name in sorted(names))


def _entries(lock: str) -> Iterator[tuple[str, str]]:
    for entry in lock.replace("\\\n", "").splitlines():
        if entry and not entry.lstrip().startswith("#"):
            yield canonicalize_name(Requirement(entry.partition("--hash")[0]).name), f"{entry}\n"


def install(names: Iterable[str], target: Path, arch: Arch) -> None:
    """Has pip lay the wheels out, each checked by its hash."""
    with tempfile.TemporaryDirectory() as folder:
        requirements = Path(folder) / "requirements.txt"
        requirements.write_text(locked(names), encoding="utf-8")
        command = [sys.executable, "-m", "pip", "--disable-pip-version-check", "install", "--quiet"]
        options = ["--no-compile", "--no-deps", "--require-hashes", "--only-binary=:all:", "--target"]
        files = [str(target), "--requirement", str(requirements)]
        done = subprocess.run([*command, *options, *files, *_platform(arch)], check=False)
    if done.returncode != 0:
        raise CannotBuild(f"pip could not install the layer for {arch}; it says why above")


def _platform(arch: Arch) -> list[str]:
    if arch == "host":
        return []
    tags = [f"manylinux_2_{minor}_{MACHINES[arch]}" for minor in GLIBC_MINORS]
    platforms = [f"--platform={tag}" for tag in [*tags, f"manylinux2014_{MACHINES[arch]}"]]
    return [*platforms, f"--python-version={layers.PYTHON}", "--implementation=cp"]


def trim(folder: Path) -> None:
    """Removes files that no function imports."""
    for pattern in layers.TRIMMED:
        for path in list(folder.glob(pattern)):
            remove(path)
    services = folder / "botocore" / "data"
    for service in services.iterdir() if services.is_dir() else ():
        if service.is_dir() and service.name not in layers.AWS_SERVICES:
            remove(service)


def remove(path: Path) -> None:
    if path.is_dir():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)


def compiled(folder: Path, interpreter: str) -> bool:
    """Adds bytecode, which Lambda's read-only disk would have each cold start make anew: 2.7 s of imports to 1.2 s.

    Returns:
        False where the interpreter does not run.
    """
    command = [interpreter, "-m", "compileall", "-q", "--invalidation-mode=unchecked-hash"]
    paths = ["-s", str(folder), "-p", "/opt/python", str(folder)]  # tracebacks name the place in the cloud
    try:
        version = subprocess.run([interpreter, "-V"], capture_output=True, text=True, check=True).stdout
    except (OSError, subprocess.CalledProcessError):
        return False
    done = subprocess.run([*command, *paths], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise CannotBuild(f"{version.strip()} could not compile {folder}: {done.stdout[:500]}")
    return True


def add_model(folder: Path) -> None:
    """Adds the model's folder, as `MEMORY_LAYER_MODEL_DIR` names its parent."""
    built = build_embedding_model(read_settings(), print)
    shutil.copytree(built, folder / built.name)


def add_encoder(encoder: Path, models: Path) -> None:
    """Adds an encoder, and prints the context options that deploy it. Raises: CannotBuild: it cannot be used."""
    try:
        id, dimensions = brought(encoder, models, print)
    except Invalid as error:
        raise CannotBuild(error.detail) from error
    print(f"Deploy it with -c embedding_model=encoder:{id} -c embedding_dimensions={dimensions}")


def date_alike(folder: Path) -> None:
    for path in (*folder.rglob("*"), folder):
        os.utime(path, (TIMESTAMP, TIMESTAMP))


def megabytes(folder: Path) -> float:
    """Size of a folder, unzipped."""
    return sum(file.lstat().st_size for file in folder.rglob("*") if file.is_file()) / 2**20


def size_table(arch: Arch) -> Iterator[str]:
    """Sizes, one line a distribution's folder of 1 MB or more, and one a layer."""
    for layer in get_args(Layer):
        folder = DIST / f"{layer}-{arch}"
        yield f"{folder.name:12} {megabytes(folder):7.1f} MB"
        parts = [*(folder / "python").iterdir(), *(folder / "model").glob("*")]
        sizes = {
            part.name: megabytes(part) if part.is_dir() else part.stat().st_size / 2**20 for part in parts
        }
        for name, size in sorted(sizes.items(), key=lambda item: -item[1]):
            if size >= 1:
                yield f"  {size:7.1f}  {name}"


if __name__ == "__main__":
    main()
