"""Path globs whose cost is bounded by the pattern's length times the path's."""

import re
from collections.abc import Callable
from fnmatch import translate
from functools import lru_cache

PATTERN_MAX_CHARS = 256
ALTERNATIVES_MAX = 64
"""Limits on a pattern and on its brace expansion; a pattern beyond either matches itself alone."""

_WILDCARD = re.compile(r"[*?\[{]")
_INNERMOST_BRACES = re.compile(r"\{([^{}]*,[^{}]*)\}")

_VARYING = re.compile(r"/?\*\*/?|\[!?\]?[^\]]*\]|[*?]")
"""Sets and wildcards, which match other text than their own."""

Segment = Callable[[str], object] | None
"""Matcher of one path segment; None stands for `**`, any number of segments."""


@lru_cache(maxsize=16_384)  # the same tags meet the same scope at every recall
def glob_matches(pattern: str, path: str) -> bool:
    """Tells whether a path matches: `*`, `?`, `[ab]` inside a segment, `**` across segments, `{a,b}` alternatives.

    A pattern without a slash matches the last segment, as in .gitignore; one that ends in a slash, all below.
    One without wildcards is no glob and matches itself alone. Never raises: broken syntax stands for itself.
    """
    alternatives = _compiled(pattern)
    if pattern == path or not alternatives:
        return pattern == path
    parts = path.removeprefix("./").rstrip("/").split("/")
    return any(_segments_match(segments, parts) for segments in alternatives)


@lru_cache(maxsize=4_096)
def required_texts(pattern: str) -> tuple[str, ...]:
    """Texts of which every match of the pattern contains at least one: a substring search is cheap beside a match."""
    longest = tuple(max(texts, key=len) for texts in literal_texts(pattern))
    return (pattern, *longest) if _compiled(pattern) else longest


@lru_cache(maxsize=4_096)
def literal_texts(pattern: str) -> tuple[tuple[str, ...], ...]:
    """Literal texts of each alternative of the pattern, in the order in which every match contains them."""
    plain = _expand_braces(pattern) if _compiled(pattern) else []
    return tuple(map(_texts, plain)) or ((pattern,),)


@lru_cache(maxsize=4_096)
def path_below(pattern: str) -> str:
    """A path that a glob matches, of plain names where it leaves them open: what covers it covers the glob.

    The first of alternatives stands for all. A pattern without wildcards is its own path.
    """
    if not _compiled(pattern):
        return pattern.removeprefix("./")
    plain = _expand_braces(pattern)[0].removeprefix("./")
    plain = plain if "/" in plain else f"{_NAME}/{plain}"
    segments = f"{plain}**".split("/") if plain.endswith("/") else plain.split("/")
    last = len(segments) - 1
    named = (
        f"{_NAME}/{_NAME}"
        if segment == "**" and place == last
        else _NAME
        if segment == "**"
        else _filled(segment)
        for place, segment in enumerate(segments)
    )
    return "/".join(named)


_NAME = "name"
_LETTERS = "na0_~"
_OPEN = re.compile(r"\[!?\]?[^\]]*\]|\*+|\?")


def _filled(segment: str) -> str:
    """Segment with a name for each wildcard, a letter for each set."""
    return _OPEN.sub(lambda found: _fill(found[0]), segment)


def _fill(wildcard: str) -> str:
    if wildcard[0] == "*":
        return _NAME
    if wildcard == "?":
        return _LETTERS[0]
    is_open = re.compile(translate(wildcard)).match
    return next((letter for letter in (*_LETTERS, *wildcard[1:-1]) if is_open(letter)), _LETTERS[0])


def forget_globs() -> None:
    """Clears what was made of patterns and paths: tags are among them."""
    for kept in (glob_matches, path_below, required_texts, literal_texts, _compiled):
        kept.cache_clear()


def _texts(plain: str) -> tuple[str, ...]:
    return tuple(text for text in _VARYING.split(plain.removeprefix("./").rstrip("/")) if text) or ("",)


@lru_cache(maxsize=4_096)
def _compiled(pattern: str) -> tuple[tuple[Segment, ...], ...]:
    is_glob = _WILDCARD.search(pattern) or pattern.endswith("/")
    if not is_glob or len(pattern) > PATTERN_MAX_CHARS:
        return ()
    return tuple(_compile_plain(plain) for plain in _expand_braces(pattern))


def _expand_braces(pattern: str) -> list[str]:
    plain: list[str] = []
    waiting = [pattern]
    while waiting:
        if len(plain) + len(waiting) > ALTERNATIVES_MAX:
            return []
        candidate = waiting.pop()
        braces = _INNERMOST_BRACES.search(candidate)
        if braces is None:
            plain.append(candidate)
        else:
            head, tail = candidate[: braces.start()], candidate[braces.end() :]
            waiting += [f"{head}{choice}{tail}" for choice in dict.fromkeys(braces[1].split(","))]
    return plain


def _compile_plain(pattern: str) -> tuple[Segment, ...]:
    pattern = pattern.removeprefix("./")
    if "/" not in pattern:
        pattern = f"**/{pattern}"
    if pattern.endswith("/"):
        pattern += "**"
    return tuple(
        None if segment == "**" else re.compile(translate(segment)).match for segment in pattern.split("/")
    )


def _segments_match(segments: tuple[Segment, ...], parts: list[str]) -> bool:
    """Matches segments with two pointers, backtracking to the last `**` alone: an earlier one never needs more."""
    at = part = 0
    resume_at, resume_part = -1, 0
    while part < len(parts):
        segment = segments[at] if at < len(segments) else _nothing
        if segment is None:
            resume_at, resume_part = at, part
            at += 1
        elif segment(parts[part]):
            at, part = at + 1, part + 1
        elif resume_at >= 0:
            resume_part += 1
            at, part = resume_at + 1, resume_part
        else:
            return False
    return all(segment is None for segment in segments[at:])


def _nothing(_: str) -> bool:
    return False
