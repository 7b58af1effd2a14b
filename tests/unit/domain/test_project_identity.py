"""Names of projects: ways of writing one remote meet, and different repositories and folders do not."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Final

import pytest

from memory_layer.domain.project_identity import (
    DIGEST_CHARS,
    NAME_MAX_CHARS,
    chosen_remote,
    folder_place,
    local_path,
    project_of_place,
    remote_place,
    slug,
)
from memory_layer.domain.text_rules import project_problem

CASES: Final = 10_000

SAME: Final = {
    "github.com/acme/shop": [
        "https://github.com/acme/shop",
        "https://github.com/Acme/Shop.git/",
        "http://ann:token@GitHub.com:80/acme/shop.git",
        "git@github.com:acme/shop.git",
        "github.com:acme/shop",
        "ssh://git@github.com/acme/shop.git",
        "ssh://git@ssh.github.com:443/acme/shop.git",
        "git+ssh://git@github.com:22//acme//shop.git//",
        "git://github.com/acme/shop",
        "  https://github.com/acme/%73hop.git?ref=main#readme\n",
        "git@github.com:/acme/./x/../shop.git.git",
    ],
    "git.acme.test/Team/Shop": [
        "https://git.acme.test/Team/Shop.git",
        "ssh://git@git.acme.test:7999/Team/Shop.git",
        "https://git.acme.test/scm/Team/Shop.git",
        "git@git.acme.test.:Team/Shop",
    ],
    "git.acme.test:8443/Team/Shop": ["https://git.acme.test:8443/Team/Shop.git"],
    "[::1]/shop": ["ssh://git@[::1]:22/shop.git", "git@[::1]:shop.git", "git@[::1]:~/shop.git"],
    "[::1]:2222/shop": ["ssh://git@[::1]:2222/shop.git"],
    "bb/x/y": ["git@bb:7999/x/y", "ssh://git@bb:7999/x/y.git", "https://bb/scm/x/y.git", "git@bb:x/y"],
    "g/a/p": ["https://g/a/p", "ssh://g:29418/p", "ssh://ann@g:29418/p.git"],
    "nas/~ann/notes": ["ann@nas:notes.git", "ann@nas:~/notes", "ssh://ann@nas/~/notes.git", "nas:~ann/notes"],
    "nas/notes": ["nas:notes.git", "ssh://nas/~/notes.git", "hg@nas:notes"],
    "nas/srv/notes": ["ann@nas:/srv/notes.git", "ssh://bob@nas/srv/notes.git"],
    "host/git?p=a": ["https://host/git?p=a.git", "https://ann@host:443/git?p=a.git#x"],
    "dev.azure.com/org/proj/shop": [
        "https://org@dev.azure.com/org/proj/_git/shop",
        "git@ssh.dev.azure.com:v3/org/proj/shop",
        "org@vs-ssh.visualstudio.com:v3/org/proj/shop",
        "https://org.visualstudio.com/DefaultCollection/proj/_git/shop",
        "https://org.visualstudio.com/proj/_git/shop",
    ],
    "dev.azure.com/org/shop/shop": ["https://dev.azure.com/org/_git/shop"],
    "git-codecommit.eu-west-1.amazonaws.com/v1/repos/shop": [
        "codecommit::eu-west-1://shop",
        "codecommit::eu-west-1://profile@shop",
        "https://git-codecommit.eu-west-1.amazonaws.com/v1/repos/shop",
        "ssh://APKA1@git-codecommit.eu-west-1.amazonaws.com/v1/repos/shop",
    ],
    "work/acme/shop": ["work:acme/shop.git"],
    "h/acme/shop": ["git@h:acme/shop.git"],
}


@pytest.mark.parametrize(("place", "url"), [(place, url) for place, urls in SAME.items() for url in urls])
def test_ways_of_writing_a_remote_have_its_place(place: str, url: str) -> None:
    assert remote_place(url) == place
    assert local_path(url) is None


@pytest.mark.parametrize(
    "urls",
    [
        ("ann@nas:notes.git", "bob@nas:notes.git"),
        ("ssh://ann@nas/~/notes.git", "ssh://bob@nas/~/notes.git", "ssh://git@nas/~/notes.git"),
        ("ssh://git@localhost:2222/r.git", "ssh://git@localhost:3333/r.git", "ssh://git@localhost/r.git"),
        ("ssh://git@10.0.0.5:2222/r", "ssh://git@10.0.0.5:3333/r", "git@10.0.0.5:r"),
        ("ssh://git@a.localhost:2222/r", "ssh://git@a.localhost:3333/r"),
        ("https://host/git?p=a.git", "https://host/git?p=b.git", "https://host/git"),
        ("https://host/?p=a.git", "https://host/?p=b.git"),
        ("https://dev.azure.com/org/v3/_git/x", "https://dev.azure.com/org/x/_git/x"),
        ("https://org.visualstudio.com/v3/_git/x", "https://org.visualstudio.com/_git/x"),
        ("git@ssh.dev.azure.com:v3/org/v3/x", "git@ssh.dev.azure.com:v3/org/x/x"),
        ("git@gitlab.acme.test:a/b/c", "git@gitlab.acme.test:b/c"),
        ("git@gitlab.acme.test:2024/b/c", "git@gitlab.acme.test:b/c"),
    ],
)
def test_different_repositories_have_places_of_their_own(urls: tuple[str, ...]) -> None:
    """Falls where two repositories share their memories."""
    places = {remote_place(url) for url in urls}
    assert None not in places
    assert len(places) == len(urls)


def test_a_name_repeats_nothing_of_a_query() -> None:
    """Falls where a token in an address is read in the project's name."""
    place = remote_place("https://git.acme.test/acme/shop?private_token=s3cret")
    assert place is not None
    assert project_of_place(place)[: -DIGEST_CHARS - 1] == "acme-shop"


