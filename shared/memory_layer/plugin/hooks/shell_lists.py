"""Commands of a shell in their parts: lists, pipelines and words, as far as the meaning of an exit code needs them.

Source: POSIX.1-2024, Shell Command Language, 2.3 token recognition, 2.9 shell commands.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final

_HERE_DOCUMENT: Final = re.compile(
    r"<<-?[ \t]*(['\"]?)(\w+)\1([^\n]*)\n(?:.*?\n)??[ \t]*\2[ \t]*(?=\n|$)", re.DOTALL
)
_TOKEN: Final = re.compile(
    r"(?P<blank>[ \t\r]+|\\\n)"
    r"|(?P<comment>(?<![^\s;&|()])#[^\n]*)"
    r"|(?P<redirect>(?:(?<![^\s;&|()])\d+)?(?:<<<|>>|>\||[<>]&|<>|[<>](?!\())|&>>?)"
    r"|(?P<operator>&&|\|\||\|&|[;&|\n()])"
    r"|(?P<text>'[^']*'|\"(?:\\.|[^\"\\])*\"|\\.|[$<>]\((?:[^()]|\([^()]*\))*\)|`[^`]*`|[^\s'\"\\;&|()<>`])",
    re.DOTALL,
)
_QUOTED: Final = re.compile(r"'([^']*)'|\"((?:\\.|[^\"\\])*)\"|\\(.)", re.DOTALL)


@dataclass(slots=True)
class Pipeline:
    """Commands that pipes join, each as its words, without redirections and quotation marks."""

    commands: list[list[str]] = field(default_factory=lambda: [[]])


@dataclass(slots=True)
class ShellList:
    """Pipelines that `&&` and `||` join.

    Args:
        has_or: a part of it runs only where another fails.
        in_background: nobody waits for its exit code.
    """

    pipelines: list[Pipeline] = field(default_factory=lambda: [Pipeline()])
    has_or: bool = False
    in_background: bool = False

    @property
    def command(self) -> list[str]:
        """Command to which words are added."""
        return self.pipelines[-1].commands[-1]


def shell_lists(command: str) -> list[ShellList]:
    """Lists that a command runs one after another; parentheses only group.

    Raises:
        ValueError: it cannot be read, since a quotation is not closed.
    """
    lists = [ShellList()]
    for token, is_operator in _tokens(_HERE_DOCUMENT.sub(r"\3", command)):
        here = lists[-1]
        if not is_operator:
            here.command.append(token)
        elif token in ("&&", "||"):
            here.has_or |= token == "||"
            here.pipelines.append(Pipeline())
        elif token in ("|", "|&"):
            here.pipelines[-1].commands.append([])
        elif token in (";", "&", "\n") and here.command:
            here.in_background = token == "&"
            lists.append(ShellList())
    return [one for one in lists if one.command]


def _tokens(command: str) -> Iterator[tuple[str, bool]]:
    """Words and operators, each with its being an operator; a redirection and its target are left out."""
    word, is_target, end = "", False, 0
    for found in _TOKEN.finditer(command):
        if found.start() != end:
            break
        end = found.end()
        if found.lastgroup == "text":
            word += found[0]
            continue
        if word and not is_target:
            yield _unquoted(word), False
        is_target = found.lastgroup == "redirect" or (is_target and not word and found.lastgroup == "blank")
        word = ""
        if found.lastgroup == "operator":
            yield found[0], True
    if end != len(command):
        raise ValueError(f"the command cannot be read from {command[end : end + 20]!r} on")
    if word and not is_target:
        yield _unquoted(word), False


def _unquoted(word: str) -> str:
    return _QUOTED.sub(lambda found: found[1] or found[2] or found[3] or "", word)
