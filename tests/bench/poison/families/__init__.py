"""Families of attacks, a module a group: what is in this folder is played.

A module has FAMILIES, acts by name. It may say AMONG_AGENTS (they are played also where agents wrote what is right),
IS_BRIEF (aimed at a dozen questions, as a principal's allowances are), and ONE_BY_ONE (each has a store of its own).
Constants were fitted on `lines`, and those of runs of the question's words on `plausible_answers` (ADR-0054).
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
    among_agents: bool = False
    is_brief: bool = False
    one_by_one: bool = False


def groups() -> list[Group]:
    """Groups of all modules in this folder."""
    names = sorted(module.name for module in pkgutil.iter_modules(__path__))
    return [_group(name) for name in names]


def _group(name: str) -> Group:
    module = import_module(f"{__name__}.{name}")
    flags = (getattr(module, flag, False) for flag in ("AMONG_AGENTS", "IS_BRIEF", "ONE_BY_ONE"))
    return Group(name.replace("_", " "), module.FAMILIES, *flags)
