"""Names of projects: one for all clones of a repository, however its remote is written, and one for each other folder.

A place is a text that says where a repository or a folder lies: `github.com/acme/shop`, `/srv/git/shop`,
`//server/share/shop`. Two ways of writing one remote have one place, and two places have two names (ADR-0034).
"""

import re
from collections.abc import Iterable, Mapping
from hashlib import sha256
from ipaddress import ip_address
from typing import Final
from urllib.parse import unquote

PREFERRED_REMOTE: Final = "origin"
NAME_MAX_CHARS: Final = 64
DIGEST_CHARS: Final = 10
"""Characters of the digest in a name, 50 bits: of a million places that read alike, two meet with a chance of .0004."""

_DIGITS: Final = "abcdefghijkmnpqrstuvwxyz23456789"
"""Digits of a digest: without l, o, 0 and 1, which are mistaken for each other."""

_URL: Final = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*)://(.*)", re.DOTALL)
_SCP: Final = re.compile(r"(?:([^@/\\\[\]]+)@|(?![A-Za-z]:))(\[[^\]]+\]|[^:/\\\[\]@]+):(?!//)(.*)", re.DOTALL)
"""Address as scp has it, `git@github.com:acme/shop`; a single letter alone before the colon is a drive."""

_HELPER: Final = re.compile(r"[A-Za-z0-9+.-]*::")
"""Beginning of an address for a program of its own, `hg::…`. Source: gitremote-helpers(7)."""

_PORT_OF_BITBUCKET: Final = re.compile(r"7999/[^/]+/[^/]")
"""Beginning of a path as scp has it that is a port, as it is meant: `git@bb:7999/x/y`."""

_AUTHORITY: Final = re.compile(r"(?:(.*)@)?(\[[^\]]*\]|[^:]*)(?::(\d*))?", re.DOTALL)
_DRIVE: Final = re.compile(r"/?([A-Za-z]):(?:/|$)")
_CODECOMMIT: Final = re.compile(r"codecommit:(?::([a-z0-9-]+):)?//(?:[^@/]*@)?(.+)")

_DEFAULT_PORTS: Final[Mapping[str, str]] = {
    "http": "80",
    "https": "443",
    "git": "9418",
    "ftp": "21",
    "ftps": "990",
}
_HOSTS: Final[Mapping[str, str]] = {
    "www.github.com": "github.com",
    "ssh.github.com": "github.com",
    "altssh.gitlab.com": "gitlab.com",
    "altssh.bitbucket.org": "bitbucket.org",
    "ssh.dev.azure.com": "dev.azure.com",
    "vs-ssh.visualstudio.com": "dev.azure.com",
}
"""Hosts that are doors to another one. Sources: the hosts' documents on SSH over port 443; Azure Repos, clone URLs."""

_IGNORES_CASE: Final = frozenset(
    {"github.com", "gitlab.com", "bitbucket.org", "codeberg.org", "dev.azure.com"}
)
"""Hosts on which Acme/Shop and acme/shop are one repository."""

_SERVICE_USERS: Final = frozenset({"", "git", "hg", "gitea", "forgejo", "gogs", "gitolite", "gitolite3"})
"""Users of SSH who are a service's, whoever speaks; a path in the home of any other user is that user's."""

_PORT_OF_SSH, _PORT_OF_GERRIT = "22", "29418"
_AZURE_SSH: Final = frozenset({"ssh.dev.azure.com", "vs-ssh.visualstudio.com"})
_AZURE_ORGANISATION: Final = re.compile(r"([^.]+)\.visualstudio\.com")


def remote_place(url: str) -> str | None:
    """Place of a remote on a host, `host/owner/name`; None: the address names a folder, or nothing.

    Password, scheme, default ports, `.git`, doubled and trailing slashes, and the case of the host make no difference;
    neither does the user, save for a path in the user's own home, nor a port of SSH, save on a private address, where
    each port may be another server's.
    """
    text = url.strip()
    if known := _CODECOMMIT.fullmatch(text):
        return _on_host(f"git-codecommit.{known[1] or 'default'}.amazonaws.com", f"v1/repos/{known[2]}")
    if found := _URL.fullmatch(text):
        return _of_url(found[1].lower(), found[2])
    found = None if _HELPER.match(text) else _SCP.fullmatch(text)
    return None if found is None else _of_scp(found[1] or "", found[2], found[3])


def _of_scp(user: str, host: str, path: str) -> str | None:
    if _PORT_OF_BITBUCKET.match(path):
        return _of_url("ssh", f"{host}:{path}")
    return _on_host(host, path if path.startswith("/") else _in_home(user, host, path))


def _of_url(scheme: str, rest: str) -> str | None:
    address, _, query = rest.partition("#")[0].partition("?")
    authority, _, path = address.partition("/")
    found = _AUTHORITY.fullmatch(authority)
    if scheme == "file" or found is None:
        return None
    user, host, port = (found[1] or "").partition(":")[0], found[2], found[3] or ""
    if scheme in _DEFAULT_PORTS:
        path = (
            path.removeprefix("scm/") if scheme in ("http", "https") else path
        )  # Bitbucket's door over HTTP
        return _on_host(host, path, "" if port == _DEFAULT_PORTS[scheme] else port, query)
    path = _in_home(user, host, path) if path.startswith("~/") else path
    path = f"a/{path}" if port == _PORT_OF_GERRIT else path  # as over HTTP, for those who sign in
    return _on_host(host, path, port if _is_private(host) and port != _PORT_OF_SSH else "", query)


