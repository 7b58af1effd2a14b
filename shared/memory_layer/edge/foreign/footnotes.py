"""Footnotes below a text: each is a paragraph of its own, whether or not an empty line parts it from the one before."""

import re
from typing import Final

from markdown_it import MarkdownIt
from markdown_it.rules_block import StateBlock, paragraph

NOTE_MARK: Final = re.compile(r"\[\^[\w-]{1,40}\]:[ \t]+(?=\S)")
"""Mark before the words of a footnote."""


def with_footnotes(parser: MarkdownIt) -> MarkdownIt:
    """Parser to which a footnote is neither a part of the paragraph above nor the definition of a link."""
    parser.block.ruler.before("reference", "footnote", _footnote, {"alt": ["paragraph", "reference"]})
    return parser


def _footnote(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    at = state.bMarks[start] + state.tShift[start]
    if state.is_code_block(start) or NOTE_MARK.match(state.src, at, state.eMarks[start]) is None:
        return False
    return silent or paragraph(state, start, end, silent)
