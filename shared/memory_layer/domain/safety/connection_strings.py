"""Recognisers of passwords in connection strings, in commands that log in, of keys in URLs, and of hooks' addresses."""

import re
from collections.abc import Iterator
from typing import Final

from memory_layer.domain.safety.secret_spans import SECRET, SecretSpan, matches
from memory_layer.domain.safety.secret_values import (
    is_login_password,
    is_stand_in,
    is_user_and_password,
    looks_generated,
)

GO_DSN = re.compile(r"(?<![\w.-])[\w.-]{1,64}:(?P<secret>[^\s@/:\"'`]{1,128})@(?:tcp|unix|udp)\(")
ORACLE_DSN = re.compile(
    r"(?:\bjdbc:oracle:(?:thin|oci8?):|\bsqlplus\s{1,4}(?:-[A-Za-z]{1,8}\s{1,4}){0,4})"
    r"[\w$#]{1,64}/(?P<secret>[^\s@/\"'`]{3,128})@"
)
_PAIR = re.compile(
    r"(?i)(?:(?<=[;?&\"' ])|(?<![\w\"' ;?&,.-]))(?:password|pwd)\s?=\s?(?P<secret>[^\s;&\"'`,(){}\[\]<>]{4,128})"
    r"(?=[\s;&\"'`,]|\.?\Z)"
)
_NEIGHBOUR = re.compile(
    r"(?i)\b(?:host(?:addr)?|server|data source|db_?name|database|initial catalog|user ?id|uid|user(?:name)?"
    r"|driver|port|account)\s?=\s?[^\s;&,)]"
)
_NEAR = 200
"""Characters around a pair in which another one makes it part of a connection string."""

_USER_OF_CURL = re.compile(
    r"\bcurl\b[^\n|;]{0,300}?\s(?:-u|-U|--user|--proxy-user)[ =]{0,2}[\"']?[^\s:\"'/]{1,64}"
    r":(?P<secret>[^\s\"'`]{3,256})"
)
_USER_OF_HTTPIE = re.compile(
    r"\b(?:https?|xhs?)\s[^\n|;]{0,200}?(?:-a|--auth)[ =]{1,2}[\"']?[^\s:\"'/]{1,64}:(?P<secret>[^\s\"'`]{3,256})"
)
_WGET = re.compile(
    r"\bwget\b[^\n|;]{0,300}?\s--(?:http-|ftp-|proxy-)?password[ =][\"']?(?P<secret>[^\s\"'`]{3,256})"
)
_HANDED = (
    (":", "@", GO_DSN),
    ("/", "@", ORACLE_DSN),
    ("curl", ":", _USER_OF_CURL),
    ("http", ":", _USER_OF_HTTPIE),
    ("wget", "password", _WGET),
)


def connection_passwords(text: str) -> Iterator[SecretSpan]:
    """Finds passwords where nothing else can stand, so that plain words count as well."""
    for hint, second, pattern in _HANDED:
        if hint in text and second in text:
            yield from _not_stand_ins(pattern, text)
    if "=" in text and _names_one(text.lower()):
        for match in _PAIR.finditer(text):
            if not _is_argument(match) and _has_neighbour(match) and is_login_password(match[SECRET]):
                yield SecretSpan(*match.span(SECRET), "password")


def _names_one(lowered: str) -> bool:
    return "password" in lowered or "pwd" in lowered


def _not_stand_ins(pattern: re.Pattern[str], text: str) -> Iterator[SecretSpan]:
    for span in matches(pattern, text, "password"):
        if not is_stand_in(text[span.start : span.end]):
            yield span


def _is_argument(match: re.Match[str]) -> bool:
    """Tests if a pair stands between commas, as arguments of a call do."""
    text, at = match.string, match.start()
    is_followed = text[match.end() : match.end() + 1] == "," and text[max(0, at - 1) : at] not in (
        ";",
        "?",
        "&",
    )
    return is_followed or text[:at].rstrip(" \"'").endswith((",", "("))


