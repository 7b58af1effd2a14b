"""Classification of error messages, so that frequent errors of one kind count together."""

import re
from collections.abc import Sequence
from itertools import takewhile
from typing import NamedTuple

from memory_layer.domain.text.plain_words import READ_CHARS, identifier_words, standalone_line

Parts = tuple[tuple[str, ...], ...]
"""Parts of a combination, each with its phrases in blanks; of every part one phrase must occur."""


class ErrorClass(NamedTuple):
    """Class of errors: its description with a remedy, and the words, phrases and combinations that identify it."""

    description: str
    words: frozenset[str]
    phrases: tuple[str, ...]
    combinations: tuple[Parts, ...]

    def is_told_by(self, words: frozenset[str], line: str) -> bool:
        """Tests a message for this class. Args: words: see `identifier_words`; line: the same in order, in blanks."""
        if not self.words.isdisjoint(words):
            return True
        for phrase in self.phrases:  # no generator: this is asked of every message of a run
            if phrase in line:
                return True
        return any(
            all(any(phrase in line for phrase in part) for part in parts) for parts in self.combinations
        )


def _class(description: str, tellings: str) -> ErrorClass:
    lines = [tuple(map(_phrases, line.split(" + "))) for line in tellings.splitlines() if line.strip()]
    alone = [phrase for parts in lines if len(parts) == 1 for phrase in parts[0]]
    return ErrorClass(
        description,
        frozenset(phrase.strip() for phrase in alone if " " not in phrase.strip()),
        tuple(phrase for phrase in alone if " " in phrase.strip()),
        tuple(parts for parts in lines if len(parts) > 1),
    )


def _phrases(part: str) -> tuple[str, ...]:
    return tuple(f" {phrase.strip()} " for phrase in part.split("|"))


SYNTAX = "Syntax errors - check code carefully before execution"
NULL = "Null/undefined errors - add validation checks"
TIMEOUT = "Timeout errors - break into smaller steps"
PERMISSION = "Permission errors - check file/directory permissions"
MODULE = "Module not found - verify dependencies installed"
IMPORT = "Import errors - check import paths and exported names"
NETWORK = "Network errors - check connectivity and retry with backoff"
DISK = "Disk errors - check free space and the file system"
MEMORY = "Memory errors - process less data at a time"
VERSION = "Version conflict errors - align dependency versions"
LOCK = "Lock errors - keep transactions short and take locks in one order"
TYPE = "Type errors - check argument and return types"
ASSERTION = "Assertion errors - compare expected with actual values"

SEED_CLASSES = (
    _class(SYNTAX, "syntax|parse|parses|parsed|parsing"),
    _class(NULL, "undefined|null"),
    _class(TIMEOUT, "timeout|timeouts|time out|times out|timed out|timing out|timedout"),
    _class(PERMISSION, "permission|permissions|access denied"),
    _class(
        MODULE,
        """
        cannot find module|can not find module|cant find module|could not find module|unable to find module
        module|modules + not found
        """,
    ),
)
"""Classes in the order and the words of their source. Source: Loop Learning, error categorization."""

