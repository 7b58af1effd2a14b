"""The record store's parts: each stands by itself, and its port is small enough to be read at once."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import fields
from pathlib import Path
from typing import get_type_hints

import pytest

from memory_layer.ports.record_store import RecordStore
from tests.given import REPOSITORY
from tests.unit.repository.test_rooms import PACKAGE, Source, Tree

METHODS_MAX = 16
"""Of a port; the records have 12."""

STORES = ("adapters.aws.store", "adapters.embedded.store")
FIELDS_ALONE = {"RecordStore"}
"""Bases that hand down fields and no behaviour."""

Rule = Callable[[Tree], list[str]]


def classes_of(source: Source) -> Iterator[ast.ClassDef]:
    return (node for node in ast.walk(source.tree) if isinstance(node, ast.ClassDef))


def bases_of(node: ast.ClassDef) -> list[str]:
    return [ast.unparse(base).partition("[")[0].rpartition(".")[2] for base in node.bases]


def methods_of(node: ast.ClassDef) -> list[str]:
    return [one.name for one in node.body if isinstance(one, ast.FunctionDef | ast.AsyncFunctionDef)]


def stores_that_inherit(tree: Tree) -> list[str]:
    """Behaviour that comes from a class of the package, or is left to a class below: errors may be handed down."""
    ours = {node.name for source in tree.sources.values() for node in classes_of(source)} | {"ABC"}
    return [
        f"{source.name}: {node.name} inherits from {base}"
        for source in tree.sources.values()
        if source.room in STORES
        for node in classes_of(source)
        for base in bases_of(node)
        if base in ours - FIELDS_ALONE
    ]


def ports_too_wide(tree: Tree) -> list[str]:
    """Ports of many methods, those of the ports that they extend counted; the store itself has fields alone."""
    ports = {
        node.name: node
        for source in tree.sources.values()
        if source.room == "ports"
        for node in classes_of(source)
    }

    def methods(name: str) -> set[str]:
        node = ports[name]
        return set(methods_of(node)).union(*(methods(base) for base in bases_of(node) if base in ports))

    return [
        f"{name}: {len(methods(name))} methods"
        for name in ports
        if len(methods(name)) > (0 if name in FIELDS_ALONE else METHODS_MAX)
    ]


RULES: Sequence[Rule] = (stores_that_inherit, ports_too_wide)

WIDE = "".join(f"    def read{number}(self) -> None: ...\n" for number in range(METHODS_MAX // 2 + 1))

BROKEN: Sequence[tuple[Rule, Mapping[str, str]]] = (
    (
        stores_that_inherit,
        {
            "adapters/embedded/store/pairs.py": "class PairRows:\n    def get(self) -> None: ...",
            "adapters/embedded/store/record_store.py": "class SqliteRecordStore(pairs.PairRows): ...",
        },
    ),
    (stores_that_inherit, {"adapters/aws/store/pairs.py": "class PairItems(ABC):\n    _table: int"}),
    (
        ports_too_wide,
        {"ports/records.py": f"class MemoryStore(Protocol):\n{WIDE}{WIDE.replace('read', 'list')}"},
    ),
    (
        ports_too_wide,
        {
            "ports/records.py": f"class MemoryStore(Protocol):\n{WIDE}",
            "ports/collections.py": f"class PairStore(MemoryStore, Protocol):\n{WIDE.replace('read', 'list')}",
        },
    ),
    (ports_too_wide, {"ports/record_store.py": "class RecordStore:\n    def get(self) -> None: ..."}),
)


@pytest.mark.parametrize("rule", RULES)
def test_the_product_keeps(rule: Rule) -> None:
    assert rule(Tree(REPOSITORY)) == []


@pytest.mark.parametrize(("rule", "files"), BROKEN)
def test_what_breaks_a_rule_is_found(rule: Rule, files: Mapping[str, str], tmp_path: Path) -> None:
    for name, text in files.items():
        path = tmp_path / "shared" / PACKAGE / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")
    assert len(rule(Tree(tmp_path))) == 1


def test_every_part_is_a_port() -> None:
    hints = get_type_hints(RecordStore)
    assert all(getattr(hints[part.name], "_is_protocol", False) for part in fields(RecordStore))
