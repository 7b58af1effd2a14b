"""Derives the client's routes, models and operations from docs/openapi.json.

python -m tools.derive_client: writes them. A test holds the written modules against what this makes.
"""

import json
import keyword
import re
import subprocess
import sys
import textwrap
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Final

ROOT: Final = Path(__file__).resolve().parents[1]
PACKAGE: Final = Path("shared/memory_layer")
DOCUMENT: Final = ROOT / "docs" / "openapi.json"

REFERENCE: Final = "#/components/schemas/"
LINE: Final = 100
"""Characters of a sentence's line, before ruff indents it."""

DERIVED: Final = "Derived by `make client`."
WAITING: Final = "OperationAnswer"
TEXT_BODY: Final = "str | bytes"
SPOKEN_FOR: Final = "memory-user"
"""Header that the client itself sends."""

PLAIN: Final = {"string": "str", "integer": "int", "number": "float", "boolean": "bool", "null": "None"}


def main() -> None:
    document = json.loads(DOCUMENT.read_text("utf-8"))
    for path, text in derived(document).items():
        (ROOT / path).write_text(text, "utf-8")


def derived(document: Mapping[str, Any]) -> dict[Path, str]:
    """Text of each derived module, by its path in the repository."""
    book = Book(document)
    return {
        PACKAGE / "wire" / "routes.py": formatted(routes_module(book)),
        PACKAGE / "client" / "models.py": formatted(models_module(book)),
        PACKAGE / "client" / "operations.py": formatted(operations_module(book)),
    }


def formatted(source: str) -> str:
    for arguments in (("check", "--select", "I,F401", "--fix-only", "--quiet"), ("format", "--quiet")):
        ran = subprocess.run(
            [sys.executable, "-m", "ruff", *arguments, "--stdin-filename", "shared/memory_layer/x.py", "-"],
            input=source,
            capture_output=True,
            text=True,
            check=True,
            cwd=ROOT,
        )
        source = ran.stdout
    return source


@dataclass(frozen=True)
class Parameter:
    """Argument of an operation. Args: named: as HTTP calls it; hint: of its values, as a request takes them."""

    named: str
    place: str
    hint: str
    is_required: bool
    words: str
    is_taken: bool = False

    @property
    def name(self) -> str:
        """Argument's name: a field of the body whose name stands in the path as well is told apart."""
        return f"body_{self.named}" if self.is_taken else identifier(self.named)


