"""Files that commands read and write: whole or not at all, and with a sentence where that cannot be."""

import io
import json
import os
import sys
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO

from memory_layer.errors import Invalid, Malformed

STANDARD = "-"
"""Standard input, or standard output."""


def read_text(name: str) -> str:
    """Reads all of a file.

    Raises:
        Invalid, Malformed: as `read_lines`.
    """
    return "".join(read_lines(name))


def followed_name(file: str, *, given: Path | None = None) -> str | None:
    """Name by which later imports find a file again; None: standard input.

    It is the path from the root of its repository. Outside of one it is the path below the current folder, else the
    path below the folder that was given, with that folder's name before it, else the bare name.

    Args:
        given: folder that is imported as a whole: its repository is that of all its files, so that no two of them
            have one name.
    """
    if file == STANDARD:
        return None
    path, here = Path(file).resolve(), Path.cwd().resolve()
    inside = path.parent if given is None else given.resolve()
    root = next((folder for folder in (inside, *inside.parents) if (folder / ".git").exists()), None)
    outside = here if path.is_relative_to(here) else inside if given is None else inside.parent
    return path.relative_to(root or outside).as_posix()


def read_lines(name: str) -> Iterator[str]:
    """Reads a file line by line, each with the end that it has; a line ends at \\n alone.

    Raises:
        Invalid: it cannot be read.
        Malformed: it is no UTF-8.
    """
    try:
        with _source(name) as source:
            lines = io.TextIOWrapper(source, encoding="utf-8-sig", newline="\n")
            yield from lines
            lines.detach()
    except UnicodeDecodeError as error:
        raise Malformed(f"{_called(name)} is no UTF-8; save it as UTF-8 and import it again") from error
    except OSError as error:
        raise Invalid.at("/file", f"{_called(name)} cannot be read: {error.strerror}") from error


def json_object(text: str, named: str, *, example: str, by: str) -> dict[str, Any]:
    """JSON object in a text, or on standard input where the text is `-`.

    Args:
        named: what the caller calls it.
        by: the command that reads it from a file.

    Raises:
        Malformed: it is none.
    """
    try:
        found = json.loads(sys.stdin.read() if text == STANDARD else text)
    except (ValueError, RecursionError) as error:
        raise Malformed(
            f"{named} takes JSON, and this is none: {error}; a file is read by: {by} < FILE"
        ) from error
    if not isinstance(found, dict):
        raise Malformed(f"{named} takes one JSON object, such as {example}")
    return found


@contextmanager
def _source(name: str) -> Iterator[BinaryIO]:
    if name == STANDARD:
        yield sys.stdin.buffer
    else:
        with Path(name).open("rb") as file:
            yield file


def _called(name: str) -> str:
    return "standard input" if name == STANDARD else name


def write_lines(name: str, lines: Iterable[str]) -> None:
    """Writes all lines into a file, readable by its owner alone; an interruption leaves what was there before.

    Raises:
        Invalid: the file cannot be written.
    """
    if name == STANDARD:
        _print(lines)
        return
    try:
        _write(Path(name), lines)
    except OSError as error:
        raise Invalid.at("/file", f"{name} cannot be written: {error.strerror}") from error


def _print(lines: Iterable[str]) -> None:
    for line in lines:
        sys.stdout.buffer.write(line.encode())
    sys.stdout.buffer.flush()


def _write(target: Path, lines: Iterable[str]) -> None:
    if target.exists() and not target.is_file():  # a device or a pipe stays what it is
        with target.open("wb") as device:
            device.writelines(line.encode() for line in lines)
    else:
        _replace(target, lines)


def _replace(target: Path, lines: Iterable[str]) -> None:
    handle, draft = tempfile.mkstemp(prefix=f".{target.name}.", suffix=".part", dir=target.parent)
    try:
        with open(handle, "wb") as file:
            file.writelines(line.encode() for line in lines)
            file.flush()
            os.fsync(file.fileno())
        os.replace(draft, target)
    except BaseException:
        Path(draft).unlink(missing_ok=True)
        raise