FURTHER_CLASSES = (
    _class(
        SYNTAX,
        """
        unexpected token|unexpected end|unexpected eof|unexpected indent|unexpected identifier|unterminated
        indentation error|tab error|unexpected character|parser|unparsable|json decode error|scanner error
        toml decode error|expected one of
        """,
    ),
    _class(NULL, "none type|nil|nullptr|null ptr|name error|not defined|a none value"),
    _class(TIMEOUT, "etimedout|esockettimedout|deadline exceeded"),
    _class(
        PERMISSION,
        "eacces|eperm|operation not permitted|access is denied|access was denied|access forbidden"
        "|403 forbidden|not authorized|unauthorized",
    ),
    _class(
        MODULE,
        """
        no module named|cannot find package|cannot find crate|cant find crate|no required module
        class not found exception|no class def found error
        package + does not exist
        package|packages|dependency|crate|library + not found|not installed
        """,
    ),
    _class(
        IMPORT,
        """
        import error|import errors|cannot import|failed to import|import failed|unresolved import|err require esm
        circular import|import cycle|import statement|does not provide an export|failed to resolve import
        """,
    ),
    _class(
        VERSION,
        """
        version conflict|version conflicts|version mismatch|conflicting version|conflicting versions|eresolve
        conflicting dependencies|dependency conflict|dependency conflicts|dependency tree|resolution impossible
        incompatible version|incompatible versions|peer dep|peer dependency|peer dependencies|ebadengine
        unsupported engine|unsupported version|no matching version|no matching distribution|lockfile
        unsupported class version error|failed to select a version|requires rustc
        version solving failed|could not find a version|requires python|requires node|requires a different
        lock file + out of date|outdated|out of sync|not up to date
        """,
    ),
    _class(
        NETWORK,
        """
        econnrefused|econnreset|econnaborted|enotfound|eai again|ehostunreach|enetunreach|epipe|getaddrinfo
        connection|connections + refused|reset|aborted|closed|failed|lost|error|errors|broken
        network|networks|dns|socket hang up|broken pipe|name resolution|could not resolve host|no route to host
        fetch failed|failed to fetch|bad gateway|service unavailable|connect error|host unreachable
        unknown host|unknown host exception|no such host|certificate verify failed
        ssl|tls + handshake
        """,
    ),
    _class(
        DISK,
        """
        enospc|edquot|erofs|eio|no space left|disk|disks|read only file system|input output error|i o error
        """,
    ),
    _class(
        MEMORY,
        """
        out of memory|oom|memory error|heap limit|heap space|heap out|cannot allocate|failed to allocate|enomem
        bad alloc|memory exhausted|memory limit|memory leak|memory leaks
        """,
    ),
    _class(
        LOCK,
        """
        deadlock|deadlocks|deadlocked|dead lock|lock|locks|locked|locking|livelock|ebusy|elocked|resource busy
        """,
    ),
    _class(ASSERTION, "assert|asserts|asserted|assertion|assertions"),
    _class(
        TYPE,
        """
        type error|type errors|type mismatch|mismatched types|incompatible type|incompatible types|class cast
        not assignable|attribute error|has no attribute|is not a function|not callable|not iterable|wrong type
        not subscriptable|unsupported operand|cannot be cast|cannot cast|invalid cast|unhashable type
        cannot convert|cannot be converted|is not of type
        """,
    ),
    _class(
        ASSERTION,
        """
        expected + received|but got|got|actual|but was|to equal|to be|to have|to contain|to match|to throw
        """,
    ),
)
"""The first five classes in the words of further languages, then eight more; specific before broad ones."""


_KNOWN: tuple[Sequence[ErrorClass], ...] = (SEED_CLASSES, FURTHER_CLASSES)


def error_class(message: str) -> str | None:
    """Classifies an error message: the class's description, else the message itself; None if it is too short.

    Whole words count, also those inside identifiers (`SyntaxError`). The message's own words go before those that
    it quotes; paths, URLs and the frames of a stack trace do not count.

    Returns:
        A description such as "Timeout errors - break into smaller steps"; or the message on one line of at
        most 100 characters, without parts that differ between occurrences (times, addresses, lines).

    Source: Loop Learning, error categorization; its five classes go first.
    """
    head = _head(message)
    lines = _message_lines(head)
    for text in (lines,) if _TRACE.search(head) else dict.fromkeys((lines, head)):
        known = _known_class(_without_paths(text))
        if known is not None:
            return known
    return standalone_line(_steadied(lines[:_STEADIED_CHARS]))


def _known_class(text: str) -> str | None:
    readings = [identifier_words(text)]
    if _QUOTE.search(text):
        readings.insert(0, identifier_words(_QUOTED.sub(" ", text)))
    searched = [(frozenset(words), f" {' '.join(words)} ") for words in readings]
    for classes in _KNOWN:
        for words, line in searched:
            for class_ in classes:
                if class_.is_told_by(words, line):
                    return class_.description
    return None


def _without_paths(text: str) -> str:
    tokens = text.split()
    return " ".join([_PATH.sub(" ", token) if _MAY_BE_PATH.search(token) else token for token in tokens])


def _head(message: str) -> str:
    """Beginning and end of a message: a trace ends with the error in some languages, and begins with it in others."""
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


def _message_lines(head: str) -> str:
    """Lines of a message without frames of a trace; of Python's traces the last line, which names the error."""
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
