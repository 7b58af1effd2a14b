"""Project of a folder: read off the files of its git repository, without running git (ADR-0034)."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import takewhile
from pathlib import Path
from typing import Final

from memory_layer.domain.project_identity import (
    chosen_remote,
    folder_place,
    local_path,
    project_of_place,
    remote_place,
    slug,
)
from memory_layer.errors import Invalid
from memory_layer.local.git_config import GitSettings, read_git_config, rewritten

SECTION: Final = "memory-layer"
"""Section of git's configuration with `project` and `remote`: `git config memory-layer.project shop`.

A file that a clone brings along names no project: whoever wrote it would choose whose memories an agent reads there.
"""

FOLLOWED_MAX: Final = 4
"""Clones of clones that are followed to the remote of the first."""

POINTER_MAX_CHARS: Final = 4_096


@dataclass(frozen=True, slots=True)
class GitFolder:
    """Repository on this machine.

    Args:
        root: of its files; of a bare one itself, of a worktree that of the repository.
        files: root of the files that lie here.
        own: folder of this worktree or submodule.
        common: folder of its configuration, which all its worktrees share.
    """

    root: Path
    files: Path
    own: Path
    common: Path

    @property
    def is_bare(self) -> bool:
        """Tells a folder that looks like a bare repository: it may be one that a clone brought along as mere files."""
        return self.own == self.files


@dataclass(frozen=True, slots=True)
class ProjectFolder:
    """Project of a folder.

    Args:
        root: of the repository, else the folder itself.
        files: root of the files that lie here; of a worktree its own.
        name: None where `place` names it.
    """

    root: Path
    files: Path
    place: str
    name: str | None = None

    @property
    def project(self) -> str:
        return self.name or project_of_place(self.place)

    @property
    def older_name(self) -> str:
        """Project that this folder had before remotes named projects: a slug of the folder's own name."""
        return slug(self.root.name)

    @property
    def earlier_names(self) -> tuple[str, ...]:
        """Projects that this folder had before: where it is named by hand that of its place, and the folder's name."""
        names = dict.fromkeys((project_of_place(self.place), self.older_name))
        return tuple(name for name in names if name != self.project)


def project_folder(folder: Path, home: Path | None) -> ProjectFolder:
    """Project of a folder: the one that git's configuration sets, else its remote's, else the folder's own.

    A folder inside of a repository, a worktree, a clone or a renamed folder has the repository's; a submodule its own.
    A repository whose files are the home folder counts for that folder alone.

    Raises:
        Invalid: git's configuration cannot be read.
    """
    here = folder.resolve()
    repository = find_git_folder(here, home)
    if repository is None:
        settings = _settings(None, home)
        return ProjectFolder(here, here, folder_place(str(here)), _said(settings, "project"))
    settings = _settings(repository, home)
    place = _place(repository, settings, home)
    return ProjectFolder(repository.root, repository.files, place, _said(settings, "project"))


def find_git_folder(here: Path, home: Path | None) -> GitFolder | None:
    """Repository around a folder; None: there is none, or its files are the home folder and not this one.

    A bare repository among the files of another one counts for nothing: a clone brings such folders along. Source:
    git-config(1), safe.bareRepository.
    """
    around = [found for folder in (here, *here.parents) if (found := _git_folder_at(folder)) is not None]
    if home is not None:
        around = list(takewhile(lambda found: found.root != home.resolve() or found.root == here, around))
    with_files = [found for found in around if not found.is_bare]
    return next(iter(with_files or around), None)


def _git_folder_at(folder: Path) -> GitFolder | None:
    pointer = folder / ".git"
    if pointer.is_file():
        own = _pointed_to(pointer, "gitdir: ")
        return None if own is None else GitFolder(_main_root(folder, own), folder, own, _common(own))
    if (pointer / "HEAD").exists():
        return GitFolder(folder, folder, pointer, _common(pointer))
    is_bare = all((folder / name).exists() for name in ("HEAD", "objects", "refs", "config"))
    return GitFolder(folder, folder, folder, folder) if is_bare else None


