"""The rooms of the package: which imports which, how large they are, and how their names and sentences go.

A room is a folder of the package; `ROOMS` draws the house from top to bottom. Each rule is a function from a source
tree to the findings in it: it finds nothing in the product, and it finds what is wrong in a small tree made for it.
"""

from __future__ import annotations

import ast
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain, permutations
from pathlib import Path

import pytest

from tests.given import REPOSITORY

PACKAGE = "memory_layer"

ROOMS: Sequence[tuple[str, ...]] = (
    ("cli",),
    ("cli.commands",),
    ("cli.handover",),
    ("cli.printing",),
    ("cli.terminal",),
    ("integrations",),
    ("plugin.hooks", "plugin.connection", "plugin.tasks"),
    ("plugin",),
    ("client",),
    ("wire",),
    ("local",),
    ("console",),
    ("mcp",),
    ("bootstrap",),
    ("edge",),
    ("edge.routes",),
    ("edge.events",),
    ("edge.operations",),
    ("edge.http",),
    ("edge.foreign",),
    ("edge.shapes",),
    ("usecases.sweeps",),
    ("usecases.transfer",),
    ("usecases.review",),
    ("usecases.learn",),
    ("usecases.world",),
    ("usecases.files",),
    ("usecases.write",),
    ("usecases.context",),
    ("usecases.recall",),
    ("usecases.ground",),
    ("adapters.aws.integrity",),
    ("adapters.aws.projection",),
    ("adapters.aws.store", "adapters.aws.search", "adapters.aws.segments"),
    ("adapters.aws.table",),
    ("adapters.aws.deployment",),
    ("adapters.aws.services",),
    ("adapters.embedded.store", "adapters.embedded.ram_index"),
    ("adapters.embedded.sqlite",),
    ("adapters.embedded.files",),
    ("adapters.project_index",),
    ("adapters.process",),
    ("adapters.stored_form", "adapters.onnx"),
    ("ports",),
    ("settings",),
    ("errors", "version"),
    ("domain.context", "domain.rollback"),
    ("domain.retrieval", "domain.learning"),
    ("domain.conflicts", "domain.portability"),
    ("domain.text", "domain.tiers"),
    ("domain.time",),
    ("domain.integrity", "domain.safety"),
    ("domain",),
    ("manifest",),
)
"""From top to bottom: a room imports the rooms of later lines, and none that stands beside it."""

FLOORS = {room: floor for floor, rooms in enumerate(ROOMS) for room in rooms}

STRANGERS = (("adapters.aws", "adapters.embedded"), ("usecases", "adapters"), ("edge", "adapters"))
"""Neither imports the other, though one is drawn below the other."""

WIRES_ADAPTERS = "bootstrap"
"""The one room that knows the adapters."""

DERIVED = "Derived by `make client`."
"""Said by modules that are written out of openapi.json: nobody reads them from end to end, and the names of their
classes are those of the document."""

SHARED_NAMES = {"Memory": 2, "MemoryStore": 3}
"""Classes that are called so for programs that import them: the client is a memory, and the domain's record is one;
LangGraph and Strands each call what keeps memories a store, as the port does."""

LARGEST_FOLDER = 40
LONGEST_MODULE = 300
IMPORT_SHARE_MAX = 0.125
"""The share is .12; a small module that comes has room."""
SUBORDINATE_SHARE_MAX = 0.03

SUBORDINATE = re.compile(r"(?:What|How|Which|Whether|Who|Where)(?:ever)?\b")

Definition = ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef


