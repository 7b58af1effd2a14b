"""Credentials as programs are handed them: flags of commands, lines of a netrc file, cookies."""

from __future__ import annotations

import re
from collections.abc import Iterator

from memory_layer.domain.safety.secret_spans import SECRET, Span
from memory_layer.domain.safety.secret_values import (
    NamedValue,
    is_clearly_secret,
    is_stand_in,
    looks_generated,
)

_VALUE = r"(?P<quote>[\"']?)(?P<secret>[^\s\"'`|;<>]{4,256})"
_FLAGS = re.compile(
    rf"\b(?:(?:mysql|mariadb)(?:-?[a-z]{{1,12}})?|sshpass)\b[^\n|;]{{0,200}}?\s-p{_VALUE}"
    rf"|\b(?:sshpass|mongosh|(?:docker|podman|buildah) login)\b[^\n|;]{{0,200}}?\s-p\s{{1,4}}"
    rf"{_VALUE.replace('quote', 'quote_2').replace('secret', 'secret_2')}"
    rf"|\bredis-cli\b[^\n|;]{{0,200}}?\s-a\s{{1,4}}"
    rf"{_VALUE.replace('quote', 'quote_3').replace('secret', 'secret_3')}"
)
"""mysql(1), sshpass(1), docker-login(1), redis-cli: glued to its flag, or after it."""

_NETRC = re.compile(
    r"\bmachine\s{1,8}\S{1,253}\s{1,8}(?:(?:login|account)\s{1,8}\S{1,128}\s{1,8}){0,2}"
    r"password\s{1,8}(?P<secret>\S{4,256})"
)
"""ftp(1), .netrc."""

_COOKIES = re.compile(
    r"(?i)(?:\bcookie\\{0,2}[\"']?\s{0,4}[:=]\s{0,4}|--cookie[\s=]{1,4})\\{0,2}[\"']?(?P<pairs>[^\n\"']{1,8192})"
)
_SESSION_COOKIE = re.compile(
    r"(?i)(?<![\w.-])[\w.-]{0,64}?(?:(?:sess(?:ion)?(?:[_-]?id)?|(?<![a-z])sid|jwt|[cx]srf|token)(?![a-z])|auth(?!or))"
    r"[\w.-]{0,16}=(?P<secret>[^\s;,<>\\]{8,4096})"
)
"""RFC 6265; a theme or a language in a cookie is no credential."""


def presented_credentials(text: str) -> Iterator[Span]:
    """Values that look like secrets where a program expects one."""
    if " -p" in text or " -a " in text:
        for match in _FLAGS.finditer(text):
            group = next(name for name in _FLAG_GROUPS if match[name])
            yield from _password(match, group)
    if "machine" in text:
        for match in _NETRC.finditer(text):
            yield from _password(match, SECRET)
    if "cookie" in text.lower():
        yield from _cookies(text)


_FLAG_GROUPS = (SECRET, "secret_2", "secret_3")


def _password(match: re.Match[str], group: str) -> Iterator[Span]:
    value = NamedValue(
        match[group],
        is_password=True,
        is_passphrase=False,
        is_quoted=False,
        is_prose=False,
        is_environment=True,
    )
    if is_clearly_secret(value):
        yield Span(*match.span(group), "password")


def _cookies(text: str) -> Iterator[Span]:
    for header in _COOKIES.finditer(text):
        for match in _SESSION_COOKIE.finditer(text, *header.span("pairs")):
            if looks_generated(match[SECRET]) and not is_stand_in(match[SECRET]):
                yield Span(*match.span(SECRET), "cookie")
