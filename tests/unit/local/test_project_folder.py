"""Project of a folder, read off real repositories that git makes, and off files that it would not make."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from memory_layer.domain.project_identity import project_of_place
from memory_layer.errors import Invalid
from memory_layer.local import project_folder as module
from memory_layer.local.git_config import parse_git_config, rewritten
from memory_layer.local.project_folder import folder_of_project, project_folder

SHOP = "git@github.com:acme/shop.git"
PLACE = "github.com/acme/shop"
Git = Callable[..., None]


@pytest.fixture
def git(tmp_path: Path) -> Git:
    """Runs git in a folder, with a home of the test's own."""
    environ = {
        **os.environ,
        "HOME": str(tmp_path / "home"),
        "GIT_CONFIG_NOSYSTEM": "1",
        **{
            f"GIT_{who}_{what}": "ann@acme.test"
            for who in ("AUTHOR", "COMMITTER")
            for what in ("NAME", "EMAIL")
        },
    }
    (tmp_path / "home").mkdir()

    def run(folder: Path, *arguments: str) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        command = ["git", "-c", "protocol.file.allow=always", "-C", str(folder), *arguments]
        subprocess.run(command, check=True, capture_output=True, env=environ)

    return run


@pytest.fixture
def shop(tmp_path: Path, git: Git) -> Path:
    """A repository with a commit and a remote."""
    folder = tmp_path / "work" / "shop"
    git(folder, "init", "-q")
    git(folder, "commit", "-q", "--allow-empty", "-m", "first")
    git(folder, "remote", "add", "origin", SHOP)
    return folder


def place_of(folder: Path) -> str:
    return project_folder(folder, folder.parents[-2] / "nobody").place


def test_a_repository_a_folder_in_it_and_a_worktree_are_one_project(
    shop: Path, git: Git, tmp_path: Path
) -> None:
    (shop / "src" / "api").mkdir(parents=True)
    git(shop, "worktree", "add", "-q", "-b", "fix", str(tmp_path / "fix"))
    assert {place_of(shop), place_of(shop / "src" / "api"), place_of(tmp_path / "fix")} == {PLACE}


def test_a_renamed_folder_and_another_clone_are_the_same_project(
    shop: Path, git: Git, tmp_path: Path
) -> None:
    moved = shop.rename(tmp_path / "moved")
    other = tmp_path / "elsewhere" / "store"
    git(other, "init", "-q")
    git(other, "remote", "add", "origin", "https://ann@GitHub.com/Acme/shop/")
    assert place_of(moved) == place_of(other) == PLACE


def test_a_clone_on_this_machine_is_the_project_of_what_it_was_cloned_from(
    shop: Path, git: Git, tmp_path: Path
) -> None:
    for url in (str(shop), f"file://{shop}", "../work/shop"):
        clone = tmp_path / f"clone{len(url)}"
        git(clone, "init", "-q")
        git(clone, "remote", "add", "origin", url)
        assert place_of(clone) == PLACE


def test_clones_of_a_bare_repository_meet(git: Git, tmp_path: Path) -> None:
    bare, places = tmp_path / "srv" / "shop.git", set()
    git(bare, "init", "-q", "--bare")
    for name, url in (("a", str(bare)), ("b", str(bare.with_suffix(""))), ("c", "../srv/shop.git/")):
        git(tmp_path / name, "init", "-q")
        git(tmp_path / name, "remote", "add", "origin", url)
        places.add(place_of(tmp_path / name))
    assert places == {place_of(bare)} == {str(bare.with_suffix(""))}


def test_clones_that_name_each_other_end(git: Git, tmp_path: Path) -> None:
    for name, other in (("a", "b"), ("b", "a")):
        git(tmp_path / name, "init", "-q")
        git(tmp_path / name, "remote", "add", "origin", f"../{other}")
    assert place_of(tmp_path / "a")


def test_a_submodule_is_a_project_of_its_own(shop: Path, git: Git, tmp_path: Path) -> None:
    library = tmp_path / "library"
    git(library, "init", "-q")
    git(library, "commit", "-q", "--allow-empty", "-m", "first")
    git(library, "remote", "add", "origin", "https://github.com/acme/library")
    git(shop, "submodule", "add", "-q", str(library), "library")
    assert place_of(shop / "library") == "github.com/acme/library"


