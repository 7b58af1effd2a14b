"""Recognisers of passwords as files keep them: .netrc, .pgpass, htpasswd, /etc/shadow."""

import re
from collections.abc import Iterator

from memory_layer.domain.safety.secret_spans import SECRET, SecretSpan, matches
from memory_layer.domain.safety.secret_values import is_stand_in, looks_generated

_NETRC = re.compile(
    r"\b(?:machine\s{1,8}\S{1,253}|default)\s{1,8}(?:(?:login|account)\s{1,8}\S{1,128}\s{1,8}){1,2}"
    r"password\s{1,8}(?P<secret>[^\s\"'`,;]{3,256})"
)
_PGPASS = re.compile(
    r"(?<![\w:.*/-])(?:[A-Za-z][\w.-]{0,252}|\*):(?P<port>[0-9]{2,5}|\*):[\w*-]{1,63}:[\w*.-]{1,63}:"
    r"(?P<secret>[^\s:\"'`,;]{4,128})(?![\w:])"
)
_CRYPT = re.compile(
    r"\$(?:apr1|[1567y]|2[abxy]?|gy|md5|sha1|scrypt|argon2(?:id|i|d)|pbkdf2(?:-sha\d{1,3})?)\$"
    r"(?P<secret>[A-Za-z0-9./+=,$]{20,512})|\{(?:S?SHA(?:256|384|512)?|S?MD5|CRYPT)\}(?P<ldap>[A-Za-z0-9./+$]{20,256}={0,2})"
)


def file_passwords(text: str) -> Iterator[SecretSpan]:
    """Finds passwords of .netrc and .pgpass files, and hashes of passwords, which can be tried at home."""
    if "password" in text and "login" in text:
        yield from _not_stand_ins(text)
    if text.count(":") >= 4:
        yield from _pgpass(text)
    if "$" in text or "}" in text:
        for match in _CRYPT.finditer(text):
            yield SecretSpan(*match.span(SECRET if match[SECRET] else "ldap"), "password_hash")


def _not_stand_ins(text: str) -> Iterator[SecretSpan]:
    for span in matches(_NETRC, text, "password"):
        if not is_stand_in(text[span.start : span.end]):
            yield span


def _pgpass(text: str) -> Iterator[SecretSpan]:
    for match in _PGPASS.finditer(text):
        is_of_postgres = match["port"] == "*" or match["port"].startswith("543")
        if (is_of_postgres or looks_generated(match[SECRET])) and not is_stand_in(match[SECRET]):
            yield SecretSpan(*match.span(SECRET), "password")
