"""Rules for texts, names and globs; each answers with the problem in words, or None."""

import re

from memory_layer.domain.globs import ALTERNATIVES_MAX, PATTERN_MAX_CHARS

MEMORY_ID = r"[A-Za-z0-9_.:-]{1,128}"
PROJECT = r"_shared|[A-Za-z0-9][A-Za-z0-9_.-]{0,63}"
"""`_shared` is the tenant-wide project; no other name begins with an underscore."""

_UNSTORABLE = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff]")
_CHARACTER_CLASS = re.compile(r"\[!?\]?[^\]]*\]")


def text_problem(value: str) -> str | None:
    """Problem that keeps a text from reading back as stored: NUL, other controls, lone surrogates.

    Tabs and line ends are allowed.
    """
    match = _UNSTORABLE.search(value)
    if match is None:
        return None
    code = ord(match[0])
    what = "NUL" if code == 0 else "a control character" if code < 0x20 else "half of a surrogate pair"
    return f"{what} (U+{code:04X}) at character {match.start()}; remove it and send the text again"


def storable(value: str) -> str:
    """Replaces what `text_problem` finds by blanks: terminal colours in a log are no reason to refuse it."""
    return _UNSTORABLE.sub(" ", value)


def byte_length_problem(value: str, limit_bytes: int) -> str | None:
    """Problem of a text longer than a limit in bytes of UTF-8; the text must have no `text_problem`."""
    size = len(value.encode())
    return f"{size:,} bytes of UTF-8; the limit is {limit_bytes:,}" if size > limit_bytes else None


def project_problem(slug: str) -> str | None:
    """Problem that keeps a text from naming a project."""
    if re.fullmatch(PROJECT, slug):
        return None
    return "a project is 1 to 64 letters, digits, `_`, `.` or `-`, and begins with a letter or digit"


def glob_problem(tag: str, what: str = "tag") -> str | None:
    """Problem that keeps a tag from matching as a glob as it was meant; a keyword is a glob that matches itself.

    Args:
        what: a word for the tag in the problem.
    """
    if len(tag) > PATTERN_MAX_CHARS:
        return f"the {what} is {len(tag)} characters long; the limit is {PATTERN_MAX_CHARS}"
    if re.search(r"[\[\]]", _CHARACTER_CLASS.sub("", tag)):
        return f"the {what} {tag!r} has a square bracket without its other half"
    alternatives = _alternatives(tag)
    if alternatives is None:
        return f"the {what} {tag!r} has a brace without its other half"
    if alternatives > ALTERNATIVES_MAX:
        return f"the braces of the {what} make {alternatives:,} patterns; the limit is {ALTERNATIVES_MAX}"
    return None


def _alternatives(tag: str) -> int | None:
    """Number of patterns that the braces make: those inside one pair add up, pairs side by side multiply.

    None: braces without their other half.
    """
    added, product = [0], [1]
    for character in tag:
        if character == "{":
            added.append(0)
            product.append(1)
        elif character == "," and len(added) > 1:
            added[-1] += product[-1]
            product[-1] = 1
        elif character == "}":
            if len(added) == 1:
                return None
            inside = added.pop() + product.pop()
            product[-1] *= inside
    return product[0] if len(added) == 1 else None
