"""The locks are installed without resolving, so they have to be whole and to agree with pyproject.toml."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from importlib.metadata import PackageNotFoundError, requires
from typing import Any

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from tests.given import REPOSITORY

PROJECT: dict[str, Any] = tomllib.loads((REPOSITORY / "pyproject.toml").read_text("utf-8"))
EXCLUDED = {canonicalize_name(name) for name in PROJECT["tool"]["uv"]["exclude-dependencies"]}
LOCKS = ("requirements.lock", "requirements-aws.lock", "requirements-dev.lock")
ADAPTERS = {path.parent.name: path for path in REPOSITORY.glob("tests/integrations/*/requirements.txt")}
"""Locks of the extras that are tried in environments of their own, by the extra."""
EXTRAS: dict[str, list[str]] = PROJECT["project"]["optional-dependencies"]


def entries(lock: str) -> Iterator[tuple[Requirement, int]]:
    """Each pinned distribution of a lock, with how many hashes it has."""
    text = (REPOSITORY / lock).read_text("utf-8").replace("\\\n", "")
    for line in text.splitlines():
        if line and not line.lstrip().startswith("#"):
            yield Requirement(line.partition("--hash")[0]), line.count("--hash=sha256:")


PINS = {
    canonicalize_name(pin.name): next(iter(pin.specifier)).version
    for lock in LOCKS
    for pin, _ in entries(lock)
}


def is_pinned(requirement: Requirement) -> bool:
    pinned = PINS.get(canonicalize_name(requirement.name))
    return pinned is not None and requirement.specifier.contains(pinned, prereleases=True)


def needed_by(name: str, extras: frozenset[str]) -> Iterator[Requirement]:
    """What the installed distribution asks for on this platform; nothing if it is not for this platform."""
    try:
        declared = requires(name) or []
    except PackageNotFoundError:
        return
    for requirement in map(Requirement, declared):
        markers = requirement.marker
        if markers is None or any(markers.evaluate({"extra": extra}) for extra in extras | {""}):
            yield requirement


@pytest.mark.parametrize(
    "requirement",
    [
        *PROJECT["project"]["dependencies"],
        *(line for name, extra in EXTRAS.items() if name not in ADAPTERS for line in extra),
        *(line for group in PROJECT["dependency-groups"].values() for line in group),
    ],
)
def test_every_declared_dependency_is_pinned_within_its_bounds(requirement: str) -> None:
    assert is_pinned(Requirement(requirement)), f"{requirement}: run `make lock`"


def test_the_locks_hold_everything_that_their_entries_need() -> None:
    todo = [(name, frozenset[str]()) for name in PINS]
    seen = set(todo)
    missing = []
    for name, extras in todo:
        for needed in needed_by(name, extras):
            key = canonicalize_name(needed.name)
            if key in EXCLUDED:
                continue
            if not is_pinned(needed):
                missing.append(f"{name} needs {needed}")
            elif (entry := (key, frozenset(needed.extras))) not in seen:
                seen.add(entry)
                todo.append(entry)
    assert not missing


def test_torch_and_what_would_bring_it_are_locked_nowhere() -> None:
    assert not {"torch", "transformers", *EXCLUDED} & PINS.keys()
    assert not [name for name in PINS if name.startswith("nvidia")]


@pytest.mark.parametrize("extra", sorted(ADAPTERS))
def test_the_extra_of_an_adapter_is_pinned_in_a_lock_of_its_own(extra: str) -> None:
    lock = str(ADAPTERS[extra].relative_to(REPOSITORY))
    pins = {canonicalize_name(pin.name): next(iter(pin.specifier)).version for pin, _ in entries(lock)}
    wanted = [Requirement(line) for line in EXTRAS[extra]]
    assert wanted
    assert all(one.specifier.contains(pins[canonicalize_name(one.name)]) for one in wanted), "run `make lock`"


@pytest.mark.parametrize(
    "lock", [*LOCKS, *sorted(str(path.relative_to(REPOSITORY)) for path in ADAPTERS.values())]
)
def test_every_entry_is_one_version_with_hashes_and_names_no_host(lock: str) -> None:
    for pin, hashes in entries(lock):
        assert re.fullmatch(r"==[\w.+!]+", str(pin.specifier)), pin
        assert hashes >= 1, pin
    assert "://" not in (REPOSITORY / lock).read_text("utf-8")
