"""Recogniser of passwords where a command or a call takes one and nothing else: there a plain word counts too."""

import re
from collections.abc import Iterator
from typing import Final

from memory_layer.domain.safety.secret_spans import SecretSpan, matches
from memory_layer.domain.safety.secret_values import is_login_password

_VALUE: Final = r"[\"']?(?P<secret>[^\s\"'`|;<>()-][^\s\"'`|;<>()]{3,255})"
_REST: Final = r"\b[^\n|;]{0,200}?\s"


def _flag(programs: str, flag: str) -> re.Pattern[str]:
    return re.compile(rf"\b(?:{programs}){_REST}{flag}{_VALUE}")


_PLACES: Final = (
    (
        "--pass",
        _flag(
            r"mongo\w{0,8}|mysql\w{0,8}|mariadb\w{0,8}|influx|docker|podman|buildah|helm|az|keytool|gpg2?",
            r"--(?:user-)?pass(?:word|phrase)[= ]",
        ),
    ),
    (" -w", _flag(r"ldap[a-z]{2,8}", r"-w\s?")),
    (" -k ", _flag(r"openssl\s{1,4}enc", r"-k\s{1,4}")),
    ("pass:", _flag("openssl", r"-pass(?:in|out)?\s{1,4}pass:")),
    (" -P", _flag(r"sqlcmd|bcp|zip|unzip", r"-P\s{0,4}")),
    (" -p", _flag(r"7za?|rar|unrar", r"-p")),
    ("%", _flag(r"smbclient|rpcclient|smbget", r"-U\s{0,4}[\"']?[^\s%\"']{1,64}%")),
    ("lftp", _flag("lftp", r"-u\s{1,4}[\"']?[^\s,\"']{1,64},")),
    ("htpasswd", _flag("htpasswd", r"-[a-zA-Z]{0,6}b[a-zA-Z]{0,6}\s{1,4}(?:[^\s-]\S{0,128}\s{1,4}){1,2}")),
    ("curl", _flag("curl", r"-[a-zA-Z]{1,8}u\s{0,4}[\"']?[^\s:\"'/]{1,64}:")),
    ("requirepass", re.compile(rf"(?m)^\s{{0,8}}requirepass\s{{1,4}}{_VALUE}[\"']?$")),
    ("masterauth", re.compile(rf"(?m)^\s{{0,8}}masterauth\s{{1,4}}{_VALUE}[\"']?$")),
    (
        "ENV ",
        re.compile(
            rf"(?m)(?:^|[\s`>|\"])ENV\s{{1,4}}[A-Z0-9_]{{0,64}}(?:PASSWORD|PASSWD|_PASS|_PWD)\s{{1,4}}{_VALUE}"
        ),
    ),
    (
        "SecureString",
        re.compile(rf"ConvertTo-SecureString\s{{1,4}}(?:-String\s{{1,4}})?(?=[\"']){_VALUE}[\"']"),
    ),
    (
        "secret",
        re.compile(
            rf"(?m)(?:^|[\s`>|\"])enable\s{{1,4}}secret\s{{1,4}}(?:level\s\d\d?\s)?[0-9]\s{{1,4}}{_VALUE}"
        ),
    ),
    (
        "password",
        re.compile(
            rf"\b(?:enable|username\s{{1,4}}\S{{1,64}}(?:\s{{1,4}}privilege\s{{1,4}}\d\d?)?)\s{{1,4}}password"
            rf"\s{{1,4}}[07]\s{{1,4}}{_VALUE}"
        ),
    ),
    (
        "snmp-server",
        re.compile(rf"\bsnmp-server\s{{1,4}}community\s{{1,4}}{_VALUE}(?=\s{{1,4}}(?:RO|RW|ro|rw)\b)"),
    ),
    (
        "-server",
        re.compile(
            rf"\b(?:radius|tacacs)-server\s{{1,4}}(?:host\s\S{{1,64}}\s)?key\s{{1,4}}(?:[07]\s{{1,4}})?{_VALUE}"
        ),
    ),
    ("plain-text-password-value", re.compile(rf"plain-text-password-value\s{{1,4}}{_VALUE}")),
    (
        "WIFI:",
        re.compile(r"\bWIFI:(?:[TSHRI]:(?:\\.|[^;\\\n]){0,64};){1,4}P:(?P<secret>(?:\\.|[^;\\\s]){4,63});"),
    ),
    ("WIFI:P:", re.compile(r"\bWIFI:P:(?P<secret>(?:\\.|[^;\\\s]){4,63});")),
    (
        "Property(",
        re.compile(
            r"\b(?:set|put)Property\(\s?\\?[\"'][\w.-]{0,64}(?:password|passwd)\\?[\"']\s?,\s{0,4}\\?[\"']"
            r"(?P<secret>[^\s\"'`\\]{4,256})\\?[\"']"
        ),
    ),
    (
        "NetworkCredential(",
        re.compile(
            r"\bNetworkCredential\(\s?\\?[\"'][^\"'\n]{1,128}[\"'],\s{0,4}\\?[\"'](?P<secret>[^\s\"'`\\]{4,256})\\?[\"']"
        ),
    ),
    (
        "PDO(",
        re.compile(
            r"\bPDO\(\s?[\"'][^\"'\n]{1,256}[\"'],\s{0,4}[\"'][^\"'\n]{1,64}[\"'],\s{0,4}[\"']"
            r"(?P<secret>[^\s\"'`\\]{4,256})[\"']"
        ),
    ),
    (
        "assword",
        re.compile(
            r"\bexpect\b[^\n]{0,64}assword[^\n]{0,32}\{?\s{0,8}(?:exp_)?send(?:\s--)?\s{1,4}\\?[\"']"
            r"(?P<secret>[^\s\"'`\\]{4,256})\\{1,2}[rn]"
        ),
    ),
    ("gh secret", _flag("gh secret set", r"(?:--body|-b)[= ]")),
    (" -p ", _flag(r"az login|cypher-shell|elasticsearch-users|influx|evil-winrm|cqlsh", r"-p\s{1,4}")),
    ("jenkins", _flag(r"jenkins-cli(?:\.jar)?", r"-auth\s{1,4}[^\s:]{1,64}:")),
    ("-Dsonar.", re.compile(rf"-Dsonar\.(?:login|token|password)=(?=\S{{0,64}}\d){_VALUE}")),
    (
        "_auth",
        re.compile(r"(?m)(?:^|[\s:`>|\"])_auth\s{0,4}=\s{0,4}[\"']?(?P<secret>[A-Za-z0-9+/]{12,512}={0,2})"),
    ),
    (" -A", _flag(r"snmp[a-z]{2,12}", r"-A\s{0,4}")),
    (" -X", _flag(r"snmp[a-z]{2,12}", r"-X\s{0,4}")),
    ("-passwd", _flag(r"x11vnc|vncviewer|xtightvncviewer", r"-passwd\s{1,4}")),
    (
        "IDENTIFY ",
        re.compile(rf"(?i)\bNickServ:?\s{{1,4}}IDENTIFY\s{{1,4}}(?:[\w-]{{1,32}}\s{{1,4}})?{_VALUE}"),
    ),
    ("unseal", re.compile(r"\bvault operator unseal\s{1,4}(?P<secret>[A-Za-z0-9+/=]{40,70})")),
    ("psk=", re.compile(r"(?m)(?:^|[\s{|>`])psk=\\?[\"'](?P<secret>[^\s\"'`\\]{8,63})\\?[\"']")),
    (
        "pass",
        re.compile(
            rf"(?m)^[ \t]{{0,8}}pass(?:wd)?\s{{0,4}}=\s{{0,4}}(?=[^\s\"']{{0,64}}\d){_VALUE}[\"']?[ \t]{{0,8}}$"
        ),
    ),
    ("assword(", re.compile(r"\.set[A-Za-z]{0,16}Password\(\s?[\"'](?P<secret>[^\s\"'`]{4,256})[\"']\s?\)")),
    (
        "PASS",
        re.compile(
            r"(?:\bdefine\(|\b[Ss]etenv\(|\bputenv\(|\[)\s?[\"'][A-Z0-9_]{0,64}(?:PASSWORD|PASSWD|_PASS)[\"']"
            r"(?:\s?,|\]\s{0,4}=)\s{0,4}[\"'](?P<secret>[^\s\"'`]{4,256})[\"']"
        ),
    ),
)
"""Places by a text that stands in each of them."""

WORDS_FOR_ONE: Final = frozenset(
    {
        "option",
        "options",
        "flag",
        "file",
        "argument",
        "parameter",
        "value",
        "stdin",
        "prompt",
        "from",
        "with",
        "without",
        "and",
        "when",
        "instead",
    }
)
"""Words that manuals put behind the flag they tell of."""


def command_passwords(text: str) -> Iterator[SecretSpan]:
    """Finds passwords in flags of commands, in settings of servers, and in calls that set one."""
    for hint, pattern in _PLACES:
        if hint in text:
            for span in matches(pattern, text, "password"):
                value = text[span.start : span.end].rstrip(".,:")
                if is_login_password(value) and value.lower() not in WORDS_FOR_ONE:
                    yield span._replace(end=span.start + len(value))