def _in_home(user: str, host: str, path: str) -> str:
    """Path in the home of a user, `~ann/notes`; that of a service as it is."""
    inner = path.removeprefix("~/")
    is_services = user in _SERVICE_USERS or _is_forge(_host(host))
    return inner if is_services or not inner or inner.startswith("~") else f"~{user}/{inner}"


def _is_private(host: str) -> bool:
    """Tells this machine and private addresses, on which each port may be another server's."""
    name = host.lower().rstrip(".").strip("[]")
    try:
        return ip_address(name).is_private
    except ValueError:
        return name == "localhost" or name.endswith(".localhost")


def _host(host: str) -> str:
    name = host.lower().rstrip(".")
    return _HOSTS.get(name, name)


def _is_forge(host: str) -> bool:
    return host in _IGNORES_CASE or _AZURE_ORGANISATION.fullmatch(host) is not None


def _on_host(host: str, path: str, port: str = "", query: str = "") -> str | None:
    name = _host(host)
    parts = _parts(unquote(path) + (f"?{query}" if query and not _is_forge(name) else ""))
    if not name or not parts:
        return None
    if host.lower().rstrip(".") in _AZURE_SSH and parts[0] == "v3":
        parts = parts[1:]
    name, parts = _azure(name, parts)
    whole = "/".join(parts)
    return f"{name}{port and ':'}{port}/{whole.lower() if name in _IGNORES_CASE else whole}"


def _azure(host: str, parts: list[str]) -> tuple[str, list[str]]:
    """Host and parts of a repository of Azure DevOps in one form: organisation, project, repository."""
    if old := _AZURE_ORGANISATION.fullmatch(host):
        inner = parts[1:] if parts[:1] == ["DefaultCollection"] else parts
        host, parts = "dev.azure.com", [old[1], *inner]
    if host == "dev.azure.com":
        door = next((at for at in (1, 2) if parts[at : at + 1] in (["_git"], ["_ssh"])), len(parts))
        parts = parts[:door] + parts[door + 1 :]
        parts = [*parts, parts[-1]] if len(parts) == 2 else parts  # a repository called as its project
    return host, parts


def _parts(path: str) -> list[str]:
    """Segments of a path, without `.git` at its end."""
    parts: list[str] = []
    for part in path.replace("\\", "/").split("/"):
        if part == "..":
            parts[-1:] = []
        elif part not in ("", "."):
            parts.append(part)
    while parts and parts[-1].lower().endswith(".git"):
        parts[-1] = parts[-1][: -len(".git")]
        if not parts[-1]:
            parts.pop()
    return parts


def local_path(url: str) -> str | None:
    """Path that a remote's address names; None: it names a host, or nothing."""
    text = url.strip()
    found = _URL.fullmatch(text)
    if found is None:
        return text if text and remote_place(text) is None else None
    if found[1].lower() != "file":
        return None
    rest = unquote(found[2])
    host, slash, path = rest.partition("/")
    is_here = host.lower() in ("", "localhost")
    return f"{slash}{path}" if is_here else f"//{rest}"


def folder_place(path: str) -> str:
    """Place of a folder or of a bare repository; drives and shares of Windows ignore case. Args: path: absolute."""
    slashed = path.replace("\\", "/") if _is_windows(path) else path
    lead = "//" if slashed.startswith("//") else "/"
    drive = _DRIVE.match(slashed)
    place = "/".join(_parts(slashed))
    if drive:
        return place.lower()
    return f"{lead}{place.lower() if lead == '//' else place}"


def _is_windows(path: str) -> bool:
    return path.startswith(("\\\\", "//")) or _DRIVE.match(path.replace("\\", "/")) is not None


def chosen_remote(names: Iterable[str], wished: str | None) -> str | None:
    """Remote that names the project: the wished one, else origin, else the first by name; None: there is none."""
    known = sorted(names)
    return next((name for name in (wished, PREFERRED_REMOTE, *known) if name in known), None)


def project_of_place(place: str) -> str:
    """Name of the project of a place, at most NAME_MAX_CHARS: its last segments, to be read, and a digest of it all."""
    told = place.partition("?")[0] if _has_host(place) else place  # what a query says may be a token
    segments = [segment for segment in told.split("/") if segment]
    readable = slug(
        "-".join(segments[-2:] if "/" in place.lstrip("/") and _has_host(place) else segments[-1:])
    )
    room = NAME_MAX_CHARS - DIGEST_CHARS - 1
    return f"{readable[:room].rstrip('-_.')}-{_digest(place)}"


def _has_host(place: str) -> bool:
    return not place.startswith("/") and _DRIVE.match(place) is None


def _digest(place: str) -> str:
    number = int.from_bytes(sha256(place.encode(errors="surrogatepass")).digest())
    digits = []
    for _ in range(DIGEST_CHARS):
        number, digit = divmod(number, len(_DIGITS))
        digits.append(_DIGITS[digit])
    return "".join(digits)


def slug(text: str) -> str:
    """Project name made of words; `default` where nothing is left of them."""
    words = re.sub(r"[^a-z0-9_.-]+", "-", text.lower())
    return words.lstrip("-_.")[:NAME_MAX_CHARS].rstrip("-_.") or "default"
