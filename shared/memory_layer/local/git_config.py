"""Reading of git's own configuration files, without git: sections, quotes, includes, rewritten addresses.

Nothing in a file is run. Source: git-config(1), syntax, includes, url.<base>.insteadOf.
"""

import re
from collections.abc import Iterator, Mapping
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Final

from memory_layer.errors import Invalid

INCLUDES_MAX: Final = 10
"""Depth of includes. Source: git, config.c."""
FILE_MAX_BYTES: Final = 1 << 20

_SECTION: Final = re.compile(r'\[\s*([A-Za-z0-9.-]+)\s*(?:"((?:[^"\\\n]|\\.)*)"\s*)?\]')
_KEY: Final = re.compile(r"([A-Za-z][A-Za-z0-9-]*)[ \t]*(=?)[ \t]*")
_ESCAPES: Final = {"n": "\n", "t": "\t", "b": "\b", '"': '"', "\\": "\\"}

GitSettings = dict[str, list[str]]
"""Values by `section.subsection.key`, section and key in lower case; the last one said counts, of several remotes' the
first."""


def read_git_config(
    file: Path, home: Path | None, git_folder: Path | None, *, has_includes: bool = True
) -> GitSettings:
    """Settings of a file and of those that it includes; none where there is no file.

    Args:
        home: that `~` stands for.
        git_folder: that conditions `gitdir:` are about; None: none of them holds.
        has_includes: files that it includes are read; not of a file that somebody else may have written.

    Raises:
        Invalid: it is no configuration of git, or cannot be read.
    """
    settings: GitSettings = {}
    for key, value in _Reader(home, git_folder).lines_of(file, 0 if has_includes else INCLUDES_MAX):
        settings.setdefault(key, []).append(value)
    return settings


class _Reader:
    """Reader of a file and its includes."""

    def __init__(self, home: Path | None, git_folder: Path | None) -> None:
        self._home, self._git_folder = home, git_folder

    def lines_of(self, file: Path, depth: int) -> Iterator[tuple[str, str]]:
        for key, value in parse_git_config(_text(file), str(file)):
            yield key, value
            if depth < INCLUDES_MAX and self._includes(key):
                yield from self.lines_of(self._path(value, file.parent), depth + 1)

    def _includes(self, key: str) -> bool:
        if key == "include.path":
            return True
        kind, _, pattern = key.removeprefix("includeif.").removesuffix(".path").partition(":")
        is_condition = key.startswith("includeif.") and key.endswith(".path")
        return is_condition and kind in ("gitdir", "gitdir/i") and self._is_here(pattern, kind == "gitdir/i")

    def _is_here(self, pattern: str, ignores_case: bool) -> bool:
        if self._git_folder is None:
            return False
        whole = pattern.replace("~", str(self._home), 1) if pattern.startswith("~/") else pattern
        whole = whole if whole.startswith(("/", "**")) else f"**/{whole}"
        whole = f"{whole}**" if whole.endswith("/") else whole
        here = self._git_folder.as_posix()
        if ignores_case:
            whole, here = whole.lower(), here.lower()
        return fnmatchcase(here, whole) or fnmatchcase(f"{here}/", whole)

    def _path(self, value: str, folder: Path) -> Path:
        if value.startswith("~/") and self._home is not None:
            return self._home / value[2:]
        return folder / value


def _text(file: Path) -> str:
    try:
        with file.open("rb") as opened:
            read = opened.read(FILE_MAX_BYTES + 1)
    except (FileNotFoundError, NotADirectoryError):
        return ""
    except OSError as error:
        raise Invalid(f"{file} cannot be read: {error.strerror}; name the project with -p") from error
    if len(read) > FILE_MAX_BYTES:
        raise Invalid(f"{file} is larger than any configuration of git; name the project with -p")
    return read.decode("utf-8", "surrogateescape").removeprefix("\ufeff")


def parse_git_config(text: str, named: str) -> Iterator[tuple[str, str]]:
    """Keys and values of a configuration, in their order.

    Args:
        named: the file, as an error calls it.

    Raises:
        Invalid: it breaks the syntax.
    """
    position, prefix = 0, ""
    while position < len(text):
        if text[position] in " \t\r\n":
            position += 1
        elif text[position] in "#;":
            position = _end_of_line(text, position)
        elif text[position] == "[":
            prefix, position = _section(text, position, named)
        else:
            key, value, position = _setting(text, position, prefix, named)
            yield key, value


def _end_of_line(text: str, position: int) -> int:
    end = text.find("\n", position)
    return len(text) if end < 0 else end


def _section(text: str, position: int, named: str) -> tuple[str, int]:
    found = _SECTION.match(text, position)
    if found is None:
        raise _broken(text, position, named)
    name, subsection = found[1], found[2]
    if subsection is None:
        section, dot, old = name.partition(".")  # the old form, [remote.origin]
        return f"{section.lower()}{dot}{old.lower()}.", found.end()
    said = re.sub(r"\\(.)", r"\1", subsection)
    return f"{name.lower()}.{said}.", found.end()


def _setting(text: str, position: int, prefix: str, named: str) -> tuple[str, str, int]:
    found = _KEY.match(text, position)
    if found is None or not prefix:
        raise _broken(text, position, named)
    if not found[2]:
        end = _end_of_line(text, position)
        if not re.fullmatch(r"\s*(?:[#;].*)?", text[found.end() : end]):
            raise _broken(text, position, named)
        return f"{prefix}{found[1].lower()}", "true", end
    value, end = _value(text, found.end(), named)
    return f"{prefix}{found[1].lower()}", value, end


def _value(text: str, position: int, named: str) -> tuple[str, int]:
    """Value from a position to its end: quotes open and close, a backslash goes on in the next line."""
    said: list[str] = []
    kept, is_quoted = 0, False  # characters that blanks at the end do not reach
    while position < len(text) and (is_quoted or text[position] not in "\n#;"):
        character = text[position]
        if character == "\\":
            position += 1
            if text[position : position + 2] == "\r\n":
                position += 1
            escaped = text[position : position + 1]
            if escaped != "\n" and escaped not in _ESCAPES:
                raise _broken(text, position, named)
            said += _ESCAPES.get(escaped, "")
            kept = len(said)
        elif character == '"':
            is_quoted, kept = not is_quoted, len(said)
        elif character == "\n":
            break
        else:
            said.append(character)
            kept = len(said) if is_quoted or not character.isspace() else kept
        position += 1
    if is_quoted:
        raise _broken(text, min(position, len(text) - 1), named)
    return "".join(said[:kept]), _end_of_line(text, position)


def _broken(text: str, position: int, named: str) -> Invalid:
    line = text.count("\n", 0, position) + 1
    return Invalid(f"line {line} of {named} is no configuration of git: mend it, or name the project with -p")


def rewritten(url: str, settings: Mapping[str, list[str]]) -> str:
    """Address as `url.<base>.insteadOf` rewrites it; the longest beginning counts."""
    bases = [
        (beginning, key[len("url.") : -len(".insteadof")])
        for key, values in settings.items()
        if key.startswith("url.") and key.endswith(".insteadof")
        for beginning in values
        if beginning and url.startswith(beginning)
    ]
    if not bases:
        return url
    beginning, base = max(bases, key=lambda pair: len(pair[0]))
    return base + url[len(beginning) :]
