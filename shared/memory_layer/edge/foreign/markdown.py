"""Memories of instruction files such as CLAUDE.md and AGENTS.md: each paragraph or list item is one."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import PurePath
from textwrap import dedent, indent

from markdown_it import MarkdownIt
from markdown_it.tree import SyntaxTreeNode

from memory_layer.domain.memory import CONTENT_MAX_BYTES
from memory_layer.domain.release_headings import version_in
from memory_layer.domain.text.governing_headings import force_of
from memory_layer.domain.text_rules import byte_length_problem
from memory_layer.domain.time.dated_headings import labelled_day, said_under
from memory_layer.edge.foreign.comments import COMMENT_MARKS, TAG, comments_within, without_comments
from memory_layer.edge.foreign.containers import without_containers
from memory_layer.edge.foreign.footnotes import with_footnotes
from memory_layer.edge.foreign.front_matter import title_in
from memory_layer.edge.foreign.headings_over import HeadingsOver, Title
from memory_layer.edge.foreign.people_present import line_of_people
from memory_layer.edge.foreign.plain_markdown import PlainMarkdown
from memory_layer.edge.foreign.plain_marks import notes_in
from memory_layer.edge.foreign.silent_blocks import reason_of_silence
from memory_layer.edge.foreign.silent_lines import (
    COMMENT,
    CONTENTS,
    FRONT_MATTER,
    MERE_HEADING,
    RELEASE_ALONE,
    silent_lines,
)
from memory_layer.edge.foreign.text_blocks import (
    Block,
    foreign_file,
    of_release,
    unwrapped,
    without_targets,
)
from memory_layer.edge.foreign.titles import (
    HEADING_MAX_CHARS,
    is_more_than_a_title,
    is_question_alone,
    lead_title,
    question_title,
    title_of,
    without_label,
)
from memory_layer.errors import Malformed
from memory_layer.usecases.transfer.foreign_file import ForeignFile

WHOLE_ITEM_MAX_CHARS = 600
"""A list item of this length goes with all that is nested in it; in a longer one each part is on its own."""
LABEL_LEVEL = 7
"""Level of a label in bold over paragraphs: below every heading."""
NESTING_MAX = 60

_FRONT_MATTER = re.compile(r"\A(---|\+\+\+)[ \t]*\n[\w-]+[ \t]*[:=].*?^\1[ \t]*$", re.DOTALL | re.MULTILINE)
_BOLD_LINE = re.compile(r"\*\*[^*\n]+\*\*:?")
_LABEL = re.compile(r"(?:\*\*|__)[^*_\n:.!?]{1,60}(?::(?:\*\*|__)|(?:\*\*|__):)")
"""Line in bold with a colon and nothing behind it: a heading by other means."""
_CONTENTS = re.compile(r"(?:table of )?contents|toc|on this page", re.IGNORECASE)
_LISTS, _CODE = ("bullet_list", "ordered_list"), ("fence", "code_block")
_CARRIED = (*_LISTS, *_CODE, "table", "html_block")
"""Blocks that go with the label before them, or are led into by it."""


def read_markdown(text: str, name: str | None = None, *, takes_title: bool = True) -> ForeignFile:
    """Paragraphs and list items of a file, each with the headings over it as context.

    Code goes with the paragraph before it. A sentence that ends in a colon leads into the list after it, and is
    part of the context of its items. A question in bold stands over its answer as a heading does. A heading that
    forbids, or names a condition, and a line in bold that does so before a list, govern what stands under them: the
    content says them as well (`Never do this: Use lodash`). The title of a front matter stands over a file that has no
    other. Else front matter, comments, tables of contents, and lines of nothing but links say nothing.

    Args:
        name: of the file: the tag of all its memories.
        takes_title: False: the title of its front matter stands over nothing.

    Raises:
        Malformed: lists or quotes nested beyond reason.
    """
    raw = text.replace("\r\n", "\n").replace("\r", "\n")
    front = _FRONT_MATTER.match(raw)
    blank = "\n" * front[0].count("\n") if front else ""
    plain = without_containers((blank + raw[front.end() :] if front else raw).split("\n"))
    env: dict[str, dict[str, object]] = {}
    tokens = _parser().parse("\n".join(plain.lines), env)
    for token in tokens:
        if token.level >= NESTING_MAX - 2 and token.map:
            raise Malformed(f"line {token.map[0] + 1}: nested too deeply; write it flatter")
    walk = _Walk(plain, PurePath(name or "").name, notes_in(tokens, env.get("references", ())))
    has_title = any(token.type == "heading_open" and token.tag == "h1" for token in tokens)
    walk.headings.entitle(title_in(front[0]) if takes_title and front and not has_title else "")
    walk.read(SyntaxTreeNode(tokens).children)
    walk.headings.leave()
    marked = [
        *((range(at, at + 1), reason) for at, reason in plain.marks.items()),
        (range(len(blank) + 1 if front else 0), FRONT_MATTER),
        *walk.marks(),
    ]
    left_out = silent_lines(raw.split("\n"), marked) + comments_within(tokens)
    return replace(foreign_file(walk.saying(), name or ""), left_out=left_out)


def _parser() -> MarkdownIt:
    """Parser of blocks alone: the text inside a line is kept as it was written."""
    plain = MarkdownIt("commonmark", {"maxNesting": NESTING_MAX}).enable("table").disable("inline")
    return with_footnotes(plain)


@dataclass
class _Walk:
    """Walk through the blocks of a file, with the headings over the current one."""

    plain: PlainMarkdown
    file_name: str = ""
    notes: frozenset[str] = frozenset()
    blocks: list[Block] = field(default_factory=list)
    _silent: list[tuple[range, str]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.headings = HeadingsOver(self.blocks)

    def saying(self) -> list[Block]:
        return [block for block in self.blocks if self._silence(block) is None]

    def _silence(self, block: Block) -> str | None:
        return reason_of_silence(block.text, block.above, self.file_name)

    def marks(self) -> list[tuple[range, str | None]]:
        """Runs of lines with the reason for which they are left out; None for those that are stored."""
        titles = [
            (
                title.lines,
                None
                if any(self._silence(block) is None for block in self.headings.under(title))
                else MERE_HEADING,
            )
            for title in self.headings.titles
        ]
        reasons = [(block.lines, self._silence(block)) for block in self.blocks]
        silent = [one for one in reasons if one[1] is not None]
        return [*silent, *self._silent, *titles, *(one for one in reasons if one[1] is None)]

    def read(self, nodes: Sequence[SyntaxTreeNode]) -> None:
        lead, is_question = None, False
        comments = [_lines(node) for node in nodes if self._is_comment(node)]
        self._silent += [(lines, COMMENT) for lines in comments if lines.start not in self.plain.marks]
        shown = [item for item in nodes if not self._is_comment(item)]
        for at, (before, node, after) in enumerate(_with_neighbours(shown)):
            follows_question, is_question = is_question, self._is_answered(*shown[at : at + 2])
            leads = after in _LISTS and not is_question and self._is_lead_in(node)
            self.headings.go_into(self.plain.over(_lines(node).start))
            if node.type == "heading":
                self._enter(node, int(node.tag[1:]))
            elif is_question:
                self.headings.enter(_lines(node), question_title(self._text(node)), LABEL_LEVEL)
            elif after not in _CARRIED and self._is_label(node):
                self._enter(node, LABEL_LEVEL)
            elif node.type in _LISTS:
                self._read_list(node, (*self.headings.above(), *([lead.text] if lead and lead.text else ())))
                self.headings.end(*([lead] if lead else ()))
            elif node.type in _CODE and before in ("paragraph", *_CODE) and not follows_question:
                self._add_code(node)
            elif not leads or is_more_than_a_title(self._text(node)):
                self._add_block(node)
            if leads and self._is_label(node):
                self.headings.leave(LABEL_LEVEL)
            lead = self.headings.begin(_lines(node), lead_title(self._text(node))) if leads else None

    def _is_lead_in(self, node: SyntaxTreeNode) -> bool:
        """Tells if a paragraph leads into a list: it ends in a colon, or is a line in bold that governs what
        follows."""
        text = self._text(node) if node.type == "paragraph" else ""
        return text.rstrip("*_").endswith(":") or bool(
            _BOLD_LINE.fullmatch(text) and force_of(title_of(text)) != "neutral"
        )

    def _is_label(self, node: SyntaxTreeNode) -> bool:
        return node.type == "paragraph" and _LABEL.fullmatch(self._text(node)) is not None

    def _is_answered(self, node: SyntaxTreeNode, answer: SyntaxTreeNode | None = None) -> bool:
        """Tests for a question alone that the block behind it answers: one with nothing under it is a memory."""
        blocks = (node, answer) if answer is not None and answer.type != "heading" else ()
        asks = [one.type == "paragraph" and is_question_alone(self._text(one)) for one in blocks]
        return asks == [True, False]

    def _enter(self, heading: SyntaxTreeNode, level: int) -> None:
        self.headings.enter(_lines(heading), title_of(of_release(self._text(heading))), level)

    def _add_block(self, node: SyntaxTreeNode) -> None:
        """Adds a block, which says the titles of the containers that it begins itself."""
        said = len(self.plain.begun_at(_lines(node).start))
        self._add(node, self._labelled(node), self.headings.above(but=said))

    def _labelled(self, node: SyntaxTreeNode, since: int = 0) -> str:
        """Text of a block behind the titles that it begins. Args: since: line from which on their marks stand."""
        is_paragraph = node.type in ("paragraph", "blockquote")
        return self.plain.labelled(_lines(node).start, self._text(node), since, is_paragraph=is_paragraph)

    def _add(
        self, node: SyntaxTreeNode, text: str, above: tuple[str, ...], *, end: int | None = None
    ) -> None:
        lines = _lines(node)
        block = Block(lines.start + 1, text, above, lines.stop if end is None else end, notes=self.notes)
        block.is_item = node.type == "list_item"
        self.blocks.append(block)
        nearest = self.headings.nearest
        if nearest and len(self.blocks) == nearest.first + 1:
            self._date(nearest, block)

    def _date(self, title: Title, block: Block) -> None:
        """Dates what stands under a version or a record by the first line below: `Released 2021-05-11`, `Date: …`."""
        day = labelled_day(title.text, block.text)
        if self._silence(block) == RELEASE_ALONE and version_in(title.text) and not said_under([title.text]):
            day = without_label(block.text) if said_under([block.text]) else None
        if day is not None:
            title.text = f"{title.text} ({day})"[:HEADING_MAX_CHARS]

    def _add_code(self, node: SyntaxTreeNode) -> None:
        """Adds code to the paragraph before it, unless both together are too long for one memory."""
        united = f"{self.blocks[-1].text}\n{self._labelled(node)}" if self.blocks else ""
        if self.blocks and byte_length_problem(united, CONTENT_MAX_BYTES) is None:
            self.blocks[-1].text, self.blocks[-1].end = united, _lines(node).stop
        else:
            self._add_block(node)

    def _read_list(self, node: SyntaxTreeNode, above: tuple[str, ...]) -> None:
        if above and _CONTENTS.fullmatch(above[-1]):
            self._silent.append((_lines(node), CONTENTS))
            return
        people = line_of_people(above[-1], [self._text(item) for item in node.children]) if above else None
        if people is not None:
            self._add(node, people, above[:-1])
            return
        for item in node.children:
            is_numbered = node.type == "ordered_list"
            self._read_item(item, (*above, *self._titles_within(node, item)), is_numbered=is_numbered)

    def _titles_within(self, outer: SyntaxTreeNode, inner: SyntaxTreeNode) -> list[str]:
        """Titles of the containers that begin in a block and stand over one within it."""
        over = self.plain.over(_lines(inner).start, _lines(outer).start)
        return [title_of(one.title) for one in over if one.title]

    def _read_item(self, item: SyntaxTreeNode, above: tuple[str, ...], *, is_numbered: bool) -> None:
        whole = self._text(item)
        nested = [child for child in item.children if child.type in _LISTS]
        if not nested or len(whole) <= WHOLE_ITEM_MAX_CHARS:
            self._add(item, whole, above)
            self.blocks[-1].is_step = is_numbered
            return
        own = self._joined([child for child in item.children if child.type not in _LISTS], _lines(item).start)
        if not own.endswith(":") or is_more_than_a_title(own):
            goes_on = item.children[-1].type not in _LISTS
            self._add(item, own, above, end=None if goes_on else _lines(nested[0]).start)
        title = self.headings.begin(range(_lines(item).start, _lines(nested[0]).start), lead_title(own))
        for child in nested:
            within = self._titles_within(item, child)
            self._read_list(child, (*above, *([title.text] if own else ()), *within))
        self.headings.end(title)

    def _is_comment(self, node: SyntaxTreeNode) -> bool:
        return node.type == "html_block" and not self._text(node)

    def _text(self, node: SyntaxTreeNode) -> str:
        """Text of a block for a memory: without comments, tags, and the indentation of the parent block."""
        if node.type in ("paragraph", "heading"):
            words = without_comments(node.children[0].content if node.children else "").strip()
            return without_targets(unwrapped(words))
        if node.type in _CODE:
            fence = node.markup or "```"
            return f"{fence}{node.info.strip()}\n{node.content.rstrip()}\n{fence}"
        if node.type == "html_block":
            return TAG.sub("", COMMENT_MARKS.sub("", node.content)).strip()
        if node.type == "table":
            return self._source(node)
        if node.type in _LISTS:
            return "\n".join(f"- {indent(self._text(item), '  ').strip()}" for item in node.children)
        return self._joined(node.children, _lines(node).start)

    def _joined(self, nodes: Sequence[SyntaxTreeNode], since: int) -> str:
        return "\n".join(filter(None, (self._labelled(node, since) for node in nodes)))

    def _source(self, node: SyntaxTreeNode) -> str:
        return dedent("\n".join(self.plain.lines[slice(*node.map or (0, 0))])).strip()


def _with_neighbours(
    nodes: Sequence[SyntaxTreeNode],
) -> list[tuple[str | None, SyntaxTreeNode, str | None]]:
    """Each block between the kinds of the one before and the one after it."""
    kinds = [None, *(node.type for node in nodes), None]
    return [(kinds[at], node, kinds[at + 2]) for at, node in enumerate(nodes)]


def _lines(node: SyntaxTreeNode) -> range:
    return range(*node.map) if node.map else range(0)