@dataclass(frozen=True)
class Described:
    """Operation of the document."""

    book: "Book"
    method: str
    target: str
    said: Mapping[str, Any]

    @property
    def id(self) -> str:
        return str(self.said["operationId"])

    @cached_property
    def parameters(self) -> list[Parameter]:
        return [
            Parameter(
                *(one["name"].lower() if one["in"] == "header" else one["name"], one["in"]),
                *(self.book.hint(one["schema"], is_given=True), one.get("required", False)),
                one.get("description") or one["schema"].get("description", ""),
            )
            for one in self.said.get("parameters", ())
            if one["name"].lower() != SPOKEN_FOR and one["name"] != "project"
        ]

    @cached_property
    def contents(self) -> Mapping[str, Any]:
        return self.said.get("requestBody", {}).get("content", {})

    @cached_property
    def body_schema(self) -> Mapping[str, Any] | None:
        content = self.contents.get("application/json")
        if content is None and self.contents:
            return {"type": "string"}
        return None if content is None else content["schema"]

    @cached_property
    def fields_schema(self) -> Mapping[str, Any] | None:
        """Schema of a body whose fields are the operation's own arguments; None: it has several kinds, or no fields."""
        schema = self.body_schema
        if schema is None:
            return None
        choices = [one for one in schema.get("anyOf", [schema]) if one != {"type": "null"}]
        found = self.book.resolved(choices[0])
        return found if len(choices) == 1 and "properties" in found else None

    @cached_property
    def body(self) -> list[Parameter]:
        if self.body_schema is None:
            return []
        if self.fields_schema is not None:
            required = self.fields_schema.get("required", [])
            properties = self.fields_schema["properties"]
            names = [*required, *(name for name in properties if name not in required)]
            return [
                Parameter(
                    *(name, "body", self.book.hint(properties[name], is_given=True), name in required),
                    self.book.words(properties[name]),
                    any(one.named == name for one in self.parameters),
                )
                for name in names
            ]
        hints = [self.book.hint(self.body_schema, is_given=True)]
        hints += [TEXT_BODY] if len(self.contents) > 1 or hints == ["str"] else []
        hint = " | ".join(dict.fromkeys(" | ".join(hints).split(" | ")))
        words = "As it is written above." if len(self.contents) < 2 else f"{spoken(self.contents)}."
        return [Parameter("body", "body", hint, self.said["requestBody"].get("required", False), words)]

    @property
    def body_kind(self) -> str:
        if not self.body_schema:
            return ""
        return "whole" if self.fields_schema is None else "fields"

    @cached_property
    def answers(self) -> list[str]:
        """Hints of the good answers, without that of an operation that is awaited."""
        found = []
        for status, answer in self.said["responses"].items():
            if status.startswith("2") and not (status == "202" and self.is_long):
                contents = answer.get("content", {})
                schemas = [content["schema"] for content in contents.values()] or [{"type": "null"}]
                hints = [self.book.hint(schema) for schema in schemas]
                found += ["None"] if status == "204" else [part for hint in hints for part in split(hint)]
        return list(dict.fromkeys(found))

    @property
    def is_long(self) -> bool:
        accepted = self.said["responses"].get("202", {}).get("content", {})
        return any(self.book.hint(content["schema"]) == WAITING for content in accepted.values())

    @cached_property
    def items(self) -> tuple[str, str] | None:
        """Field of a page that holds its items, and their hint; None: the answer is no page."""
        if len(self.answers) != 1 or self.answers[0] not in self.book.schemas:
            return None
        properties = self.book.schemas[self.answers[0]].get("properties", {})
        lists = [name for name, one in properties.items() if one.get("type") == "array"]
        if "next_cursor" not in properties or not any(one.named == "cursor" for one in self.parameters):
            return None
        name = next(name for name in lists if self.id.endswith(name) or len(lists) == 1)
        return name, self.book.hint(properties[name]["items"])


