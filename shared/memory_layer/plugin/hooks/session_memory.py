"""Memories of a project for the moments of a session: its start, a question, a file, an error."""

import re
from collections.abc import Sequence
from itertools import takewhile
from os.path import basename
from pathlib import PurePosixPath
from typing import Final, Protocol

from memory_layer.domain.learning.error_classes import FURTHER_CLASSES, SEED_CLASSES, error_class
from memory_layer.domain.learning.run import Run
from memory_layer.domain.memory import Memory
from memory_layer.plugin.hooks.check_commands import started_command
from memory_layer.plugin.hooks.shell_lists import shell_lists

START_MS: Final = 1_500
HITS: Final = 5
OF_A_FILE: Final = 4
LOOKED_THROUGH: Final = 10
RELEVANCE_MIN: Final = 0.5
"""Chance that a memory bears on what is asked, from which on it is shown unasked for (ADR-0034 has the table)."""

MISLED: Final = "its session cited it as wrong"
QUERY_MAX_CHARS: Final = 2_000
ERROR_MAX_CHARS: Final = 500

_DESCRIPTIONS: Final = frozenset(one.description for one in (*SEED_CLASSES, *FURTHER_CLASSES))
_PLAIN_WORD: Final = re.compile(r"[\w.+][\w.+:-]{0,39}")
_TELLING: Final = re.compile(
    r"error|exception|fail|fatal|denied|not found|cannot|can't|unable|undefined|invalid|refused|timed? ?out|panic",
    re.IGNORECASE,
)


class SessionMemory(Protocol):
    """Memory of a project, as an agent's session asks it."""

    @property
    def now_s(self) -> float:
        """Seconds since 1970, by the memory's clock."""

    def first(self, tokens: int) -> list[Memory]:
        """Memories that a session begins with, as far as they fit a budget of tokens."""

    def about(self, question: str, run_id: str) -> list[Memory]:
        """Memories that bear on a question, best first. Args: run_id: of the run whose verdict meets them."""

    def of_file(self, path: str) -> list[Memory]:
        """Memories whose tags are for a file, then those that name it. Args: path: from the project's root."""

    def learn(self, run: Run) -> None:
        """Reports a run, once. Raises: MemoryLayerError: it is not taken."""

    def report_misled(self, project: str, id: str, run_id: str) -> None:
        """Reports that a memory misled a run.

        Args:
            project: of the memory.

        Raises:
            MemoryLayerError: the verdict is not taken.
        """


def names_file(text: str, path: str) -> bool:
    """Tells whether a text names a file, by its path or by its last part alone, where that has an ending."""
    name = PurePosixPath(path).name
    names = [path, *([name] if "." in name.strip(".") else [])]
    return any(re.search(rf"(?<![\w.-]){re.escape(one)}(?![\w-])", text) for one in names)


def error_question(command: str, output: str) -> str:
    """Question of a failed command: what was run, and the lines that tell of its error, the last ones first to stay."""
    return f"{command[:200]}\n{_telling(output)}"


def error_note(command: str, output: str) -> str | None:
    """Note of a failed command for a run: its error's class and the command's first words; None: there is no class.

    Nothing of the output itself is taken: whoever wrote a page or a package that a command reads would teach by it.
    """
    told = error_class(_telling(output))
    return f"{told}\n  `{_first_words(command)}`" if told in _DESCRIPTIONS else None


def _first_words(command: str) -> str:
    """First two words of the command that runs last, the program without its folder."""
    try:
        lists = shell_lists(command)
    except ValueError:
        lists = []
    words = started_command(lists[-1].pipelines[-1].commands[0]) if lists else []
    named = [basename(words[0]), *words[1:2]] if words else []
    return " ".join(takewhile(_PLAIN_WORD.fullmatch, named)) or "a command"


def _telling(output: str) -> str:
    lines = [line.strip() for line in output.splitlines() if line.strip()]
    telling = [line for line in lines if _TELLING.search(line)] or lines[-3:]
    return _last(telling, ERROR_MAX_CHARS)


def _last(lines: Sequence[str], chars: int) -> str:
    kept: list[str] = []
    for line in reversed(lines):
        chars -= len(line) + 1
        if chars < 0:
            return "\n".join(kept) or line[: chars + len(line) + 1]
        kept.insert(0, line)
    return "\n".join(kept)
