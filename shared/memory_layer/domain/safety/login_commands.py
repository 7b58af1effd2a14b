"""Recogniser of passwords in commands that log in, or that are fed one: there a plain word counts too."""

import re
from collections.abc import Iterator
from typing import Final

from memory_layer.domain.safety.command_passwords import WORDS_FOR_ONE
from memory_layer.domain.safety.secret_spans import SecretSpan, matches
from memory_layer.domain.safety.secret_values import is_login_password

_VALUE: Final = r"[\"']?(?P<secret>[^\s\"'`|;<>()/*-][^\s\"'`|;<>()]{3,255})"
_REST: Final = r"[^\n|;]{0,200}?"
_READER: Final = (
    r"(?:(?<![\w/.-])(?:[a-z]{0,8}passwd|kinit|cryptsetup|smbpasswd)\b"
    r"|--pass(?:word|phrase)(?:-stdin|-fd[= ]0)\b|\bsudo\s[^\n|;]{0,40}?-[a-zA-Z]{0,4}S\b"
    r"|-pass(?:in|out)?\s{1,4}stdin\b|--with-token\b)"
)
"""Command that reads a password from its standard input."""

_OF_USER: Final = r"(?:[A-Za-z_][\w.-]{0,31}:)?"
"""User before the password, as chpasswd(8) reads the two."""

_FED: Final = (
    ("<<<", re.compile(rf"{_READER}{_REST}<<<\s{{0,4}}[\"']?{_OF_USER}{_VALUE}")),
    (
        "|",
        re.compile(
            rf"\b(?:echo|printf)\s{{1,4}}(?:(?:-[neE]{{1,3}}|[\"']?%s(?:\\n)?[\"']?)\s{{1,4}}){{0,2}}"
            rf"[\"']?{_OF_USER}{_VALUE}[\"']?\s{{0,4}}\|[^\n|;]{{0,200}}?{_READER}"
        ),
    ),
)

_USER: Final = (
    r"(?<![\w-])(?:--?(?i:user|username|login|user-name|uid)[= :]|-[ulU]\s?)"
    r"[\"']?[^\s\"'-][^\s\"']{0,127}[\"']?"
)
_LONG: Final = r"--?(?i:pass(?:word|wd|phrase)?|pwd?)[= :]\s{0,3}"
_PAIRED: Final = (
    re.compile(rf"{_USER}\s{_REST}(?<![\w-]){_LONG}{_VALUE}"),
    re.compile(rf"(?<![\w-]){_LONG}{_VALUE}[\"']?\s{_REST}{_USER}"),
    re.compile(rf"(?i)\s/r?u(?:ser(?:name)?)?[: ]\S{{1,128}}\s{_REST}/r?p(?:ass(?:word)?|wd)?[: ]{_VALUE}"),
    re.compile(rf"(?i)\s/r?p(?:ass(?:word)?|wd)?[: ]{_VALUE}[\"']?\s{_REST}/r?u(?:ser(?:name)?)?[: ]\S"),
    re.compile(
        rf"\b(?:psexec|cqlsh|evil-winrm|winexe|twine|\S{{1,32}}\s{{1,4}}login)\b{_REST}\s-p\s{{0,4}}{_VALUE}"
    ),
    re.compile(rf"\b(?:ipmitool|mosquitto_[a-z]{{2,3}}|[it]sql|freebcp)\b{_REST}\s-P\s{{0,4}}{_VALUE}"),
)
"""Flag of a password beside the flag of a user, or the short flag of a command that has no other use for it."""

_SHORT_FLAG: Final = re.compile(r"(?i)\s(?:-{1,2}p|/r?p)")
"""Beginning of a flag of a password."""

