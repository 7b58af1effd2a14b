"""Commands that check work (tests, builds, types, lint), told by their first words after what only starts them."""

import re
from collections.abc import Mapping, Sequence
from os.path import basename
from typing import Final

_SCRIPT: Final = re.compile(
    r"(?:[\w.-]*:)*(?:all|tests?|specs?|e2e|build|lint|check|checks|ci|verify|validate|compile|assemble|tsc|mypy|types?-?check"
    r"|typecheck|unit|integration)(?:[:._-][\w:.-]*|[A-Z]\w*)?",
)
"""Names that targets, tasks and scripts of a project have where they check it."""

_TOOLS: Final = frozenset(
    [
        "pytest",
        "py.test",
        "unittest",
        "tox",
        "nox",
        "jest",
        "vitest",
        "mocha",
        "ava",
        "rspec",
        "phpunit",
        "pest",
        "ctest",
        "tsc",
        "vue-tsc",
        "mypy",
        "pyright",
        "basedpyright",
        "pyrefly",
        "flake8",
        "pylint",
        "eslint",
        "stylelint",
        "shellcheck",
        "staticcheck",
        "rubocop",
        "phpstan",
        "ktlint",
        "swiftlint",
        "hadolint",
        "gotestsum",
        "cargo-nextest",
    ]
)
_SUBCOMMANDS: Final[Mapping[str, str]] = {
    "ruff": "check",
    "ty": "check",
    "biome": "check|lint|ci",
    "go": "test|build|vet",
    "cargo": "test|build|check|clippy|nextest",
    "dotnet": "test|build",
    "swift": "test|build",
    "mix": "test|compile|check|credo|dialyzer",
    "deno": "test|check|lint",
    "zig": "test|build",
    "golangci-lint": "run",
    "pre-commit": "run",
    "playwright": "test",
    "cypress": "run",
    "ng": "test|build|lint",
    "next": "build|lint",
    "vite": "build",
    "hatch": "test|check",
    "meson": "test|compile",
    "bazel": "test|build",
    "rails": "test",
    "trunk": "check|build",
}
"""Subcommands that check, of programs that do other things as well."""

_PACKAGE_MANAGERS: Final = frozenset(["npm", "pnpm", "yarn", "bun"])
_RUN: Final = ("run", "run-script", "exec", "dlx", "x")
_TARGET_RUNNERS: Final = frozenset(
    ["make", "gmake", "just", "task", "mvn", "mvnw", "gradle", "gradlew", "rake", "composer"]
)
_STARTERS: Final[Mapping[str, tuple[str, ...]]] = {
    **dict.fromkeys(
        [
            "time",
            "nice",
            "env",
            "sudo",
            "command",
            "exec",
            "xvfb-run",
            "npx",
            "bunx",
            "uvx",
            "nohup",
            "stdbuf",
            "timeout",
            "dotenv",
        ],
        ("",),
    ),
    **dict.fromkeys(
        ["uv", "poetry", "pipenv", "pdm", "rye", "pixi", "hatch", "conda", "coverage", "pipx"], ("run",)
    ),
    **dict.fromkeys(("bundle", "mise", "direnv"), ("exec",)),
}
"""Programs that start another one, with the subcommands that do."""

_OPTIONS_WITH_VALUE: Final[Mapping[str, str]] = {
    "uv": "--with --extra --group --project --directory --python -p --env-file --package",
    "conda": "-n --name -p --prefix",
    "nice": "-n",
    "env": "-u -C",
    "sudo": "-u -g",
    "npx": "-p --package",
    "uvx": "--from --with -p --python",
    "timeout": "-s -k --signal --kill-after",
    "npm": "--prefix -w --workspace -C",
    "pnpm": "--filter -F -C --dir",
    "yarn": "--cwd",
    "bun": "--cwd --filter",
    "go": "-C",
    "cargo": "-C --manifest-path",
    "make": "-C -f -I --directory --file",
    "gmake": "-C -f",
    "just": "-f -d --justfile --working-directory",
}
_ONLY_TELLS: Final = frozenset(
    [
        "--version",
        "-V",
        "--help",
        "--collect-only",
        "--co",
        "--fixtures",
        "--markers",
        "--listTests",
        "--list",
        "--list-tests",
        "--dry-run",
        "--just-print",
        "--showConfig",
        "--show-config",
        "--init",
        "--print-config",
        "--watch",
        "--watchAll",
        "--show-settings",
        "--show-files",
    ]
)
_MAKE_TELLS: Final = frozenset(("-n", "-h", "-q", "-p"))
_ASSIGNMENT: Final = re.compile(r"[A-Za-z_]\w*\+?=.*", re.DOTALL)
_PYTHON: Final = re.compile(r"(?:python[\d.]*|py|pypy3?)(?:\.exe)?")
_DURATION: Final = re.compile(r"[\d.]+[smhd]?")
_NESTING_MAX: Final = 8