def _has_neighbour(match: re.Match[str]) -> bool:
    """Tests if other settings of a connection stand around a pair, as in no line of code."""
    start, end = max(0, match.start() - _NEAR), match.end() + _NEAR
    return _NEIGHBOUR.search(match.string, start, end) is not None


_URL_TOKEN = re.compile(r"://(?P<secret>[A-Za-z0-9_-]{20,256})@(?=[\w\[$<{-])")


def url_tokens(text: str) -> Iterator[SecretSpan]:
    """Finds keys that stand where a URL has its user, as in a DSN of Sentry; names of users are shorter."""
    if "://" in text and "@" in text:
        for span in matches(_URL_TOKEN, text, "url_token"):
            if looks_generated(text[span.start : span.end]):
                yield span


_LOGIN = re.compile(
    r"\\{0,2}\"auth\\{0,2}\"\s{0,4}:\s{0,4}\\{0,2}\"(?P<secret>[A-Za-z0-9+/]{8,1024}={0,2})|:_auth=(?P<npm>[A-Za-z0-9+/]{8,1024}={0,2})"
)


def registry_logins(text: str) -> Iterator[SecretSpan]:
    """Finds user and password in base64, as config.json of Docker and .npmrc keep them."""
    if "auth" not in text:
        return
    for match in _LOGIN.finditer(text):
        group = SECRET if match[SECRET] else "npm"
        if is_user_and_password(match[group]):
            yield SecretSpan(*match.span(group), "authorization")


_RECEIVES: Final = re.compile(r"(?i)hook|ping|heartbeat")

_KEY_OF_HOOK: Final = (
    r"(?P<secret>[0-9A-Fa-f]{8}(?:-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}"
    r"|(?=(?:[a-z_]{0,32}[0-9]){3})[a-z0-9_]{20,256}"
    r"|(?=[\w-]{0,32}[0-9])(?=[\w-]{0,32}[A-Z])(?=[\w-]{0,32}[a-z])[A-Za-z0-9_-]{20,256})(?!@|[\w.-]*[\w-])"
)
"""Segment that nobody would choose: a UUID, or twenty characters with digits among letters; no name of a file."""

_SEGMENT: Final = r"(?!(?:commits?|blob|tree|raw|compare|pull|releases?|wiki|docs)/)[\w.:@~-]{1,64}/"
"""Segment before the key; those of a repository are followed by hashes."""

_HOST_THAT_RECEIVES: Final = re.compile(
    r"://(?:[\w-]{1,63}\.){0,4}(?:[a-z0-9]{1,16}-)?(?:web)?(?:hooks?|ping|heartbeats?)(?:-[a-z0-9]{1,16})?\.[\w.-]{2,128}(?::\d{2,5})?/"
    rf"(?:{_SEGMENT}){{0,6}}?{_KEY_OF_HOOK}"
)
_PATH_THAT_RECEIVES: Final = re.compile(
    rf"://[\w.-]{{1,253}}(?::\d{{2,5}})?/(?:{_SEGMENT}){{0,6}}?"
    r"(?:(?:generic|web)?-?hook(?:-test)?|(?:incoming[_-]?|build[_-]?|deploy[_-]?)(?:web)?hooks?|ping|heartbeat)/"
    rf"(?:{_SEGMENT}){{0,2}}?{_KEY_OF_HOOK}",
    re.IGNORECASE,
)
"""One hook, told in the singular: a list of them (`/webhooks/…`) has ids, which open nothing."""


def hook_keys(text: str) -> Iterator[SecretSpan]:
    """Finds the key in an address that receives, by its host (`hc-ping.com`) or by its path (`/webhook/…`)."""
    if "://" in text and _RECEIVES.search(text):
        yield from matches(_HOST_THAT_RECEIVES, text, "webhook")
        yield from matches(_PATH_THAT_RECEIVES, text, "webhook")