class Book:
    """The document, with its schemas by name."""

    def __init__(self, document: Mapping[str, Any]) -> None:
        self.schemas: dict[str, Any] = dict(document["components"]["schemas"])
        for name in list(self.schemas):
            self.schemas[name] = self._with_names(self.schemas[name], is_named=True)
        self.operations = sorted(
            (
                Described(self, method.upper(), target, self._with_names(said))
                for target, methods in document["paths"].items()
                for method, said in methods.items()
                if method in ("get", "put", "post", "patch", "delete")
            ),
            key=lambda one: one.id,
        )
        contents = [content for one in self.operations for content in one.contents.values()]
        parameters = [one.said.get("parameters", []) for one in self.operations]
        self.given = self._closure([*contents, *parameters])
        self.answered = self._closure([one.said["responses"] for one in self.operations])

    def _with_names(self, part: Any, *, is_named: bool = False) -> Any:
        """Part whose inline objects have become schemas of their own, by their titles."""
        if isinstance(part, list):
            return [self._with_names(one) for one in part]
        if not isinstance(part, dict):
            return part
        inner = {
            key: one if key.startswith("example") else self._with_names(one) for key, one in part.items()
        }
        title = part.get("title")
        is_object = isinstance(title, str) and isinstance(part.get("properties"), dict)
        if is_named or not is_object or self.schemas.setdefault(title, inner) != inner:
            return inner
        return {"$ref": f"{REFERENCE}{title}", "description": part.get("description", "")}

    def _closure(self, parts: Any) -> set[str]:
        seen: set[str] = set()
        todo = list(references(parts))
        while todo:
            name = todo.pop()
            if name not in seen:
                seen.add(name)
                todo += references(self.schemas[name])
        return seen

    def resolved(self, schema: Mapping[str, Any]) -> Mapping[str, Any]:
        return self.schemas[named(schema)] if "$ref" in schema else schema

    def words(self, schema: Mapping[str, Any]) -> str:
        return str(schema.get("description") or self.resolved(schema).get("description") or "")

    def is_alias(self, name: str) -> bool:
        return "properties" not in self.schemas[name]

    def title(self, name: str, is_given: bool) -> str:
        """Name of a schema's class; one that stands in answers too has a second one for requests."""
        is_both = name in self.given and name in self.answered and not self.is_alias(name)
        return f"{name}Input" if is_given and is_both else name

    def hint(self, schema: Mapping[str, Any], *, is_given: bool = False) -> str:
        """Annotation of a schema's values, of requests or of answers."""
        if "$ref" in schema:
            return self.title(named(schema), is_given)
        if "const" in schema:
            return f"Literal[{schema['const']!r}]"
        if "enum" in schema:
            return f"Literal[{', '.join(map(repr, schema['enum']))}]"
        if options := schema.get("anyOf") or schema.get("oneOf"):
            hints = [part for one in options for part in split(self.hint(one, is_given=is_given))]
            return " | ".join(dict.fromkeys(sorted(hints, key=lambda hint: hint == "None")))
        if "allOf" in schema and len(schema["allOf"]) == 1:
            return self.hint(schema["allOf"][0], is_given=is_given)
        return self._typed(schema, is_given)

    def _typed(self, schema: Mapping[str, Any], is_given: bool) -> str:
        kind = schema.get("type")
        if isinstance(kind, list):
            return " | ".join(self.hint({**schema, "type": one}, is_given=is_given) for one in kind)
        if kind == "string" and schema.get("format") == "date-time":
            return "datetime | str" if is_given else "datetime"
        if kind == "array":
            items = self.hint(schema.get("items", {}), is_given=is_given)
            return f"{'Sequence' if is_given else 'list'}[{items}]"
        if kind == "object":
            inner = schema.get("additionalProperties")
            values = self.hint(inner, is_given=is_given) if isinstance(inner, dict) and inner else "Any"
            return f"{'Mapping' if is_given else 'dict'}[str, {values}]"
        return PLAIN.get(str(kind), "Any")


def references(part: Any) -> Iterator[str]:
    if isinstance(part, Mapping):
        if "$ref" in part:
            yield named(part)
        for inner in part.values():
            yield from references(inner)
    elif isinstance(part, Sequence) and not isinstance(part, str):
        for inner in part:
            yield from references(inner)


def named(schema: Mapping[str, Any]) -> str:
    return str(schema["$ref"]).removeprefix(REFERENCE)


def split(hint: str) -> list[str]:
    """Members of a union; none of ours has another union inside its brackets with a None of its own."""
    parts, depth, start = [], 0, 0
    for at, mark in enumerate(hint):
        depth += (mark == "[") - (mark == "]")
        if mark == "|" and depth == 0:
            parts.append(hint[start:at].strip())
            start = at + 1
    return [*parts, hint[start:].strip()]


def identifier(name: str) -> str:
    word = re.sub(r"\W+", "_", name.lower() if "-" in name else name).strip("_")
    return f"{word}_" if keyword.iskeyword(word) else word


def spoken(contents: Iterable[str]) -> str:
    return f"Text of type {', '.join(one for one in contents if one != 'application/json')}, or data as JSON"


def sentence(words: str) -> str:
    return " ".join(words.split()).replace("\\", "\\\\").replace('"""', "'''")