@pytest.mark.parametrize(
    ("url", "path"),
    [
        ("/srv/git/shop.git", "/srv/git/shop.git"),
        ("../shop", "../shop"),
        ("file:///srv/git/my%20shop.git", "/srv/git/my shop.git"),
        ("file://localhost/srv/git/shop", "/srv/git/shop"),
        ("file://server/share/shop.git", "//server/share/shop.git"),
        (r"\\server\share\shop", r"\\server\share\shop"),
        (r"C:\git\shop", r"C:\git\shop"),
        ("C:/git/shop", "C:/git/shop"),
    ],
)
def test_a_remote_on_this_machine_is_a_path(url: str, path: str) -> None:
    assert remote_place(url) is None
    assert local_path(url) == path


@pytest.mark.parametrize(
    "url", ["", "  ", "https://", "https:///x", "git@github.com:", "ssh://git@:22/x", "a::b"]
)
def test_what_is_no_address_has_no_place(url: str) -> None:
    assert remote_place(url) is None


@pytest.mark.parametrize(
    ("path", "place"),
    [
        ("/srv/git/shop.git", "/srv/git/shop"),
        ("/srv/git/shop/.git", "/srv/git/shop"),
        ("/srv//git/Shop/", "/srv/git/Shop"),
        (r"C:\Git\Shop", "c:/git/shop"),
        ("c:/git/shop.git", "c:/git/shop"),
        (r"\\Server\Share\Shop", "//server/share/shop"),
        ("//server/share/shop.git", "//server/share/shop"),
        (r"/srv/odd\name", "/srv/odd/name"),
        ("/", "/"),
    ],
)
def test_a_folder_has_one_place(path: str, place: str) -> None:
    assert folder_place(path) == place


@pytest.mark.parametrize(
    ("names", "wished", "chosen"),
    [
        ([], None, None),
        (["upstream", "origin"], None, "origin"),
        (["upstream", "origin"], "upstream", "upstream"),
        (["fork", "acme"], None, "acme"),
        (["origin"], "gone", "origin"),
    ],
)
def test_the_remote_that_names_the_project(names: list[str], wished: str | None, chosen: str | None) -> None:
    assert chosen_remote(names, wished) == chosen


