"""Which Debian packages a machine lacks to fetch and to run the engines."""

from __future__ import annotations

import shutil
from collections.abc import Iterable, Iterator

from tests.engines.engine import Engine
from tests.engines.errors import EngineError
from tests.engines.fetch import debian_package
from tests.engines.jdk import DEBIAN_PACKAGES, find_jdk


def missing_packages(engines: Iterable[Engine]) -> list[str]:
    """Each once: the clients of what is not fetched yet, and a JDK where none fits."""
    return list(dict.fromkeys(package for engine in engines for package in _missing(engine)))


def _missing(engine: Engine) -> Iterator[str]:
    for artifact in () if engine.home.is_dir() else engine.artifacts:
        if not shutil.which(artifact.client):
            yield debian_package(artifact)
    try:
        find_jdk(engine.title, engine.jdk_versions)
    except EngineError:
        yield DEBIAN_PACKAGES[-1]
