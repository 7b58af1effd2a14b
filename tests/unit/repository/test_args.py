"""Each entry under `Args:` names a parameter or a field that is there: a renamed one takes its words along."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import takewhile
from pathlib import Path

import pytest

from tests.given import REPOSITORY

PACKAGE = REPOSITORY / "shared" / "memory_layer"

NAMED = re.compile(r"\s*([A-Za-z_]\w*(?:, \w+)*): ")
ARGS = re.compile(r"(?<!`)Args:")
END_OF_LINE_OF_ARGS = re.compile(r"\s(?:Raises|Returns|Yields|Source): ?")

CONSTANTS = {"None", "True", "False", "none", "empty"}
"""Values, not names, that an entry may go on to explain."""

Documented = ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef


def unknown_args(sources: Mapping[str, str]) -> list[str]:
    """Findings in modules, by name; a class has the fields of its bases as well."""
    trees = {name: ast.parse(text) for name, text in sources.items()}
    classes = {
        node.name: node
        for tree in trees.values()
        for node in ast.walk(tree)
        if isinstance(node, ast.ClassDef)
    }
    return [
        f"{module}:{node.lineno} {node.name}: {named}"
        for module, tree in trees.items()
        for node in ast.walk(tree)
        if isinstance(node, Documented)
        for named in names_told(ast.get_docstring(node) or "")
        if named not in _names_of(node, classes)
    ]


def names_told(docstring: str) -> Iterator[str]:
    """Names that the entries of `Args:` begin with; of an entry without a name its words."""
    found = ARGS.search(docstring)
    for entry in _entries(docstring[found.end() :]) if found else ():
        match = NAMED.match(entry)
        yield from match[1].split(", ") if match else [entry.strip()]


def _entries(told: str) -> list[str]:
    """Entries below `Args:`, at the one indent, up to a blank line; or the one behind it in the same line."""
    first, *lines = told.split("\n")
    if first.strip():
        entry, *more = END_OF_LINE_OF_ARGS.split(told)[0].split(";")
        return [entry, *(one for one in more if (named := NAMED.match(one)) and named[1] not in CONSTANTS)]
    section = takewhile(lambda line: line.startswith("    "), lines)
    return [line for line in section if line[4:5].strip()]


def _names_of(node: Documented, classes: Mapping[str, ast.ClassDef]) -> set[str]:
    """Parameters of a function; of a class its fields, and the parameters of its `__init__`."""
    if not isinstance(node, ast.ClassDef):
        return set(_parameters(node.args))
    fields = {
        statement.target.id
        for statement in node.body
        if isinstance(statement, ast.AnnAssign) and isinstance(statement.target, ast.Name)
    }
    made = (one for one in node.body if isinstance(one, ast.FunctionDef) and one.name == "__init__")
    bases = (classes[base.id] for base in node.bases if isinstance(base, ast.Name) and base.id in classes)
    return fields.union(
        *(_parameters(one.args) for one in made), *(_names_of(base, classes) for base in bases)
    )


def _parameters(args: ast.arguments) -> Sequence[str]:
    found = (*args.posonlyargs, *args.args, *args.kwonlyargs, args.vararg, args.kwarg)
    return [one.arg for one in found if one is not None]


def _modules(folder: Path) -> dict[str, str]:
    return {str(path.relative_to(folder)): path.read_text("utf-8") for path in sorted(folder.rglob("*.py"))}


def test_every_entry_names_what_is_there() -> None:
    assert unknown_args(_modules(PACKAGE)) == []
    assert unknown_args(_modules(REPOSITORY / "tests")) == []


BASE = "class Base:\n    kept: int\n"


@pytest.mark.parametrize(
    ("code", "found"),
    [
        ('def f(one):\n    """Does.\n\n    Args:\n        other: it.\n    """', ["other"]),
        ('def f(one):\n    """Does. Args: other: it."""', ["other"]),
        ('def f(one):\n    """Does. Args: both sorted."""', ["both sorted."]),
        ('class C:\n    """Is.\n\n    Args:\n        one, other: it.\n    """\n    one: int', ["other"]),
        ('class C(Base):\n    """Is. Args: kept: it; None: no end; others: more."""', ["others"]),
        ('class C(Base):\n    """Is. Args: gone: it."""', ["gone"]),
        ('class C:\n    """Is. Args: one: it. Raises: Bad: so."""\n    def __init__(self, one): ...', []),
        (
            'def f(one, *, two):\n    """Does.\n\n    Args:\n        one: it,\n            as: said.\n'
            '        two: it.\n\n    Raises:\n        Bad: so.\n    """',
            [],
        ),
    ],
)
def test_what_names_nothing_is_found(code: str, found: list[str]) -> None:
    told = unknown_args({"m.py": BASE + code})
    assert [one.rpartition(": ")[2] for one in told] == found
