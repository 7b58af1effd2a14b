"""Finds a Java that an engine runs on among those that are installed."""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from tests.engines.errors import EngineError

DEBIAN_PACKAGES = ("openjdk-25-jdk-headless", "openjdk-21-jdk-headless")
"""Which fit every engine, the best first; Debian 12 has neither, Debian 13 both."""

_DEBIAN_HOMES = Path("/usr/lib/jvm")
_VERSION = re.compile(r'^JAVA_VERSION="(\d+)', re.MULTILINE)


@dataclass(frozen=True)
class Jdk:
    """A JDK (with the compiler, which a JRE lacks) and its major version."""

    home: Path
    version: int

    def program(self, name: str) -> str:
        return str(self.home / "bin" / name)


def find_jdk(asker: str, versions: range) -> Jdk:
    """JAVA_HOME if it fits, else the newest JDK that does.

    Args:
        asker: which engine, for the message.
        versions: major versions it runs on.

    Raises:
        EngineError: none fits.
    """
    found = list(_installed())
    fitting = [jdk for jdk in found if jdk.version in versions]
    if not fitting:
        raise EngineError(_refusal(asker, versions, found))
    return max(fitting, key=lambda jdk: (jdk.home == _named_home(), jdk.version))


def _named_home() -> Path | None:
    named = os.environ.get("JAVA_HOME")
    return Path(named) if named else None


def _installed() -> Iterator[Jdk]:
    for home in _homes():
        release = home / "release"
        if (home / "bin" / "javac").is_file() and release.is_file():
            match = _VERSION.search(release.read_text("utf-8"))
            if match:
                yield Jdk(home, int(match[1]))


def _homes() -> Iterator[Path]:
    if named := _named_home():
        yield named
    if on_path := shutil.which("javac"):
        yield Path(on_path).resolve().parents[1]
    if _DEBIAN_HOMES.is_dir():
        yield from sorted(path for path in _DEBIAN_HOMES.iterdir() if not path.is_symlink())


def _refusal(asker: str, versions: range, found: list[Jdk]) -> str:
    have = ", ".join(sorted({f"{jdk.version} ({jdk.home})" for jdk in found})) or "none"
    return (
        f"{asker} needs a JDK of version {versions[0]} to {versions[-1]}; installed: {have}. Install one "
        f"(apt-get install {' or '.join(DEBIAN_PACKAGES)}; on Debian 12, which has neither, Eclipse Temurin) "
        "or name it: JAVA_HOME=/path/of/jdk make engines"
    )