@dataclass(frozen=True)
class Source:
    """A module as it is written; names are those within the package, and the package's own is empty."""

    name: str
    is_folder: bool
    text: str

    @cached_property
    def tree(self) -> ast.Module:
        return ast.parse(self.text)

    @property
    def room(self) -> str:
        """The folder; a module beside the rooms is a room of its own."""
        folder = self.name if self.is_folder else self.name.rpartition(".")[0]
        return folder or self.name

    @property
    def is_derived(self) -> bool:
        return DERIVED in (ast.get_docstring(self.tree) or "")

    @property
    def head(self) -> list[ast.stmt]:
        """The imports that stand outside functions and conditions."""
        return [node for node in self.tree.body if isinstance(node, ast.Import | ast.ImportFrom)]

    @property
    def documented(self) -> list[Definition]:
        nodes = (node for node in ast.walk(self.tree) if isinstance(node, Definition))
        return [node for node in nodes if ast.get_docstring(node)]

    def imported(self) -> Iterator[str]:
        """Each dotted name that a statement of the module may load, inside functions and conditions as well."""
        for node in ast.walk(self.tree):
            if isinstance(node, ast.Import):
                yield from (alias.name for alias in node.names)
            elif isinstance(node, ast.ImportFrom):
                origin = ".".join(filter(None, (self._base(node.level), node.module)))
                yield from (f"{origin}.{alias.name}" for alias in node.names)

    def _base(self, level: int) -> str:
        parts = [PACKAGE, *self.name.split("."), *(["__init__"] if self.is_folder else [])]
        return ".".join(parts[:-level]) if level else ""

    def code_lines(self) -> int:
        """Without blanks, comments and docstrings."""
        told = {line for node in self.documented for line in _lines(node.body[0])}
        lines = ((at, line.strip()) for at, line in enumerate(self.text.splitlines(), 1))
        return sum(1 for at, line in lines if line and not line.startswith("#") and at not in told)


def _lines(node: ast.stmt) -> range:
    return range(node.lineno, (node.end_lineno or node.lineno) + 1)


@dataclass(frozen=True)
class Tree:
    """The package below a repository's root, and the folders of its tests."""

    root: Path

    @cached_property
    def sources(self) -> Mapping[str, Source]:
        base = self.root / "shared" / PACKAGE
        found = (_source(path, path.relative_to(base)) for path in sorted(base.rglob("*.py")))
        return {source.name: source for source in found}

    @cached_property
    def imports(self) -> Mapping[str, set[str]]:
        """The modules of the package that each module imports."""
        found = {name: map(self._ours, source.imported()) for name, source in self.sources.items()}
        return {name: {module for module in modules if module is not None} for name, modules in found.items()}

    @property
    def written(self) -> Mapping[str, Source]:
        """Modules that people write."""
        return {name: source for name, source in self.sources.items() if not source.is_derived}

    @property
    def crossings(self) -> Iterator[tuple[Source, Source]]:
        """Each import of a module in another room."""
        for name, modules in self.imports.items():
            importer = self.sources[name]
            others = (self.sources[module] for module in sorted(modules))
            yield from ((importer, other) for other in others if other.room != importer.room)

    def folders(self) -> Mapping[Path, int]:
        """The modules in each folder of the package and of the tests."""
        files = chain((self.root / "shared" / PACKAGE).rglob("*.py"), (self.root / "tests").rglob("*.py"))
        return Counter(path.parent.relative_to(self.root) for path in files if path.name != "__init__.py")

    def _ours(self, dotted: str) -> str | None:
        """The module that a name comes from, if it is one of the package's."""
        top, _, name = dotted.partition(".")
        if top != PACKAGE:
            return None
        return name if name in self.sources else name.rpartition(".")[0]


def _source(path: Path, below: Path) -> Source:
    is_folder = path.name == "__init__.py"
    parts = below.parent.parts if is_folder else below.with_suffix("").parts
    return Source(".".join(parts), is_folder, path.read_text("utf-8"))


def _is_in(name: str, room: str) -> bool:
    return name == room or name.startswith(f"{room}.")


def rooms_that_are_not_drawn(tree: Tree) -> list[str]:
    return sorted({s.room for s in tree.sources.values() if s.text.strip() and s.room not in FLOORS})


def imports_that_run_up(tree: Tree) -> list[str]:
    drawn = ((one, other) for one, other in tree.crossings if {one.room, other.room} <= FLOORS.keys())
    return [
        f"{one.name} imports {other.name}" for one, other in drawn if FLOORS[one.room] >= FLOORS[other.room]
    ]


def imports_between_strangers(tree: Tree) -> list[str]:
    ways = [way for pair in STRANGERS for way in permutations(pair)]
    return [
        f"{one.name} imports {other.name}"
        for one, other in tree.crossings
        if any(_is_in(one.name, here) and _is_in(other.name, there) for here, there in ways)
    ]


