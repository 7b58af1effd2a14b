"""Text of a file in a folder: editors and shells end its last line, so that ends of lines at its end are no words."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from memory_layer.domain.portability.file_text import text_sha256
from memory_layer.domain.portability.mirror_plan import KnownFile

_ENDS: Final = "\r\n"


def words_of(text: str) -> str:
    """Text without the ends of lines at its end."""
    return text.rstrip(_ENDS)


def ended(text: str) -> str:
    """Text as a folder has it: the last line has its end; an empty one has no line."""
    return text if not text or text.endswith("\n") else f"{text}\n"


def edited(text: str, before: str) -> str:
    """Text as a project stores it: the words of a folder's file, ended as they were before."""
    return words_of(text) + before[len(words_of(before)) :]


@dataclass(frozen=True, slots=True)
class FolderHashes:
    """Hashes of a folder's file. Args: sha256: of its text; words_sha256, ended_sha256: of its words, as `ended`."""

    sha256: str
    words_sha256: str
    ended_sha256: str

    @classmethod
    def of(cls, text: str) -> FolderHashes:
        words = words_of(text)
        return cls(text_sha256(text), text_sha256(words), text_sha256(ended(words)))

    def has_words_of(self, file: KnownFile) -> bool:
        """Tells whether a file has the same words, as far as its hashes tell."""
        return self.words_sha256 == file.words_sha256 or file.sha256 in (
            self.sha256,
            self.words_sha256,
            self.ended_sha256,
        )


def told_by_words(
    known: dict[str, KnownFile], here: dict[str, FolderHashes], there: dict[str, KnownFile]
) -> dict[str, str]:
    """Hashes of a folder's files by path, for `mirror_plan`: a file that only ends otherwise has its project's hash."""
    at: dict[str, list[KnownFile]] = {}
    for file in (*known.values(), *there.values()):
        at.setdefault(file.path, []).append(file)
    missing = [file for file in known.values() if file.path not in here]
    found = {}
    for path, one in here.items():
        same = (file.sha256 for file in at.get(path, missing) if one.has_words_of(file))
        found[path] = next(same, one.sha256)
    return found
