"""Gets an artifact by the ordinary client of its registry, and takes it only if it is what was pinned."""

from __future__ import annotations

import hashlib
import shutil
import subprocess
from pathlib import Path

from tests.engines.artifacts import Artifact
from tests.engines.errors import EngineError

_MAVEN_COPY = "org.apache.maven.plugins:maven-dependency-plugin:3.8.1:copy"
_FETCH_TIMEOUT_S = 600


def fetch(artifact: Artifact, folder: Path) -> Path:
    """The artifact's file, put into this folder.

    Raises:
        EngineError: the client is missing or fails, or the file is not the pinned one.
    """
    if not shutil.which(artifact.client):
        raise EngineError(
            f"{artifact.client} is missing, which fetches {artifact.file}: {install_hint(artifact)}"
        )
    _run(artifact, _command(artifact, folder), folder)
    return verified(folder / artifact.file, artifact)


def verified(path: Path, artifact: Artifact) -> Path:
    """The path, once its content has the pinned SHA-256.

    Raises:
        EngineError: it has another.
    """
    with path.open("rb") as file:
        found = hashlib.file_digest(file, "sha256").hexdigest()
    if found != artifact.sha256:
        raise EngineError(
            f"{artifact.coordinates} has SHA-256 {found}, but {artifact.sha256} is pinned in "
            "tests/engines/artifacts.py. It was not used. If the package was changed on purpose, pin it anew."
        )
    return path


def debian_package(artifact: Artifact) -> str:
    """The Debian package that brings the client."""
    return {"mvn": "maven", "npm": "npm"}[artifact.client]


def install_hint(artifact: Artifact) -> str:
    return f"apt-get install {debian_package(artifact)}"


def _command(artifact: Artifact, folder: Path) -> list[str]:
    if artifact.client == "npm":
        return ["npm", "pack", "--silent", f"--pack-destination={folder}", artifact.coordinates]
    return [
        "mvn",
        "-q",
        "-B",
        _MAVEN_COPY,
        f"-Dartifact={artifact.coordinates}",
        f"-DoutputDirectory={folder}",
    ]


def _run(artifact: Artifact, command: list[str], folder: Path) -> None:
    """In the artifact's own folder, where no pom.xml or .npmrc of a project is."""
    try:
        ended = subprocess.run(
            command,
            cwd=folder,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=_FETCH_TIMEOUT_S,
            check=False,
        )
    except subprocess.TimeoutExpired as error:
        raise EngineError(
            f"{artifact.client} did not fetch {artifact.coordinates} in {_FETCH_TIMEOUT_S} s. Try again."
        ) from error
    if ended.returncode:
        said = (ended.stdout + ended.stderr).strip()[-600:]
        raise EngineError(f"{artifact.client} could not fetch {artifact.coordinates}:\n{said}")