def adapters_known_elsewhere(tree: Tree) -> list[str]:
    return [
        f"{one.name} imports {other.name}"
        for one, other in tree.crossings
        if _is_in(other.name, "adapters") and not _is_in(one.name, "adapters") and one.room != WIRES_ADAPTERS
    ]


def imports_that_leave_the_domain(tree: Tree) -> list[str]:
    return [
        f"{one.name} imports {other.name}"
        for one, other in tree.crossings
        if _is_in(one.name, "domain") and not _is_in(other.name, "domain")
    ]


def circles(tree: Tree) -> list[str]:
    """The modules that stay when, again and again, the ends go: who imports none of the rest, or is not imported."""
    left = dict(tree.imports)
    while ends := _ends(left):
        left = {name: modules for name, modules in left.items() if name not in ends}
    return sorted(left)


def _ends(left: Mapping[str, set[str]]) -> set[str]:
    imported = set(chain.from_iterable(left.values()))
    return {name for name, modules in left.items() if name not in imported or not modules & left.keys()}


def folders_too_large(tree: Tree) -> list[str]:
    return [f"{folder}: {count}" for folder, count in tree.folders().items() if count > LARGEST_FOLDER]


def modules_too_long(tree: Tree) -> list[str]:
    sizes = {name: len(source.text.splitlines()) for name, source in tree.written.items()}
    return [f"{name}: {lines} lines" for name, lines in sizes.items() if lines > LONGEST_MODULE]


def class_names_used_twice(tree: Tree) -> list[str]:
    modules_of: defaultdict[str, list[str]] = defaultdict(list)
    for name, source in tree.written.items():
        for node in ast.walk(source.tree):
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                modules_of[node.name].append(name)
    return [
        f"{name}: {', '.join(modules)}"
        for name, modules in modules_of.items()
        if len(modules) > SHARED_NAMES.get(name, 1)
    ]


def too_many_subordinate_openings(tree: Tree) -> list[str]:
    """A docstring says what a thing is or does; one that opens with What or How makes the reader finish it."""
    told = [
        (f"{source.name}:{node.body[0].lineno}", ast.get_docstring(node) or "")
        for source in tree.sources.values()
        for node in source.documented
    ]
    found = [f"{place} {text.splitlines()[0]}" for place, text in told if SUBORDINATE.match(text)]
    return found if len(found) > SUBORDINATE_SHARE_MAX * len(told) else []


def too_many_import_lines(tree: Tree) -> list[str]:
    """Counted at the heads of the modules: an import inside a function waits on purpose until it is needed."""
    sources = tree.written.values()
    code = sum(source.code_lines() for source in sources)
    lines = sum(len(_lines(node)) for source in sources for node in source.head)
    return [f"{lines} of {code} lines of code import"] if lines > IMPORT_SHARE_MAX * code else []


Rule = Callable[[Tree], list[str]]

RULES: Sequence[Rule] = (
    rooms_that_are_not_drawn,
    imports_that_run_up,
    imports_between_strangers,
    adapters_known_elsewhere,
    imports_that_leave_the_domain,
    circles,
    folders_too_large,
    modules_too_long,
    class_names_used_twice,
    too_many_subordinate_openings,
    too_many_import_lines,
)

BODY = "x = 1\n" * 20
"""Enough code for an import of one line."""

