"""Seals of exports: a large sealed file is sent as sealed parts, and the parts of an export make one sealed file."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from memory_layer.wire.lines import BODY_MAX_BYTES, MANIFEST
from memory_layer.wire.problem import MemoryProblem

_SEAL_MAX_BYTES: Final = 2_048
"""Room for a seal behind the lines of a part."""


@dataclass(slots=True)
class Seal:
    """Number of lines, and the SHA-256 of them all, line ends included."""

    records: int = 0
    _hash: Any = field(default_factory=hashlib.sha256)

    def add(self, line: str) -> None:
        self.records += 1
        self._hash.update(_bytes(line))

    def check(self, said: Mapping[str, Any]) -> None:
        """Holds the lines to a manifest. Raises: MemoryProblem: they are not those that it was made of."""
        counted = {"records": self.records, "sha256": self._hash.hexdigest()}
        for name, value in counted.items():
            if said.get(name) != value:
                detail = (
                    f"the manifest's {name} is not that of the lines, {value}: the file was changed or cut off "
                    "after it was exported; nothing was sent"
                )
                raise MemoryProblem("invalid", detail)

    def manifest(self, like: Mapping[str, Any]) -> str:
        """Line that seals the lines. Args: like: a manifest whose other members it takes over."""
        said = {**like, "records": self.records, "sha256": self._hash.hexdigest()}
        sealed = json.dumps({"manifest": said}, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
        return f"{sealed}\n"


def sealed_parts(lines: Sequence[str]) -> Iterator[str]:
    """Parts of a sealed file that a server takes, each with a seal of its own. Args: lines: the seal is the last.

    Raises:
        MemoryProblem: the lines are not those that were sealed; no part is out then.
    """
    *records, last = lines
    manifest = _manifest(last)
    sealed(records).check(manifest)
    for part in _cut(records):
        yield "".join(part) + sealed(part).manifest(manifest)


def sealed(lines: Iterable[str]) -> Seal:
    seal = Seal()
    for line in lines:
        seal.add(line)
    return seal


def one_sealed_file(parts: Iterable[str]) -> Iterator[str]:
    """Lines of one sealed file, of the parts of an export, each of which is sealed.

    Raises:
        MemoryProblem: a part is not what its seal says.
    """
    whole, manifest, frozen = Seal(), dict[str, Any](), 0
    for part in parts:
        *records, last = _lines(part)
        manifest = _manifest(last)
        sealed(records).check(manifest)
        frozen += manifest.get("frozen", 0)
        for line in records:
            whole.add(line)
            yield line
    yield whole.manifest({**manifest, **({"frozen": frozen} if frozen else {})})


def one_table(parts: Iterable[str]) -> Iterator[str]:
    """Text of one table, of parts that have its header each."""
    for number, part in enumerate(parts):
        header, _, rows = part.partition("\n")
        yield f"{header}\n{rows}" if number == 0 else rows


def is_seal(line: str) -> bool:
    return line.startswith(MANIFEST)


def _cut(records: Sequence[str]) -> Iterator[list[str]]:
    part: list[str] = []
    size = 0
    for line in records:
        length = len(_bytes(line))
        if part and size + length > BODY_MAX_BYTES - _SEAL_MAX_BYTES:
            yield part
            part, size = [], 0
        part.append(line)
        size += length
    yield part


def _manifest(line: str) -> dict[str, Any]:
    try:
        said = json.loads(line)["manifest"]
    except (ValueError, LookupError, TypeError):
        said = None
    if not isinstance(said, dict):
        raise MemoryProblem("invalid", "the last line is no manifest: the file is cut off, or none of ours")
    return said


def _lines(text: str) -> list[str]:
    """Lines that end at \\n alone."""
    return [f"{line}\n" for line in text.removesuffix("\n").split("\n")]


def _bytes(line: str) -> bytes:
    return line.encode(errors="surrogatepass")
