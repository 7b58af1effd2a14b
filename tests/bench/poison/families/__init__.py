"""Families of attacks, a module a group: what is in this folder is played.

A module has FAMILIES, acts by name. It may say IS_FITTED (constants were fitted on them), AMONG_AGENTS (they are played
also where agents wrote what is right), and ONE_BY_ONE (each question has a store of its own, twelve of them).
"""

from __future__ import annotations

import pkgutil
from collections.abc import Mapping
from dataclasses import dataclass
from importlib import import_module

from tests.bench.poison.stage import Act


@dataclass(frozen=True, slots=True)
class Group:
    """Families of one module."""

    name: str
    families: Mapping[str, Act]
    is_fitted: bool
    among_agents: bool
    one_by_one: bool


def groups() -> list[Group]:
    """Groups of all modules in this folder."""
    names = sorted(module.name for module in pkgutil.iter_modules(__path__))
    return [_group(name) for name in names]


def _group(name: str) -> Group:
    module = import_module(f"{__name__}.{name}")
    flags = (getattr(module, flag, False) for flag in ("IS_FITTED", "AMONG_AGENTS", "ONE_BY_ONE"))
    return Group(name, module.FAMILIES, *flags)