BROKEN: Sequence[tuple[Rule, Mapping[str, str]]] = (
    (rooms_that_are_not_drawn, {"attic/box.py": BODY}),
    (imports_that_run_up, {"ports/index.py": "import memory_layer.edge.app", "edge/app.py": BODY}),
    (imports_that_run_up, {"mcp/server.py": "from memory_layer.local import demo", "local/demo.py": BODY}),
    (
        imports_that_run_up,
        {"domain/memory.py": "def f():\n    from ..ports import index", "ports/index.py": ""},
    ),
    (
        imports_that_run_up,
        {"errors.py": "from memory_layer.settings import Settings", "settings.py": "class Settings: ..."},
    ),
    (
        imports_that_run_up,
        {
            "ports/index.py": "if TYPE_CHECKING:\n    from memory_layer.edge.app import App",
            "edge/app.py": "class App: ...",
        },
    ),
    (
        imports_between_strangers,
        {
            "adapters/aws/store/pairs.py": "from memory_layer.adapters.embedded.sqlite import database",
            "adapters/embedded/sqlite/database.py": BODY,
        },
    ),
    (
        imports_between_strangers,
        {
            "usecases/write/remember.py": "from memory_layer.adapters.process import event_bus",
            "adapters/process/event_bus.py": BODY,
        },
    ),
    (
        adapters_known_elsewhere,
        {
            "local/doctor.py": "from memory_layer.adapters.onnx import session",
            "adapters/onnx/session.py": BODY,
        },
    ),
    (
        imports_that_leave_the_domain,
        {"domain/memory.py": "from memory_layer.manifest import index", "manifest/index.py": BODY},
    ),
    (
        circles,
        {
            "ports/index.py": "from memory_layer.ports import blobs",
            "ports/blobs.py": "def late():\n    from memory_layer.ports.records import Record",
            "ports/records.py": "from memory_layer.ports.index import Index",
        },
    ),
    (circles, {"ports/index.py": "from memory_layer.ports import index"}),
    (folders_too_large, {f"ports/p{number}.py": BODY for number in range(LARGEST_FOLDER + 1)}),
    (folders_too_large, {f"../../tests/unit/test_{n}.py": BODY for n in range(LARGEST_FOLDER + 1)}),
    (modules_too_long, {"ports/index.py": "x = 1\n" * (LONGEST_MODULE + 1)}),
    (class_names_used_twice, {"ports/index.py": "class Page: ...", "domain/memory.py": "class Page: ..."}),
    (too_many_subordinate_openings, {"ports/index.py": '"""What is found."""'}),
    (too_many_subordinate_openings, {"ports/index.py": 'class Index:\n    """Whoever searches."""'}),
    (too_many_import_lines, {"ports/index.py": f"from json import (\n    dumps,\n    loads,\n)\n{BODY}"}),
)

SOUND: Mapping[str, str] = {
    "__init__.py": "",
    "ports/__init__.py": "",
    "ports/index.py": f'"""Finds memories."""\nfrom memory_layer.domain.text import analyzer\n{BODY}',
    "domain/text/analyzer.py": f"from memory_layer.domain.memory import Memory\n{BODY}\n{BODY}",
    "domain/memory.py": f"class Memory: ...\nclass _Page: ...\n{BODY}",
    "client/models.py": f'"""{DERIVED}"""\nclass Memory: ...\n' + BODY * 40,
    "domain/filters.py": f"class Filters: ...\nclass _Page: ...\n{BODY}",
    **{f"manifest/m{number}.py": BODY for number in range(LARGEST_FOLDER)},
}


def _write(root: Path, files: Mapping[str, str]) -> Tree:
    (root / "shared" / PACKAGE).mkdir(parents=True)
    (root / "tests").mkdir()
    for name, text in files.items():
        path = root / "shared" / PACKAGE / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")
    return Tree(root)


@pytest.fixture(scope="module")
def product() -> Tree:
    return Tree(REPOSITORY)


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.__name__)
def test_product_keeps_each_rule(rule: Rule, product: Tree) -> None:
    assert product.sources
    assert rule(product) == []


@pytest.mark.parametrize(("rule", "files"), BROKEN, ids=lambda it: getattr(it, "__name__", ""))
def test_broken_tree_is_found(rule: Rule, files: Mapping[str, str], tmp_path: Path) -> None:
    assert rule(_write(tmp_path, files)) != []


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.__name__)
def test_sound_tree_breaks_no_rule(rule: Rule, tmp_path: Path) -> None:
    assert rule(_write(tmp_path, SOUND)) == []


def test_each_rule_has_a_tree_that_breaks_it() -> None:
    assert {rule for rule, _ in BROKEN} == set(RULES)


def test_rooms_that_are_drawn_are_there(product: Tree) -> None:
    assert FLOORS.keys() <= {source.room for source in product.sources.values()}
