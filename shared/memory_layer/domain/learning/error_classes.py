"""Which kind of error a message tells of, so that what goes wrong often is known as one thing."""

import re
from collections.abc import Sequence
from itertools import takewhile

from memory_layer.domain.learning.error_patterns import FURTHER_CLASSES, SEED_CLASSES, ErrorClass
from memory_layer.domain.text.plain_words import READ_CHARS, as_said, identifier_words

_KNOWN: tuple[Sequence[ErrorClass], ...] = (SEED_CLASSES, FURTHER_CLASSES)


def error_class(message: str) -> str | None:
    """The class of an error, described with what to do about it; else the message itself; None if it is too short.

    Words count, not fragments, and those inside identifiers too (`SyntaxError`). What the message says goes
    before what it quotes; paths, URLs and the frames of a stack trace say nothing of the error.

    Returns:
        A description such as "Timeout errors - break into smaller steps"; or the message on one line of at
        most 100 characters, without what differs from one occurrence to the next (times, addresses, lines).

    Source: Loop Learning, error categorization; its five classes go first.
    """
    head = _head(message)
    told = _told(head)
    for text in (told,) if _TRACE.search(head) else dict.fromkeys((told, head)):
        known = _known_class(_without_paths(text))
        if known is not None:
            return known
    return as_said(_steadied(told[:_STEADIED_CHARS]))


def _known_class(text: str) -> str | None:
    readings = [identifier_words(text)]
    if _QUOTE.search(text):
        readings.insert(0, identifier_words(_QUOTED.sub(" ", text)))
    told = [(frozenset(words), f" {' '.join(words)} ") for words in readings]
    for classes in _KNOWN:
        for words, line in told:
            for class_ in classes:
                if class_.is_told_by(words, line):
                    return class_.description
    return None


def _without_paths(text: str) -> str:
    tokens = text.split()
    return " ".join([_PATH.sub(" ", token) if _MAY_BE_PATH.search(token) else token for token in tokens])


def _head(message: str) -> str:
    """Beginning and end: a trace ends with the error in some languages, and begins with it in others."""
    head = message
    if len(message) > READ_CHARS:
        head = f"{message[: READ_CHARS // 2]}\n{message[-READ_CHARS // 2 :]}"
    return _COLOUR.sub(" ", head) if "[" in head else head


_COLOUR = re.compile(r"(?:\x1b|(?<![^ ]))\[\d{1,3}(?:;\d{1,3}){0,4}m")
_QUOTE = re.compile("['\"`]")
_QUOTED = re.compile(r"(?<!\w)'(?!NoneType')[^'\n]{1,200}'(?!\w)|\"[^\"\n]{1,200}\"|`[^`\n]{1,200}`")
_MAY_BE_PATH = re.compile(r"[/\\]|\.\w")
_PATH = re.compile(
    r"(?<![\w/\\.-])(?:[a-z][a-z0-9+]{1,15}://|[A-Za-z]:[\\/]|~?/|\.{1,2}/)[^\s'\"`]*"
    r"|(?<![\w/\\.-])[\w./\\-]{1,200}\.(?:[cm]?[jt]sx?|py|go|rs|java|kt|rb|php|cs|c|cc|cpp|h|json|ya?ml|toml|lock|md)"
    r"(?![\w-])"
)


_TRACE = re.compile(r"^\s+at |^Traceback \(|^goroutine \d", re.MULTILINE)


def _told(head: str) -> str:
    """The lines that are no frames of a trace; of Python's traces the last, which names the error."""
    lines = [line for line in head.splitlines() if line.strip() and not line[0].isspace()]
    lines = list(takewhile(lambda line: not line.startswith("goroutine "), lines))
    if not lines:
        return head
    return lines[-1] if any(line.startswith("Traceback (") for line in lines) else "\n".join(lines)


_STEADIED_CHARS = 400


def _steadied(text: str) -> str:
    for pattern, steady in _VOLATILE:
        text = pattern.sub(steady, text)
    return text


_VOLATILE: tuple[tuple[re.Pattern[str], str], ...] = tuple(
    (re.compile(pattern, re.IGNORECASE), steady)
    for pattern, steady in (
        (r"\b\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:[.,]\d{1,9})?)?(?:Z|[+-]\d\d:?\d\d)?)?", "…"),
        (r"\b\d\d:\d\d:\d\d(?:[.,]\d{1,9})?", "…"),
        (r"\b[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}\b", "…"),
        (r"\b0x[0-9a-f]{2,16}\b", "0x…"),
        (r"(?<![\w/\\])(?:(?:/private)?/var/folders|(?:/private|/var)?/tmp|/dev/shm)/[^\s'\"`)]*", "…"),
        (r"\b[a-z]:\\(?:[^\\\s'\"`]{1,64}\\){0,8}te?mp\\[^\s'\"`)]*", "…"),
        (r"(\.[a-z]{1,4}):\d{1,7}(?::\d{1,5})?\b", r"\1:…"),
        (r"\b(lines?|columns?|col|offset|pid|process|thread) #?\d{1,12}\b", r"\1 …"),
        (r"\b\d{1,12}(?:\.\d{1,9})? ?(ms|s|seconds?|milliseconds?)\b", r"… \1"),
    )
)