def test_a_worktree_without_a_remote_is_the_project_of_the_repository(git: Git, tmp_path: Path) -> None:
    git(tmp_path / "shop", "init", "-q")
    git(tmp_path / "shop", "commit", "-q", "--allow-empty", "-m", "first")
    git(tmp_path / "shop", "worktree", "add", "-q", "-b", "fix", str(tmp_path / "fix"))
    assert place_of(tmp_path / "fix") == place_of(tmp_path / "shop") == str(tmp_path / "shop")


def test_unrelated_folders_of_one_name_do_not_meet(tmp_path: Path) -> None:
    for name in ("a", "b"):
        (tmp_path / name / "shop").mkdir(parents=True)
    first, second = (project_folder(tmp_path / name / "shop", None) for name in ("a", "b"))
    assert first.project != second.project
    assert first.older_name == second.older_name == "shop"


def test_a_link_to_a_folder_is_that_folder(tmp_path: Path) -> None:
    (tmp_path / "shop").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "shop")
    assert place_of(tmp_path / "link") == place_of(tmp_path / "shop")


def test_a_fork_is_its_own_project_or_by_choice_its_upstreams(shop: Path, git: Git) -> None:
    git(shop, "remote", "set-url", "origin", "git@github.com:ann/shop.git")
    git(shop, "remote", "add", "upstream", SHOP)
    assert place_of(shop) == "github.com/ann/shop"
    git(shop, "config", "memory-layer.remote", "upstream")
    assert place_of(shop) == PLACE


def test_a_setting_names_the_project_and_the_repositorys_counts_before_the_users(
    shop: Path, git: Git, tmp_path: Path
) -> None:
    home = tmp_path / "home"
    git(shop, "config", "--global", "memory-layer.project", "mine")
    assert project_folder(shop, home).project == "mine"
    git(shop, "config", "memory-layer.project", "shop")
    assert project_folder(shop, home).project == "shop"
    git(shop, "config", "memory-layer.project", "no name")
    with pytest.raises(Invalid, match=r"git config memory-layer\.project"):
        folder_of_project(shop, {"HOME": str(home)})


def test_a_file_in_the_tree_names_no_project(shop: Path) -> None:
    """Falls where a setting is read off what a clone brings along."""
    for name in (".gitconfig", ".memory-layer", "memory-layer.toml", ".git-config"):
        (shop / name).write_text("[memory-layer]\n\tproject = theirs\n", "utf-8")
    assert project_folder(shop, None).project == project_of_place(PLACE)


def put_bare(folder: Path, config: str) -> Path:
    """Files as a clone may bring them along, which git takes for a bare repository."""
    for name in ("objects", "refs"):
        (folder / name).mkdir(parents=True)
        (folder / name / ".keep").touch()
    (folder / "HEAD").write_text("ref: refs/heads/main\n", "utf-8")
    (folder / "config").write_text(config, "utf-8")
    return folder


@pytest.mark.parametrize(
    "config", ["[memory-layer]\n\tproject = theirs\n", '[remote "origin"]\n\turl = h:their/x\n', "[broken"]
)
def test_a_bare_repository_among_files_names_no_project(shop: Path, config: str) -> None:
    """Falls where a folder that a clone brings along chooses whose memories are read in it."""
    docs = put_bare(shop / "docs", config)
    assert {project_folder(at, None).project for at in (docs, docs / "refs")} == {project_of_place(PLACE)}


def test_a_bare_repository_chooses_no_project_and_includes_no_file(shop: Path, tmp_path: Path) -> None:
    """Falls where the settings of unpacked files count, also of a repository that a clone was made of."""
    (tmp_path / "more").write_text("[memory-layer]\n\tproject = theirs\n", "utf-8")
    config = (
        "[memory-layer]\n\tproject = theirs\n\tremote = z\n[include]\n\tpath = ../more\n"
        f'[remote "origin"]\n\turl = {SHOP}\n[remote "z"]\n\turl = h:their/x\n'
        f'[includeIf "gitdir:/**"]\n\tpath = {tmp_path}/more\n'
    )
    bare = put_bare(tmp_path / "unpacked", config)
    (bare / "config.worktree").write_text(config, "utf-8")
    found = project_folder(bare, None)
    assert (found.place, found.name) == (PLACE, None)
    with (shop / ".git" / "config").open("a") as own:
        own.write(f'[remote "origin"]\n\turl = {bare}\n')
    assert place_of(shop) == PLACE


