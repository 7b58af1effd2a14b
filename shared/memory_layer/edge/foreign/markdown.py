"""Memories of instruction files such as CLAUDE.md and AGENTS.md: each paragraph or list item is one."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import PurePath
from textwrap import dedent, indent

from markdown_it import MarkdownIt
from markdown_it.tree import SyntaxTreeNode

from memory_layer.domain.memory import CONTENT_MAX_BYTES, LABEL_MAX_CHARS
from memory_layer.domain.text.governing_headings import force_of, governing
from memory_layer.domain.text.line_category import category_of_line
from memory_layer.domain.text_rules import byte_length_problem, glob_problem
from memory_layer.errors import Malformed
from memory_layer.usecases.transfer.foreign_file import ForeignFile, ForeignMemory, ForeignRefusal

WHOLE_ITEM_MAX_CHARS = 600
"""A list item of this length goes with all that is nested in it; in a longer one each part is on its own."""

HEADING_MAX_CHARS = 160
HEADINGS_MAX = 10
HEADINGS_JOINED_BY = " > "
NESTING_MAX = 60

_FRONT_MATTER = re.compile(r"\A(---|\+\+\+)[ \t]*\n[\w-]+[ \t]*[:=].*?^\1[ \t]*$", re.DOTALL | re.MULTILINE)
_COMMENT = re.compile(r"<!--.*?(?:-->|\Z)", re.DOTALL)
_TAG = re.compile(r"</?[A-Za-z][^<>]*>")
_LINKS = (
    re.compile(r"!?\[[^\[\]]*\](?:\([^()\s]*(?:\s[^()]*)?\)|\[[^\[\]]*\])"),
    re.compile(r"<?\b(?:https?|ftp|mailto):[^\s<>]+>?"),
    re.compile(r"(?<!\S)@[~\w./-]+"),
)
"""Links and images (badges once more, around what is left of them), bare addresses, @paths of imported files."""

_BOLD_LINE = re.compile(r"\*\*[^*\n]+\*\*:?")
_IS_BLOCK = re.compile(r"```|~~~|\|")
NEW_LINE = "\n"
_CONTENTS = re.compile(r"(?:table of )?contents|toc|on this page", re.IGNORECASE)
_WORD = re.compile(r"\w")
_LISTS = ("bullet_list", "ordered_list")
_CODE = ("fence", "code_block")


def read_markdown(text: str, name: str | None = None) -> ForeignFile:
    """Paragraphs and list items of a file, each with the headings over it as context.

    Code goes with the paragraph before it. A sentence that ends in a colon leads into the list after it, and is
    part of the context of its items. A heading that forbids, or names a condition, and a line in bold that does so
    before a list, govern what stands under them: the content says them as well (`Never do this: Use lodash`). Front
    matter, comments, tables of contents, and lines of nothing but links say nothing.

    Args:
        name: of the file: the tag of all its memories.

    Raises:
        Malformed: lists or quotes nested beyond reason.
    """
    plain = text.replace("\r\n", "\n").replace("\r", "\n")
    plain = _FRONT_MATTER.sub(lambda match: "\n" * match[0].count("\n"), plain)
    tokens = _parser().parse(plain)
    for token in tokens:
        if token.level >= NESTING_MAX - 2 and token.map:
            raise Malformed(f"line {token.map[0] + 1}: nested too deeply; write it flatter")
    walk = _Walk(plain.split("\n"))
    walk.read(SyntaxTreeNode(tokens).children)
    return _file(walk.blocks, name or "")


def _parser() -> MarkdownIt:
    """Parser of blocks alone: the text inside a line is kept as it was written."""
    return MarkdownIt("commonmark", {"maxNesting": NESTING_MAX}).enable("table").disable("inline")


def _tags(name: str) -> tuple[str, ...]:
    return (name,) if name and len(name) <= LABEL_MAX_CHARS and glob_problem(name) is None else ()


@dataclass
class _Block:
    """Block that becomes one memory: its first line, its text, and the headings over it."""

    line: int
    text: str
    above: tuple[str, ...]

    @property
    def content(self) -> str:
        """Text after the headings without which it would say something else."""
        titles = HEADINGS_JOINED_BY.join(governing(self.above[-HEADINGS_MAX:], self.text))
        if not titles:
            return self.text
        return f"{titles.rstrip('.')}:{NEW_LINE if _IS_BLOCK.match(self.text) else ' '}{self.text}"


def _file(blocks: Sequence[_Block], name: str) -> ForeignFile:
    """Blocks that say something; one that is too long for a memory is refused with its line."""
    saying = [block for block in blocks if _says_something(block.text)]
    problems = [byte_length_problem(block.content, CONTENT_MAX_BYTES) for block in saying]
    return ForeignFile(
        name=name if _tags(name) else None,
        memories=tuple(
            _memory(block, name) for block, problem in zip(saying, problems, strict=True) if problem is None
        ),
        refused=tuple(
            ForeignRefusal(f"line {block.line}", f"{problem}; make shorter paragraphs of it")
            for block, problem in zip(saying, problems, strict=True)
            if problem is not None
        ),
    )


def _memory(block: _Block, name: str) -> ForeignMemory:
    """Memory of a block. It stands until its file drops it, whatever its type, so it has no expiry."""
    above = block.above[-HEADINGS_MAX:]
    fields = {
        "content": block.content,
        "context": HEADINGS_JOINED_BY.join(above),
        "tags": _tags(name),
        "category": category_of_line(block.content, above, PurePath(name).name),
    }
    said = {field: value for field, value in fields.items() if value}
    return ForeignMemory(f"line {block.line}", {**said, "expires_at": None})


def _says_something(text: str) -> bool:
    for link in (_LINKS[0], *_LINKS):
        text = link.sub(" ", text)
    return _WORD.search(text) is not None


@dataclass
class _Walk:
    """Walk through the blocks of a file, with the headings over the current one."""

    lines: Sequence[str]
    blocks: list[_Block] = field(default_factory=list)
    _headings: list[tuple[int, str]] = field(default_factory=list)

    def read(self, nodes: Sequence[SyntaxTreeNode]) -> None:
        lead: tuple[str, ...] = ()
        for before, node, after in _with_neighbours([item for item in nodes if not self._is_comment(item)]):
            if node.type == "heading":
                self._enter(node)
            elif node.type in _LISTS:
                self._read_list(node, (*self._headings_above(), *lead))
            elif node.type in _CODE and before in ("paragraph", *_CODE):
                self._add_code(node)
            elif not (after in _LISTS and self._is_lead_in(node)):
                self._add(node, self._text(node), self._headings_above())
            leads = node.type == "paragraph" and after in _LISTS and self._is_lead_in(node)
            lead = (_title(self._text(node)),) if leads else ()

    def _is_lead_in(self, node: SyntaxTreeNode) -> bool:
        """Tells if a paragraph leads into a list: it ends in a colon, or is a line in bold that governs what
        follows."""
        text = self._text(node)
        return text.endswith(":") or bool(_BOLD_LINE.fullmatch(text) and force_of(_title(text)) != "neutral")

    def _enter(self, heading: SyntaxTreeNode) -> None:
        level = int(heading.tag[1:])
        self._headings = [above for above in self._headings if above[0] < level]
        self._headings.append((level, _title(self._text(heading))))

    def _headings_above(self) -> tuple[str, ...]:
        return tuple(title for _, title in self._headings if title)

    def _add(self, node: SyntaxTreeNode, text: str, above: tuple[str, ...]) -> None:
        self.blocks.append(_Block(_line(node), text, above))

    def _add_code(self, node: SyntaxTreeNode) -> None:
        """Adds code to the paragraph before it, unless both together are too long for one memory."""
        united = f"{self.blocks[-1].text}\n{self._text(node)}" if self.blocks else self._text(node)
        if self.blocks and byte_length_problem(united, CONTENT_MAX_BYTES) is None:
            self.blocks[-1].text = united
        else:
            self._add(node, self._text(node), self._headings_above())

    def _read_list(self, node: SyntaxTreeNode, above: tuple[str, ...]) -> None:
        if not (above and _CONTENTS.fullmatch(above[-1])):
            for item in node.children:
                self._read_item(item, above)

    def _read_item(self, item: SyntaxTreeNode, above: tuple[str, ...]) -> None:
        whole = self._text(item)
        nested = [child for child in item.children if child.type in _LISTS]
        if not nested or len(whole) <= WHOLE_ITEM_MAX_CHARS:
            self._add(item, whole, above)
            return
        own = self._joined([child for child in item.children if child.type not in _LISTS])
        if not own.endswith(":"):
            self._add(item, own, above)
        for child in nested:
            self._read_list(child, (*above, _title(own)) if own else above)

    def _is_comment(self, node: SyntaxTreeNode) -> bool:
        return node.type == "html_block" and not self._text(node)

    def _text(self, node: SyntaxTreeNode) -> str:
        """Text of a block for a memory: without comments, tags, and the indentation of the parent block."""
        if node.type in ("paragraph", "heading"):
            return _COMMENT.sub("", node.children[0].content if node.children else "").strip()
        if node.type in _CODE:
            fence = node.markup or "```"
            return f"{fence}{node.info.strip()}\n{node.content.rstrip()}\n{fence}"
        if node.type == "html_block":
            return _TAG.sub("", _COMMENT.sub("", node.content)).strip()
        if node.type == "table":
            return self._source(node)
        if node.type in _LISTS:
            return "\n".join(f"- {indent(self._text(item), '  ').strip()}" for item in node.children)
        return self._joined(node.children)

    def _joined(self, nodes: Sequence[SyntaxTreeNode]) -> str:
        return "\n".join(text for text in map(self._text, nodes) if text)

    def _source(self, node: SyntaxTreeNode) -> str:
        first, end = node.map or (0, 0)
        return dedent("\n".join(self.lines[first:end])).strip()


def _with_neighbours(
    nodes: Sequence[SyntaxTreeNode],
) -> list[tuple[str | None, SyntaxTreeNode, str | None]]:
    """Each block between the kinds of the one before and the one after it."""
    kinds = [None, *(node.type for node in nodes), None]
    return [(kinds[at], node, kinds[at + 2]) for at, node in enumerate(nodes)]


def _line(node: SyntaxTreeNode) -> int:
    return node.map[0] + 1 if node.map else 0


def _title(text: str) -> str:
    """The first line of a heading or of what leads into a list, without its emphasis."""
    first = text.partition("\n")[0].replace("*", "").replace("`", "")
    return first.strip().rstrip(":").strip()[:HEADING_MAX_CHARS]
