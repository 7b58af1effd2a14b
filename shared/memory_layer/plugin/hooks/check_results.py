"""Result of a check by its exit code, where the code is the check's own and the check ran to its end.

A code that a pipe, a later command or an alternative has covered says nothing; what is printed decides nothing either,
it only takes a result away.
"""

import re
from collections.abc import Sequence
from os.path import basename
from typing import Final, Literal

from memory_layer.plugin.hooks.check_commands import is_check, started_command
from memory_layer.plugin.hooks.shell_lists import Pipeline, ShellList, shell_lists

CheckResult = Literal["worked", "failed", "unclear"]
"""Result of a check; unclear: one was called, and nothing says how it ended."""

REFUSAL_CHARS: Final = 400
"""Characters within which an agent says that a command did not run."""

READ_CHARS: Final = 4_000
"""Characters at either end of an output that are searched."""

_NOT_RUN: Final = re.compile(
    r"tool use was rejected|doesn't want to (?:proceed|take this action)"
    r"|(?:rejected|denied|declined|cancelled|skipped) by (?:the )?user"
    r"|user (?:rejected|denied|declined|cancelled|canceled)|requires approval|permission to use \S+ .{0,80}denied"
    r"|\bPreToolUse:\S+ hook|blocked by (?:a |the )?hook|\Atool (?:call )?(?:rejected|denied)",
    re.IGNORECASE,
)
_NOT_ENDED: Final = re.compile(
    r"(?:running|runs|moved|continues|started) in (?:the )?background|moved to (?:the )?background"
    r"|background with id|process running with session id|still running|interrupted by (?:the )?user"
    r"|\A\s*(?:\[?request )?interrupted|command was (?:aborted|interrupted|cancelled)|\Aaborted"
    r"|\bcommand timed out\b|timed out after [\d.]+ ?(?:m?s|m|seconds|milliseconds|minutes)\b"
    r"|exit(?:ed)?(?: with)?(?: exit)? (?:code|status)\W{0,2}(?:13[07]|143|124)\b",
    re.IGNORECASE,
)
_NOTHING_CHECKED: Final = re.compile(
    r"command not found|: not found$|no module named '?(?:pytest|mypy|ruff|tox|nox|flake8|pylint|pyright|unittest2)\b"
    r"|no tests? (?:ran|found|collected|files? found)|missing script|no rule to make target|is not recognized as an? ",
    re.IGNORECASE | re.MULTILINE,
)
_TELLS_FAILURE: Final = re.compile(
    r"(?<![\w.])[1-9]\d* (?:tests? |specs? |checks? )?(?:failed|failures?|failing|errors?|broken)\b"
    r"|\b(?:fail(?:ed|ures?)?|errors?)[:=] ?[1-9]|^\W{0,4}FAIL(?:ED|URE)?\b|\b(?:BUILD|test result:|Tests) FAILED\b"
    r"|^make(?:\[\d+\])?: \*\*\*|^npm (?:ERR!|error) code",
    re.MULTILINE | re.IGNORECASE,
)
_QUIET: Final = frozenset(
    [
        "cd",
        "pushd",
        "popd",
        "export",
        "set",
        "source",
        ".",
        "unset",
        "alias",
        "echo",
        "printf",
        "true",
        ":",
        "mkdir",
        "pwd",
        "sleep",
        "date",
        "activate",
        "which",
        "clear",
    ]
)
"""Commands that do not fail where a shell is used as it is meant."""

_PASSES_ON: Final = frozenset(("tail", "tee", "cat", "sort", "less"))
_SHELLS: Final = frozenset(("bash", "sh", "zsh", "dash"))
_SHELL_COMMAND: Final = re.compile(r"-[a-z]*c")
_PIPEFAIL: Final = re.compile(
    r"\bset\s+(?:-\w+\s+)*-\w*o\s+pipefail\b|\bbash\s+(?:-\w+\s+)*-\w*o\s+pipefail\b"
)


def has_not_run(printed: str) -> bool:
    """Tells whether a command was refused before it ran. Args: printed: what its agent answers for it."""
    return bool(_NOT_RUN.search(printed[:REFUSAL_CHARS]))


def check_result(command: str, printed: str, *, has_failed: bool) -> CheckResult | None:
    """Result of the check that a command runs; None: it runs none, or did not run.

    Args:
        printed: output of the command, or what its agent said instead.
        has_failed: by its exit code.
    """
    lists = _lists(command)
    if lists is None or has_not_run(printed):
        return None
    has_pipefail = bool(_PIPEFAIL.search(command))
    last = lists[-1]
    if not _is_decided(last, has_pipefail):
        return "unclear" if any(map(_mentions_check, lists)) else None
    ends = f"{printed[:READ_CHARS]}\n{printed[-READ_CHARS:]}"
    if _NOT_ENDED.search(ends) or (has_failed and _NOTHING_CHECKED.search(ends)):
        return "unclear"
    if not has_failed:
        return "unclear" if _TELLS_FAILURE.search(ends) else "worked"
    return "failed" if all(_blames_check(one, has_pipefail) for one in last.pipelines) else "unclear"


def _lists(command: str) -> list[ShellList] | None:
    """Lists of a command, of `bash -c COMMAND` those of the inner one; None: there are none that can be read."""
    try:
        lists = shell_lists(command)
    except ValueError:
        return None
    words = lists[0].command if len(lists) == 1 and len(lists[0].pipelines) == 1 else []
    is_wrapped = len(words) == 3 and basename(words[0]) in _SHELLS and _SHELL_COMMAND.fullmatch(words[1])
    return (_lists(words[2]) if is_wrapped else lists) or None


def _is_decided(one: ShellList, has_pipefail: bool) -> bool:
    """Tells whether success of a list is success of a check in it."""
    if one.has_or or one.in_background:
        return False
    return any(_checks(pipeline, has_pipefail) for pipeline in one.pipelines)


def _checks(pipeline: Pipeline, has_pipefail: bool) -> bool:
    """Tells whether the exit code of a pipeline is that of a check."""
    first, *rest = pipeline.commands
    is_passed_on = has_pipefail and all(_name(words) in _PASSES_ON for words in rest)
    return is_check(pipeline.commands[-1]) or (is_passed_on and is_check(first))


def _blames_check(pipeline: Pipeline, has_pipefail: bool) -> bool:
    """Tells whether a pipeline, where it has failed, has failed by a check, or is none that fails."""
    return _checks(pipeline, has_pipefail) or _name(pipeline.commands[-1]) in _QUIET


def _mentions_check(one: ShellList) -> bool:
    return any(is_check(words) for pipeline in one.pipelines for words in pipeline.commands)


def _name(words: Sequence[str]) -> str:
    started = started_command(words)
    return basename(started[0]) if started else ":"
