"""A working day of a coding agent, replayed: the inputs of its hooks in each agent's form, and its transcripts.

`AGENT.hooks.jsonl` holds the hooks in their order, `AGENT-SESSION.transcript.jsonl` what the agent wrote meanwhile.
`{root}` and `{transcripts}` stand for folders, `{M:name}` for the number under which a memory was shown.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from memory_layer.domain.context.fragments import chars4

FOLDER: Final = Path(__file__).parent
DAYS: Final[Mapping[str, str]] = {
    "claude": "claude",
    "codex": "codex",
    "cursor": "cursor",
    "copilot": "copilot",
    "vscode": "copilot",
}
"""Name of the agent in `mem hook` by day."""

KNOWN: Final[Mapping[str, tuple[str, ...]]] = {
    "timeout": (
        "The payment gateway answers in no test: without the gateway stub, test_payments times out after 30 seconds",
        *("-c", "gotcha"),
    ),
    "cents": (
        "Prices are integers, in cents: round half up before two of them are compared",
        *("-c", "convention", "--tag", "src/billing/**"),
    ),
    "redis": (
        "The nightly import of the catalogue needs Redis on port 6379; where that refuses a connection, it dies",
        *("-c", "troubleshooting"),
    ),
    "worker": (
        "src/worker.py reads payment_timeout at import, so restart the worker after a change of that setting",
        *("-c", "gotcha"),
    ),
    "office": ("The office is closed between Christmas and New Year", "-c", "general"),
    "fonts": ("The brochure is set in Garamond, eleven points", "-c", "general"),
    "release": ("Releases are tagged on Thursdays by the release manager", "-c", "decision"),
}
"""What the project knows in the morning: the options of `mem add` by name; nothing asks for the last three."""

_SHOWN: Final = re.compile(r"^M(\d+)\S* [^:]*: (.+)$", re.MULTILINE)
_CITATION: Final = re.compile(r"\{([MW]):(\w+)\}")

RunHook = Callable[[str, str, str], str]
"""Runs a hook of an agent at an event with an input; returns its output."""


@dataclass
class ReplayedDay:
    """Replay of a day. Args: pages: what the model was told, by the hook's place in the day."""

    name: str
    outputs: list[tuple[str, str]] = field(default_factory=list)
    numbers: dict[str, int] = field(default_factory=dict)
    pages: dict[int, str] = field(default_factory=dict)

    @property
    def tokens(self) -> int:
        return sum(chars4(list(self.pages.values())))

    def times_shown(self, name: str) -> int:
        return sum(KNOWN[name][0] in page for page in self.pages.values())


def replay(name: str, root: Path, transcripts: Path, run_hook: RunHook) -> ReplayedDay:
    """Runs all hooks of a day, and writes the transcripts as far as the agent had got by then."""
    day = ReplayedDay(name)
    session = None
    for place, (event, given) in enumerate(hooks_of(name)):
        if session != (session := _session(given)):
            day.numbers.clear()
        _write_transcripts(name, transcripts, day.numbers)
        said = json.dumps(given).replace("{root}", str(root)).replace("{transcripts}", str(transcripts))
        output = run_hook(DAYS[name], event, said)
        day.outputs.append((event, output))
        _note(day, place, page_of(output))
    return day


def hooks_of(name: str) -> Iterator[tuple[str, Mapping[str, Any]]]:
    for line in (FOLDER / f"{name}.hooks.jsonl").read_text("utf-8").splitlines():
        hook = json.loads(line)
        yield hook["event"], hook["input"]


def page_of(output: str) -> str:
    """Words that a hook's output puts before the model; empty: none."""
    if not output:
        return ""
    said = json.loads(output)
    nested = said.get("hookSpecificOutput", {}).get("additionalContext")
    return str(nested or said.get("additional_context") or said.get("additionalContext") or "")


def _session(given: Mapping[str, Any]) -> str:
    return str(given.get("session_id") or given.get("conversation_id"))


def _note(day: ReplayedDay, place: int, page: str) -> None:
    if not page:
        return
    day.pages[place] = page
    for number, words in _SHOWN.findall(page):
        known = (name for name, said in KNOWN.items() if said[0] == words)
        day.numbers.update(dict.fromkeys(known, int(number)))


def _write_transcripts(name: str, folder: Path, numbers: Mapping[str, int]) -> None:
    def cited(found: re.Match[str]) -> str:
        number = numbers.get(found[2])
        return "" if number is None else f"[M{number}{' wrong' if found[1] == 'W' else ''}]"

    for file in FOLDER.glob(f"{name}-*.transcript.jsonl"):
        text = _CITATION.sub(cited, file.read_text("utf-8").replace("{root}", "/srv/shop"))
        (folder / file.name.replace(".transcript", "")).write_text(text, "utf-8")