def _main_root(folder: Path, own: Path) -> Path:
    """Root of the files that a worktree is one more view of, so that without a remote it is the same project."""
    common = _common(own)
    return common.parent if common != own and common.name == ".git" else folder


def _pointed_to(file: Path, prefix: str) -> Path | None:
    """Folder that a file names, from its own on; None: it names none."""
    try:
        with file.open(encoding="utf-8", errors="surrogateescape") as opened:
            said = opened.read(POINTER_MAX_CHARS).strip()
    except OSError:
        return None
    if not said.startswith(prefix) or "\0" in said:
        return None
    return (file.parent / said.removeprefix(prefix)).resolve()


def _common(own: Path) -> Path:
    return _pointed_to(own / "commondir", "") or own


def _settings(repository: GitFolder | None, home: Path | None) -> GitSettings:
    """Settings of the user, and over them those of the repository and of its worktree."""
    own = None if repository is None else repository.own
    files = [] if home is None else [home / ".config" / "git" / "config", home / ".gitconfig"]
    read = [read_git_config(file, home, own) for file in files]
    if repository is not None:
        read.append(_own_settings(repository, home))
    return _over_each_other(read)


def _own_settings(repository: GitFolder, home: Path | None) -> GitSettings:
    """Settings of a repository and of its worktree.

    Those of a bare one, which a clone or an archive may have brought along, choose no project and include no file.
    """
    files = [repository.common / "config", repository.own / "config.worktree"]
    if not repository.is_bare:
        return _over_each_other([read_git_config(file, home, repository.own) for file in files])
    settings = _over_each_other([read_git_config(file, home, None, has_includes=False) for file in files])
    return {key: values for key, values in settings.items() if not key.startswith(f"{SECTION}.")}


def _over_each_other(read: Iterable[GitSettings]) -> GitSettings:
    settings: GitSettings = {}
    for one in read:
        for key, values in one.items():
            settings.setdefault(key, []).extend(values)
    return settings


def _said(settings: Mapping[str, list[str]], key: str) -> str | None:
    return settings.get(f"{SECTION}.{key}", [None])[-1] or None


def _place(repository: GitFolder, settings: GitSettings, home: Path | None, depth: int = 0) -> str:
    url = _remote_url(settings)
    if url is None:
        return folder_place(str(repository.root))
    path = local_path(url)
    if path is None:
        return remote_place(url) or folder_place(str(repository.root))
    return _place_of_clone(repository.root, path, home, depth)


def _remote_url(settings: GitSettings) -> str | None:
    """Address of the remote that names the project; None: there is none."""
    ending = ".url"
    remotes = {
        key[len("remote.") : -len(ending)]: rewritten(values[0], settings)
        for key, values in settings.items()
        if key.startswith("remote.") and key.endswith(ending) and values[0]
    }
    name = chosen_remote(remotes, _said(settings, "remote"))
    return None if name is None else remotes[name]


def _place_of_clone(root: Path, path: str, home: Path | None, depth: int) -> str:
    """Place of a clone of a folder: the place that the folder has, as far as it is a repository on this machine."""
    if path.startswith(("//", "\\\\")) or path[1:3] in (":/", ":\\"):
        return folder_place(path)
    target = (root / path).resolve()
    origin = _git_folder_at(target) or _git_folder_at(target.with_name(f"{target.name}.git"))
    if origin is None or depth >= FOLLOWED_MAX:
        return folder_place(str(target))
    return _place(origin, _own_settings(origin, home), home, depth + 1)


def home_of(environ: Mapping[str, str]) -> Path | None:
    """Home folder of a caller."""
    home = environ.get("HOME") or environ.get("USERPROFILE")
    return Path(home) if home else None


def folder_of_project(folder: Path, environ: Mapping[str, str]) -> ProjectFolder:
    """Project of a caller's folder. Raises: Invalid: git's configuration cannot be read, or its project is no name."""
    from memory_layer.domain.text_rules import project_problem

    found = project_folder(folder, home_of(environ))
    problem = None if found.name is None else project_problem(found.name)
    if problem:
        raise Invalid.at(
            "/project",
            f"{found.name!r}, which git config {SECTION}.project says, names no project: {problem}",
        )
    return found