def docstring(words: str, arguments: Mapping[str, str] | None = None) -> str:
    """Docstring with its arguments below."""
    lines = textwrap.wrap(sentence(words), LINE)
    if lines and lines[-1][-1:] not in ".?!":
        lines[-1] += "."
    if arguments:
        lines += ["", "Args:"]
        for name, said in arguments.items():
            lines += textwrap.wrap(
                f"{name}: {sentence(said)}", LINE - 4, initial_indent="    ", subsequent_indent="        "
            )
    text = "\n".join(lines)
    return f'"""{text}\n"""' if len(lines) > 1 else f'"""{text}"""'


def indented(text: str, by: str = "    ") -> str:
    return textwrap.indent(text, by)


def routes_module(book: Book) -> str:
    rows = []
    for one in book.operations:
        query = tuple(p.named for p in one.parameters if p.place == "query")
        headers = tuple(p.named for p in one.parameters if p.place == "header")
        given = [repr(one.method), repr(one.target)]
        given += [f"query={query!r}"] if query else []
        given += [f"headers={headers!r}"] if headers else []
        given += [f"body={one.body_kind!r}"] if one.body_kind else []
        rows.append(f"    {one.id!r}: Route({', '.join(given)}),")
    return "\n".join(
        [
            f'"""Routes of the API, by operation. {DERIVED}"""',
            "from collections.abc import Mapping\nfrom dataclasses import dataclass\n"
            "from typing import Final, Literal\n\n",
            "@dataclass(frozen=True, slots=True)\nclass Route:",
            '    """Operation over HTTP. Args: target: template of its path; body: fields as arguments, or one."""\n',
            "    method: str\n    target: str\n    query: tuple[str, ...] = ()",
            "    headers: tuple[str, ...] = ()",
            '    body: Literal["", "fields", "whole"] = ""\n',
            "    @property\n    def is_repeatable(self) -> bool:",
            '        """Tells if it takes effect once however often it arrives: a POST by its key (SPEC 2.3)."""',
            '        return self.method != "PATCH"\n\n',
            "ROUTES: Final[Mapping[str, Route]] = {",
            *rows,
            "}\n",
        ]
    )


def models_module(book: Book) -> str:
    names = sorted(book.given | book.answered)
    parts = [
        f'"""Data of requests and answers. {DERIVED}\n\nAnswers are classes, whose fields are attributes; data of '
        'requests are dicts.\n"""',
        "from __future__ import annotations\n",
        "from collections.abc import Mapping, Sequence\nfrom datetime import datetime",
        "from typing import TYPE_CHECKING, Any, Literal, NotRequired, TypeAlias, TypedDict\n",
        "from memory_layer.client.document import Document\n\n",
    ]
    aliases = {name: set(references(book.schemas[name])) for name in names if book.is_alias(name)}
    parts += [alias(book, name) for name, others in aliases.items() if not others]
    parts += [answer_class(book, name) for name in names if name in book.answered and not book.is_alias(name)]
    given = [name for name in names if name in book.given and not book.is_alias(name)]
    parts += ["if TYPE_CHECKING:\n", *(indented(given_class(book, name)) for name in given)]
    parts += ["else:  # the classes of typing take longer to make than all the rest to import\n"]
    parts += [f"    {book.title(name, is_given=True)} = dict" for name in given]
    parts += ["\n", *(alias(book, name) for name, others in aliases.items() if others)]
    return "\n".join(parts) + "\n"


def alias(book: Book, name: str) -> str:
    schema = book.schemas[name]
    words = book.words(schema)
    return f"{name}: TypeAlias = {book.hint(schema)}\n" + (f"{docstring(words)}\n" if words else "\n")


def answer_class(book: Book, name: str) -> str:
    schema = book.schemas[name]
    lines = [f"class {name}(Document):", indented(docstring(book.words(schema) or f"{name}."))]
    for field, said in schema["properties"].items():
        hint = book.hint(said)
        if field not in schema.get("required", ()) and "None" not in split(hint):
            hint += " | None"
        lines.append(f"    {identifier(field)}: {hint}")
        if words := said.get("description"):
            lines.append(indented(docstring(words)))
    return "\n".join(lines) + "\n\n"