def test_a_name_is_readable_and_says_owner_and_repository() -> None:
    assert project_of_place("github.com/acme/shop")[: -DIGEST_CHARS - 1] == "acme-shop"
    assert project_of_place("/home/ann/shop")[: -DIGEST_CHARS - 1] == "shop"
    assert project_of_place("c:/git/shop")[: -DIGEST_CHARS - 1] == "shop"


def test_places_that_read_alike_have_names_of_their_own() -> None:
    places = [
        "h/a/b-c",
        "h/a-b/c",
        "h/a-b-c",
        "/a/b-c",
        "/x/b-c",
        "i/a/b-c",
        f"h/{'x' * 80}/a",
        f"h/{'x' * 80}/b",
    ]
    assert len({project_of_place(place) for place in places}) == len(places)


@pytest.mark.parametrize(
    ("folder", "project"),
    [
        ("shop", "shop"),
        ("My Shop!", "my-shop"),
        ("_private_", "private"),
        ("", "default"),
        ("x" * 99, "x" * 64),
    ],
)
def test_words_make_a_name(folder: str, project: str) -> None:
    assert slug(folder) == project


def test_ten_thousand_random_repositories_meet_in_every_form_and_in_no_other() -> None:
    """Falls where a form keeps its user, port, case of host or ending, and where a name lacks its digest."""
    chance = random.Random(20_26)
    seen: dict[str, str] = {}
    for _ in range(CASES):
        host, path = _host(chance), "/".join(_segment(chance) for _ in range(chance.randint(1, 4)))
        form, other = chance.sample(FORMS, 2)
        place = remote_place(form(chance, host, path))
        assert place is not None
        assert place == remote_place(other(chance, host, path)), (host, path)
        name = project_of_place(place)
        assert project_problem(name) is None
        assert len(name) <= NAME_MAX_CHARS
        assert seen.setdefault(name, place) == place


def test_ten_thousand_random_texts_are_read_without_an_error_and_named() -> None:
    chance = random.Random(7)
    for _ in range(CASES):
        text = "".join(chance.choice(ALPHABET) for _ in range(chance.randint(0, 24)))
        place = remote_place(text) or folder_place(f"/srv/{local_path(text) or ''}")
        assert project_problem(project_of_place(place)) is None


ALPHABET: Final = r"aZ0:/\@.[]%~?#- é" + "\t\udc80\n'\""

Form = Callable[[random.Random, str, str], str]


def _host(chance: random.Random) -> str:
    names = [
        "github.com",
        "gitlab.com",
        f"git{chance.randint(0, 999)}.acme.test",
        f"intra{chance.randint(0, 99)}",
    ]
    return chance.choice(names)


def _segment(chance: random.Random) -> str:
    return (
        "".join(chance.choice("abcdefgh-_.xyz019") for _ in range(chance.randint(1, 12))).strip(".-") or "q"
    )


def _cased(chance: random.Random, host: str) -> str:
    return "".join(chance.choice((letter.lower(), letter.upper())) for letter in host)


def _ending(chance: random.Random) -> str:
    return chance.choice(("", "/", ".git", ".git/"))


def _user(chance: random.Random) -> str:
    return chance.choice(("", "git@", "ann@", "ann:s3cret@"))


def _https(chance: random.Random, host: str, path: str) -> str:
    port = chance.choice(("", ":443"))
    return f"https://{_user(chance)}{_cased(chance, host)}{port}/{path}{_ending(chance)}"


def _ssh(chance: random.Random, host: str, path: str) -> str:
    scheme, port = chance.choice(("ssh", "git+ssh")), chance.choice(("", ":22", ":2222"))
    return f"{scheme}://{_user(chance)}{_cased(chance, host)}{port}/{path}{_ending(chance)}"


def _scp(chance: random.Random, host: str, path: str) -> str:
    return f"{chance.choice(('', 'git@'))}{_cased(chance, host)}:{path}{_ending(chance)}"


def _git(chance: random.Random, host: str, path: str) -> str:
    return f"git://{_cased(chance, host)}{chance.choice(('', ':9418'))}/{path}{_ending(chance)}"


FORMS: Final[list[Form]] = [_https, _ssh, _scp, _git]
