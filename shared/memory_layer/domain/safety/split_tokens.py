"""Recogniser of tokens that are cut in pieces: by a line break, by `" + "`, by characters of no width."""

import re
from bisect import bisect_right
from collections.abc import Iterator
from typing import NamedTuple

from memory_layer.domain.safety.connection_strings import GO_DSN, ORACLE_DSN
from memory_layer.domain.safety.issued_tokens import FORTY_CHARACTERS
from memory_layer.domain.safety.secret_spans import SECRET, SecretSpan
from memory_layer.domain.safety.secret_values import looks_generated
from memory_layer.domain.safety.token_shapes import DECLARED_SHAPES, TOKEN_SHAPES, TokenShape

_JOINT = re.compile(
    r"(?P<unseen>[\u00ad\u180e\u200b-\u200f\u2060-\u2064\ufeff]+)"
    r"|(?P<quotes>\\{0,2}[\"'`](?:\s{0,8}(?:\+|\.{1,2}|&|\|\||\\)\s{0,8}(?:(?://|#|--)[^\n]{0,80}\n\s{0,40})?|\s{1,8})"
    r"\\{0,2}[\"'`](?=[\w+/=.~-])|(?<=\w)(?:''|\"\")(?=\w))"
    r"|(?P<line>[ \t]{0,8}[\\`]?(?:\r?\n|\\n)[ \t>#|*]{0,40}(?=[\w+/=.~-]))"
)
_PIECE_BEFORE = re.compile(r"[\w+/=.~:@-]{1,128}\Z")
_WORD = re.compile(r"[A-Za-z]?[a-z]*")
_WORD_AHEAD = re.compile(r"[A-Za-z][a-z]{0,31}(?![\w+/=~@-])")
_LOGINS = (
    TokenShape(
        "url_password",
        "@",
        re.compile(r"://[^\s/?#:\"'`<>]{0,128}:(?P<secret>(?![${%*])[^\s/?#\"'`<>]{4,256})@(?=[\w\[$<{-])"),
    ),
    TokenShape(
        "url_token",
        "@",
        re.compile(r"://(?P<secret>(?=[a-z]{0,64}[0-9])[A-Za-z0-9]{24,256})@(?=[\w\[$<{-])"),
    ),
    TokenShape("password", "@", GO_DSN),
    TokenShape("password", "@", ORACLE_DSN),
)
"""Forms where a login stands."""

_SHAPES = (*TOKEN_SHAPES, FORTY_CHARACTERS, *DECLARED_SHAPES, *_LOGINS)


class _Joined(NamedTuple):
    """Text without its joints: `starts` are their places in it, `lost` the characters left out up to there."""

    text: str
    starts: list[int]
    lost: list[int]
    breaks: list[int]

    def place(self, at: int) -> int:
        """Place in the text as it was written."""
        joint = bisect_right(self.starts, at) - 1
        return at + (self.lost[joint] if joint >= 0 else 0)


def split_tokens(text: str) -> Iterator[SecretSpan]:
    """Finds tokens of issuers that are whole only once the pieces are put together."""
    joined = _joined(text) if _may_be_cut(text) else None
    if joined is None or not _RUN.search(joined.text):
        return
    for shape in _SHAPES:
        if shape.hint in joined.text:
            yield from _across_joints(shape, joined)


_RUN = re.compile(r"[\w+/=.:@~-]{16}")
_QUOTES = re.compile(r"[\"'`]\s{0,8}[+.&|\\]{0,2}\s{0,8}\\{0,2}[\"'`]")


def _may_be_cut(text: str) -> bool:
    is_plain = text.isascii() and "\n" not in text and "\\n" not in text
    return not is_plain or _QUOTES.search(text) is not None


def _joined(text: str) -> _Joined | None:
    parts, starts, lost, breaks, end, size = [], [], [], [], 0, 0
    for joint in _JOINT.finditer(text):
        if joint["line"] and (_follows_word(joint) or _WORD_AHEAD.match(text, joint.end())):
            continue
        parts.append(text[end : joint.start()])
        size, end = size + joint.start() - end, joint.end()
        starts.append(size)
        lost.append(end - size)
        breaks += [size] if joint["line"] else []
    return _Joined("".join([*parts, text[end:]]), starts, lost, breaks) if starts else None


def _follows_word(joint: re.Match[str]) -> bool:
    """Tests if a line ends in a plain word, which is no piece of a token."""
    start = max(0, joint.start() - 128)
    piece = _PIECE_BEFORE.search(joint.string[start : joint.start()])
    return piece is None or _WORD.fullmatch(piece[0]) is not None


def _across_joints(shape: TokenShape, joined: _Joined) -> Iterator[SecretSpan]:
    group = SECRET if SECRET in shape.pattern.groupindex else 0
    text, base = joined.text, 0
    while match := shape.pattern.search(text):
        start, secret = base + match.start(), base + match.start(group)
        end = base + match.end(group) if group else _end_of_whole(shape, match, joined.breaks, base)
        first = bisect_right(joined.starts, start)
        is_across = first < bisect_right(joined.starts, end - 1) and shape.judge(match[0])
        if (
            is_across and not joined.text[secret : joined.starts[first]].isdigit()
        ):  # digits: a port, and a new line
            yield SecretSpan(joined.place(secret), joined.place(end - 1) + 1, shape.kind)
        text, base = joined.text[end:], end  # cut, so that a token may begin right here


_MOST_LINES = 64
"""Lines of a token; one on each would make the search of them quadratic."""


def _end_of_whole(shape: TokenShape, match: re.Match[str], breaks: list[int], base: int) -> int:
    """End of a token at the first line break where it is whole; the line behind it is another matter."""
    first = bisect_right(breaks, base + match.start())
    for at in breaks[first : first + _MOST_LINES]:
        if at >= base + match.end():
            break
        whole = shape.pattern.match(match.string, match.start(), at - base)
        if whole is not None and whole.end() == at - base:
            return at
    return base + match.end()


_NEXT_LINE = re.compile(
    r"[ \t]{0,8}\\?(?:\r?\n|\\n)[ \t>#|*]{0,40}(?P<piece>[A-Za-z0-9+/_=.~-]{4,512})"
    r"(?=;|[ \t\"'`,)}]{0,8}(?:\\n|\r?\n|\Z))"
)


_LONG_RUN = re.compile(r"[A-Za-z0-9]{6,}")


def end_with_next_lines(text: str, end: int) -> int:
    """End of a secret that goes on in the next line: one that holds a single run of letters and digits."""
    while following := _NEXT_LINE.match(text, end):
        if not _is_piece(following["piece"]):
            break
        end = following.end("piece")
    return end


def _is_piece(text: str) -> bool:
    return any(map(looks_generated, _LONG_RUN.findall(text))) and "=" not in text.rstrip("=")
