"""Recognisers of passwords as files keep them: .netrc, .pgpass, htpasswd, /etc/shadow, tables, manifests."""

import re
from collections.abc import Iterator
from typing import Final

from memory_layer.domain.safety.secret_spans import SECRET, SecretSpan, matches
from memory_layer.domain.safety.secret_values import is_login_password, is_mixed, is_stand_in, looks_generated

_NETRC = re.compile(
    r"\b(?:machine\s{1,8}\S{1,253}|default)\s{1,8}(?:(?:login|account)\s{1,8}\S{1,128}\s{1,8}){1,2}"
    r"password\s{1,8}(?P<secret>[^\s\"'`,;]{3,256})"
)
_PGPASS = re.compile(
    r"(?<![\w:.*/-])(?:[A-Za-z][\w.-]{0,252}|\*):(?P<port>[0-9]{2,5}|\*):[\w*-]{1,63}:[\w*.-]{1,63}:"
    r"(?P<secret>[^\s:\"'`,;]{4,128})(?![\w:])"
)
_CRYPT = re.compile(
    r"\$(?:apr1|[156789y]|2[abxy]?|gy|md5|sha1|scrypt|argon2(?:id|i|d)|pbkdf2(?:-sha\d{1,3})?)\$"
    r"(?P<secret>[A-Za-z0-9./+=,$]{20,512})|\$krb5(?:asrep|tgs|pa)\$(?P<ticket>[^\s\"'`]{64,8192})|\{(?:S?SHA(?:256|384|512)?|S?MD5|CRYPT)\}(?P<ldap>[A-Za-z0-9./+$]{20,256}={0,2})"
)


_COLUMN: Final = re.compile(
    r"(?im)(?:^|[|,;\t])[ \"]{0,4}(?:password|passwd|passwort|kennwort|passphrase|api[ _-]?key|secret)"
    r"[ \"]{0,16}(?:$|[|,;\t])"
)
_NAMED_COLUMNS: Final = frozenset(
    {
        "password",
        "passwd",
        "passwort",
        "kennwort",
        "passphrase",
        "secret",
        "apikey",
        "api key",
        "api_key",
        "api-key",
    }
)
_LOGINS: Final = frozenset(
    {
        "user",
        "username",
        "user name",
        "login",
        "name",
        "account",
        "email",
        "e-mail",
        "host",
        "server",
        "service",
        "url",
    }
    | {"benutzer", "benutzername", "konto", "dienst"}
)
"""Heads of columns beside one of passwords: a list of packages has one that is called `passwd`."""

_ROWS_MAX: Final = 200

_MANIFEST: Final = re.compile(
    r"(?m)^(?P<indent>[ \t]{0,16})stringData:[ \t]{0,8}\n(?P<rows>(?:(?P=indent)[ \t]{1,8}[^\n]{1,512}(?:\n|\Z))+)"
)
_ROW: Final = re.compile(
    r"(?m)^[ \t]{1,24}[\w.-]{1,128}:[ \t]{1,4}[\"']?(?P<secret>[^\s\"'#|>&*!][^\s\"'#]{5,255})[\"']?[ \t]*$"
)
"""Value of a secret's `stringData`, whatever its key is called."""


def file_passwords(text: str) -> Iterator[SecretSpan]:
    """Finds passwords of .netrc and .pgpass files, and hashes of passwords, which can be tried at home."""
    if (found := _COLUMN.search(text)) is not None:
        yield from _columns(text, text.rfind("\n", 0, found.start() + 1) + 1)
    if "stringData:" in text and "kind: Secret" in text:
        yield from _manifests(text)
    if "password" in text and "login" in text:
        yield from _not_stand_ins(text)
    if text.count(":") >= 4:
        yield from _pgpass(text)
    if "$" in text or "}" in text:
        for match in _CRYPT.finditer(text):
            yield SecretSpan(*match.span(match.lastgroup or SECRET), "password_hash")


def _not_stand_ins(text: str) -> Iterator[SecretSpan]:
    for span in matches(_NETRC, text, "password"):
        if not is_stand_in(text[span.start : span.end]):
            yield span


def _pgpass(text: str) -> Iterator[SecretSpan]:
    for match in _PGPASS.finditer(text):
        is_of_postgres = match["port"] == "*" or match["port"].startswith("543")
        if (is_of_postgres or looks_generated(match[SECRET])) and not is_stand_in(match[SECRET]):
            yield SecretSpan(*match.span(SECRET), "password")


def _columns(text: str, start: int) -> Iterator[SecretSpan]:
    """Finds generated-looking values under the head of a column of passwords, in Markdown and in values by signs.

    Args:
        start: where the line of the head begins.
    """
    head, *rows = text[start:].split("\n", _ROWS_MAX + 1)
    sign = next(one for one in "|,;\t" if one in head) if re.search(r"[|,;\t]", head) else ""
    if not sign:
        return
    cells, at = [cell.strip(' "').casefold() for cell in head.split(sign)], start + len(head) + 1
    if _LOGINS.isdisjoint(cells):
        return
    places = [place for place, cell in enumerate(cells) if cell in _NAMED_COLUMNS]
    for row in rows[:_ROWS_MAX]:
        values = row.split(sign)
        if len(values) != len(cells):
            return
        for place in places:
            value = values[place].strip(' \t\r"`')
            if looks_generated(value) and not re.search(r"\s", value) and is_login_password(value):
                found = at + len(sign.join(values[:place])) + bool(place) + values[place].index(value)
                yield SecretSpan(found, found + len(value), "password")
        at += len(row) + 1


def _manifests(text: str) -> Iterator[SecretSpan]:
    for manifest in _MANIFEST.finditer(text):
        for row in _ROW.finditer(text, *manifest.span("rows")):
            if is_mixed(row[SECRET]) and is_login_password(row[SECRET]):
                yield SecretSpan(*row.span(SECRET), "password")