def test_a_bare_repository_in_a_home_that_is_a_repository_has_its_own_place(git: Git, tmp_path: Path) -> None:
    home = tmp_path / "home"
    git(home, "init", "-q")
    git(home / "srv" / "shop.git", "init", "-q", "--bare")
    assert project_folder(home / "srv" / "shop.git", home).place == str(home / "srv" / "shop")


def test_includes_and_rewritten_addresses_count(shop: Path, git: Git, tmp_path: Path) -> None:
    home = tmp_path / "home"
    git(shop, "remote", "set-url", "origin", "gh:acme/shop")
    (home / ".gitconfig").write_text(
        f'[include]\n\tpath = more\n[includeIf "gitdir:{shop}/"]\n\tpath = here\n'
        '[includeIf "gitdir:/none/"]\n\tpath = no\n',
        "utf-8",
    )
    (home / "more").write_text('[url "git@github.com:"]\n\tinsteadOf = gh:\n', "utf-8")
    (home / "here").write_text("[memory-layer]\n\tremote = origin\n", "utf-8")
    (home / "no").write_text("[memory-layer]\n\tproject = wrong\n", "utf-8")
    found = project_folder(shop, home)
    assert (found.place, found.name) == (PLACE, None)


def test_a_file_that_includes_itself_ends(shop: Path) -> None:
    with (shop / ".git" / "config").open("a") as config:
        config.write("[include]\n\tpath = config\n")
    assert place_of(shop) == PLACE


def test_a_home_that_is_a_repository_takes_in_no_other_folder(git: Git, tmp_path: Path) -> None:
    home = tmp_path / "home"
    git(home, "init", "-q")
    git(home, "remote", "add", "origin", "https://github.com/ann/dotfiles")
    (home / "notes").mkdir()
    assert project_folder(home / "notes", home).place == str(home / "notes")
    assert project_folder(home, home).place == "github.com/ann/dotfiles"


@pytest.mark.parametrize(
    "broken",
    [
        "[remote",
        '[remote "origin]\nurl=x',
        "url = x",
        "[remote]\n= x",
        '[a]\nb = "open',
        "[a]\nb = \\q",
        "[a]\n!",
    ],
)
def test_a_broken_configuration_is_told_in_one_sentence(shop: Path, broken: str) -> None:
    (shop / ".git" / "config").write_text(broken, "utf-8")
    with pytest.raises(Invalid, match=r"line \d of .*config is no configuration of git: .*-p"):
        project_folder(shop, None)


def test_a_configuration_that_cannot_be_read_is_told(shop: Path) -> None:
    config = shop / ".git" / "config"
    config.unlink()
    config.mkdir()
    with pytest.raises(Invalid, match=r"cannot be read: .*-p"):
        project_folder(shop, None)


@pytest.mark.parametrize("pointer", ["", "gitdir:", "gitdir: \0", "nonsense", "gitdir: nowhere"])
def test_a_broken_pointer_is_no_repository_or_a_folder_without_a_remote(tmp_path: Path, pointer: str) -> None:
    (tmp_path / ".git").write_text(pointer, "utf-8")
    assert place_of(tmp_path) == str(tmp_path)


def test_git_is_not_run(shop: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(subprocess, "Popen", None)
    assert place_of(shop) == PLACE
    assert not hasattr(module, "subprocess")


def test_the_syntax_of_a_configuration_is_gits() -> None:
    text = (
        "\ufeff"[1:]
        + '# all\n[Core]\n\tbare\n\tEditor = vi ; note\n[a.B] c = 1\n[remote "X y\\"z"]\n\turl = "a b" c  \n'
        "\tpushurl = one \\\n  two\n\tempty =\n"
    )
    assert list(parse_git_config(text, "config")) == [
        ("core.bare", "true"),
        ("core.editor", "vi"),
        ("a.b.c", "1"),
        ('remote.X y"z.url', "a b c"),
        ('remote.X y"z.pushurl', "one   two"),
        ('remote.X y"z.empty', ""),
    ]


def test_the_longest_beginning_rewrites() -> None:
    settings = {"url.https://a/.insteadof": ["x:"], "url.https://b/.insteadof": ["x:y/"]}
    assert rewritten("x:y/z", settings) == "https://b/z"
    assert rewritten("z", settings) == "z"