def given_class(book: Book, name: str) -> str:
    schema, title = book.schemas[name], book.title(name, is_given=True)
    required = schema.get("required", ())
    fields = {
        field: hint if field in required else f"NotRequired[{hint}]"
        for field, hint in ((f, book.hint(s, is_given=True)) for f, s in schema["properties"].items())
    }
    if any(field != identifier(field) for field in fields):
        items = ", ".join(f"{field!r}: {hint!r}" for field, hint in fields.items())
        return f"{title} = TypedDict({title!r}, {{{items}}})\n{docstring(book.words(schema))}\n"
    lines = [f"class {title}(TypedDict):", indented(docstring(book.words(schema) or f"{title}."))]
    for field, hint in fields.items():
        lines.append(f"    {field}: {hint}")
        if words := book.words(schema["properties"][field]):
            lines.append(indented(docstring(words)))
    return "\n".join(lines) + "\n\n"


def operations_module(book: Book) -> str:
    return "\n".join(
        [
            f'"""Operations of the API, declared once for both clients. {DERIVED}"""',
            "from __future__ import annotations\n",
            "from collections.abc import Mapping, Sequence\nfrom datetime import datetime",
            "from typing import Any, Literal\n",
            "from memory_layer.client.models import *",
            "from memory_layer.client.operation import UNSET, Call, Unset, long_operation, operation, paged\n\n",
            "class Operations:",
            '    """Every operation of the API, by its name there."""\n',
            *(indented(operation_method(one)) for one in book.operations),
        ]
    ).replace("from memory_layer.client.models import *", imported(book))


def imported(book: Book) -> str:
    titles = {book.title(name, is_given=True) for name in book.given} | book.answered
    return f"from memory_layer.client.models import ({', '.join(sorted(titles))})"


def operation_method(one: Described) -> str:
    arguments = sorted(
        [*(p for p in one.parameters if p.place == "path"), *one.body], key=lambda p: not p.is_required
    )
    positional = [p for p in arguments if p.is_required]
    rest = [p for p in [*arguments, *one.parameters] if p not in positional and p.place != "path"]
    names = [p.name for p in [*positional, *rest]]
    if len(names) != len(set(names)):
        raise ValueError(f"{one.id} has two arguments of one name: {names}")
    required_rest = [p for p in rest if p.is_required]
    optional = [p for p in rest if not p.is_required]
    signature = ["self", *(f"{p.name}: {p.hint}" for p in positional)]
    signature += ["*"] if rest else []
    signature += [f"{p.name}: {p.hint}" for p in required_rest]
    signature += [f"{p.name}: {optional_hint(p)}" for p in optional]
    words = {p.name: p.words for p in [*positional, *required_rest, *optional] if p.words}
    told = ". ".join(filter(None, (one.said.get("summary", ""), one.said.get("description", ""))))
    return "\n".join(
        [
            decorator(one),
            f"def {one.id}({', '.join(signature)}) -> Call[{' | '.join(one.answers)}]:",
            indented(docstring(told.replace("?. ", "? "), words)),
            "    return Call(locals())\n",
        ]
    )


def decorator(one: Described) -> str:
    if one.items is not None:
        field, hint = one.items
        return f"@paged({field!r}, list[{hint}])"
    return "@long_operation" if one.is_long else "@operation"


def optional_hint(parameter: Parameter) -> str:
    if parameter.place == "header":
        hint = "int | str" if parameter.named == "if-match" else "str"
        return f"{hint} | None = None"
    parts = split(parameter.hint)
    hints = [*(one for one in parts if one != "None"), "Unset", *(["None"] if "None" in parts else [])]
    return f"{' | '.join(hints)} = UNSET"


if __name__ == "__main__":
    main()