def is_check(words: Sequence[str]) -> bool:
    """Tells whether a command runs a check. Args: words: of one command, without quotation marks."""
    started = started_command(words)
    if not started or not _ONLY_TELLS.isdisjoint(started):
        return False
    name, rest = basename(started[0]), started[1:]
    if name == "ruff" and "--check" in rest:
        return True
    if name in _SUBCOMMANDS:
        given = _without_options(name, [word for word in rest if not word.startswith("+")])
        return given[:1] != [] and given[0] in _SUBCOMMANDS[name].split("|")
    if name in _PACKAGE_MANAGERS:
        return _runs_script(name, rest)
    if name in _TARGET_RUNNERS:
        return _runs_target(name, rest)
    return (
        (name in _TOOLS and "-h" not in rest)
        or (name == "cmake" and "--build" in rest)
        or (name == "manage.py" and rest[:1] in (["test"], ["check"]))
    )


def started_command(words: Sequence[str]) -> list[str]:
    """Command that is started in the end: without assignments, `uv run`, `python -m`, `npx` and their like."""
    left = list(words)
    for _ in range(_NESTING_MAX):
        while left and _ASSIGNMENT.fullmatch(left[0]):
            left = left[1:]
        inner = _inner(left)
        if inner is None:
            return left
        left = inner
    return []


def _inner(words: Sequence[str]) -> list[str] | None:
    """Command that another one starts; None: it starts none."""
    name = basename(words[0]) if words else ""
    if name == "command" and words[1:2] in (["-v"], ["-V"]):
        return None
    if _PYTHON.fullmatch(name):
        return _of_python(words[1:])
    if name not in _STARTERS:
        return None
    given = _without_options(name, words[1:])
    subcommands = _STARTERS[name]
    if subcommands != ("",):
        if not given or given[0] not in subcommands:
            return None
        given = _without_options(name, given[1:])
    if name == "timeout":
        given = given[1:] if given and _DURATION.fullmatch(given[0]) else given
    return given


def _of_python(words: Sequence[str]) -> list[str]:
    """Module that Python runs; of scripts only Django's `manage.py` is known."""
    options = iter(words)
    for word in options:
        if word == "-m":
            return list(options)
        if word in ("-W", "-X"):
            next(options, None)
        elif not word.startswith("-"):
            return ["manage.py", *options] if basename(word) == "manage.py" else []
    return []


def _without_options(name: str, words: Sequence[str]) -> list[str]:
    """Words from the first one on that is no option, nor the value of one."""
    valued = _OPTIONS_WITH_VALUE.get(name, "").split()
    place = 0
    while place < len(words) and words[place].startswith("-"):
        place += 2 if words[place] in valued else 1
    return list(words[place:])


def _runs_target(name: str, words: Sequence[str]) -> bool:
    """Tells whether one of the targets that are asked for checks the project."""
    if name.endswith("make") and not _MAKE_TELLS.isdisjoint(words):
        return False
    wanted = _without_options(name, words)
    targets = [word for word in wanted if not word.startswith("-") and not _ASSIGNMENT.fullmatch(word)]
    is_built = name.startswith("mvn") and not {"package", "install", "deploy"}.isdisjoint(targets)
    return is_built or any(_SCRIPT.fullmatch(word) for word in targets)


def _runs_script(name: str, words: Sequence[str]) -> bool:
    """Tells whether a script of a package checks it, or a tool that the package manager starts."""
    given = _without_options(name, words)
    if given[:1] == ["workspace"]:
        given = given[2:]
    is_run = given[:1] != [] and given[0] in _RUN
    given = _without_options(name, given[1:]) if is_run else given
    if not given or given[0] in _PACKAGE_MANAGERS:
        return False
    if name == "npm" and not is_run:
        return given[0] in ("t", "tst", "test")
    return (bool(_SCRIPT.fullmatch(given[0])) and (is_run or given[0] != "ci")) or is_check(given)