_SHARE: Final = r"[\"']?\\{2,4}[^\s\"']{1,253}[\"']?"
_POSITIONS: Final = (
    (
        "net",
        re.compile(
            rf"(?i)\bnet\s{{1,4}}use\s{{1,4}}(?:(?:[a-z]:|\*)\s{{1,4}})?{_SHARE}\s{{1,4}}(?:/\S{{1,128}}\s{{1,4}}){{0,4}}{_VALUE}"
        ),
    ),
    (
        "net",
        re.compile(
            rf"(?i)\bnet\s{{1,4}}user\s{{1,4}}[\w.-]{{1,64}}\s{{1,4}}{_VALUE}[\"']?(?=\s{{1,4}}/[a-z])"
        ),
    ),
    (
        "rabbitmqctl",
        re.compile(
            rf"\brabbitmqctl\b{_REST}\s(?:add_user|change_password|authenticate_user)\s{{1,4}}\S{{1,128}}\s{{1,4}}{_VALUE}"
        ),
    ),
    (
        "wpa_passphrase",
        re.compile(rf"\bwpa_passphrase\s{{1,4}}(?:\"[^\"\n]{{1,64}}\"|\S{{1,64}})\s{{1,4}}{_VALUE}"),
    ),
    ("nmcli", re.compile(rf"\bnmcli\b{_REST}\s(?:password|wifi-sec\.psk)\s{{1,4}}{_VALUE}")),
    ("mysqladmin", re.compile(rf"\bmysqladmin\b{_REST}\spassword\s{{1,4}}{_VALUE}")),
    (
        "mc",
        re.compile(
            rf"\bmc\s{{1,4}}(?:alias\s{{1,4}}set|config\s{{1,4}}host\s{{1,4}}add)\s{{1,4}}(?:[^\s]{{1,253}}\s{{1,4}}){{3}}{_VALUE}"
        ),
    ),
    (
        "AUTH",
        re.compile(
            rf"(?:\bredis-cli\b{_REST}\s|^|\n|> )AUTH\s{{1,4}}(?:default\s{{1,4}})?{_VALUE}[\"']?\s{{0,4}}$",
            re.MULTILINE,
        ),
    ),
    ("pass", re.compile(rf"\s-(?:(?:src|dest)?(?:store|key)pass)\s{{1,4}}{_VALUE}")),
    ("auth", re.compile(rf"\b(?:add|set)-?(?:auth)?-?(?:token|key)\s{{1,4}}{_VALUE}")),
    (
        "service",
        re.compile(rf"\b[a-z][\w-]{{1,32}}\s{{1,4}}service\s{{1,4}}install\s{{1,4}}(?=\S{{40}}){_VALUE}"),
    ),
    ("auth", re.compile(rf"\b[a-z][\w-]{{1,32}}\s{{1,4}}auth\s{{1,4}}(?=[\w.-]{{20}}){_VALUE}")),
    (
        "authorize",
        re.compile(rf"\bauthorize(?:-account)?\s{{1,4}}\w{{6,64}}\s{{1,4}}(?=[\w.-]{{20}}){_VALUE}"),
    ),
    ("-pw", re.compile(rf"\b(?:plink|pscp|psftp|putty)\b{_REST}\s-pw\s{{1,4}}{_VALUE}")),
)
"""Commands that take a password by its position, by a text that stands in each."""

_STATEMENTS: Final = re.compile(
    r"(?i)\b(?:identified\s{1,4}(?:with\s{1,4}\S{1,64}\s{1,4})?(?:by|as)|(?:user|role|with)\b[^\n;]{0,100}?\spassword"
    r"|set\s{1,4}password\b[^\n;=]{0,100}=)\s{1,4}(?:password\s?\(\s?)?'(?P<secret>[^\s'`]{4,256})'"
)
"""Statements of SQL that set a password."""


def login_passwords(text: str) -> Iterator[SecretSpan]:
    """Finds passwords that a command is fed, has beside a user, or takes by position; and those that SQL sets."""
    for pattern in _patterns_in(text):
        for span in matches(pattern, text, "password"):
            value = text[span.start : span.end].rstrip(".,:")
            if _is_password(value):
                yield span._replace(end=span.start + len(value))


def _patterns_in(text: str) -> Iterator[re.Pattern[str]]:
    """Patterns that may match a text, by what stands in each."""
    yield from (pattern for hint, pattern in (*_FED, *_POSITIONS) if hint in text)
    lowered = text.lower()
    if _SHORT_FLAG.search(text):
        yield from _PAIRED
    if "'" in text and ("identified" in lowered or "password" in lowered):
        yield _STATEMENTS


def _is_password(value: str) -> bool:
    """Tests if a value is a password; words in capitals alone are how manuals write that one stands here."""
    is_name = value.isalpha() and value.isupper()
    return is_login_password(value) and not is_name and value.lower() not in WORDS_FOR_ONE
