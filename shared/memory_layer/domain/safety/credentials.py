"""Recognisers of credentials by the name before them: `password=…`, `api_key: "…"`, `--token …`, `Authorization: …`."""

import re
from collections.abc import Iterator

from memory_layer.domain.safety.secret_spans import SECRET, SecretSpan
from memory_layer.domain.safety.secret_values import (
    NamedValue,
    is_clearly_secret,
    is_stand_in,
    is_user_and_password,
    looks_generated,
)

_HANDED_VALUE = r"(?P<quote>[\"']?)(?P<secret>[^\s\"'`|;<>]{4,256})"
_FLAGS = re.compile(
    rf"\b(?:(?:mysql|mariadb)(?:-?[a-z]{{1,12}})?|sshpass)\b[^\n|;]{{0,200}}?\s-p{_HANDED_VALUE}"
    rf"|\b(?:sshpass|mongosh|(?:docker|podman|buildah) login)\b[^\n|;]{{0,200}}?\s-p\s{{1,4}}"
    rf"{_HANDED_VALUE.replace('quote', 'quote_2').replace('secret', 'secret_2')}"
    rf"|\bredis-cli\b[^\n|;]{{0,200}}?\s-a\s{{1,4}}"
    rf"{_HANDED_VALUE.replace('quote', 'quote_3').replace('secret', 'secret_3')}"
)
"""Passwords in flags of mysql(1), sshpass(1), docker-login(1), redis-cli: glued to the flag, or after it."""

_COOKIES = re.compile(
    r"(?i)(?:\bcookie\\{0,2}[\"']?\s{0,4}[:=]\s{0,4}|--cookie[\s=]{1,4})\\{0,2}[\"']?(?P<pairs>[^\n\"']{1,8192})"
)
_SESSION_COOKIE = re.compile(
    r"(?i)(?<![\w.-])[\w.-]{0,64}?(?:(?:sess(?:ion)?(?:[_-]?id)?|(?<![a-z])sid|jwt|[cx]srf|token)(?![a-z])|auth(?!or))"
    r"[\w.-]{0,16}=(?P<secret>[^\s;,<>\\]{8,4096})"
)
"""Session cookies (RFC 6265); a theme or a language in a cookie is no credential."""


def presented_credentials(text: str) -> Iterator[SecretSpan]:
    """Finds values that look like secrets in places where a program expects a secret."""
    if " -p" in text or " -a " in text:
        for match in _FLAGS.finditer(text):
            group = next(name for name in _FLAG_GROUPS if match[name])
            yield from _password(match, group)
    if "cookie" in text.lower():
        yield from _cookies(text)


_FLAG_GROUPS = (SECRET, "secret_2", "secret_3")


def _password(match: re.Match[str], group: str) -> Iterator[SecretSpan]:
    value = NamedValue(
        match[group],
        is_password=True,
        is_passphrase=False,
        is_quoted=False,
        is_prose=False,
        is_environment=True,
    )
    if is_clearly_secret(value):
        yield SecretSpan(*match.span(group), "password")


def _cookies(text: str) -> Iterator[SecretSpan]:
    for header in _COOKIES.finditer(text):
        for match in _SESSION_COOKIE.finditer(text, *header.span("pairs")):
            if looks_generated(match[SECRET]) and not is_stand_in(match[SECRET]):
                yield SecretSpan(*match.span(SECRET), "cookie")


_NAME = (
    r"(?:pass(?:word|wd|phrase|code)|(?<=[_-])pass|pwd|secret(?:[_-]key[_-]base)?|(?<!publickey)token|credentials?"
    r"|(?<=[_-])pat(?=\s{0,3}[=:])|(?:client|private|tls)[_.-]key[_.-]data"
    r"|api[_. -]?key|(?:access|secret|private|auth|signing|encryption|master|account|shared|session|service"
    r"|subscription|license|webhook|app(?:lication)?|storage|admin|client|server|consumer|deploy|ingest|insert)"
    r"[_. -]?(?:access[_. -]?)?key)"
)
_BARE = r"(?:[^\s\"'`,;)}\]<>&|\\]|&(?!\w{1,64}=))"
_VALUE = (
    r"(?:(?:[bBuU](?=[\"']))?(?P<quote>\\{0,2}[\"'`])(?P<quoted>(?:(?!(?P=quote))[^\n]){4,512})(?P=quote)"
    rf"|(?P<bare>{_BARE}{{4,256}}))"
)
_REST_OF_VALUE = re.compile(rf"{_BARE}*")
_SEPARATOR = (
    r"(?:\\{0,2}[\"'`]|[*_]{1,3})?(?:\s{0,8}(?::\s{0,3}[A-Za-z][\w.|\[\] ]{0,40}?)?={1,3}>?\s{0,8}"
    r"|\s{0,8}:=?[*_]{0,3}\s{0,8}|\s{0,8}\|\s{1,8}|>(?=[^<\s]{4,256}</)"
    r"|(?P<prose>\s{1,4}(?:(?:(?:is|was)\s)?(?:set|changed|reset)\sto|is|was)\s{1,4}))"
)
_ASSIGNMENT = re.compile(rf"(?i)(?=[acelmpstw])(?P<name>{_NAME})\d{{0,2}}(?![A-Za-z]){_SEPARATOR}{_VALUE}")
_FLAG = re.compile(rf"(?i)(?<![\w-])--(?:[a-z0-9]{{1,20}}-){{0,4}}(?P<name>{_NAME})\s{{1,4}}{_VALUE}")
_AUTHORIZATION = re.compile(
    r"(?i)(?:\bauthorization\\{0,2}[\"']?\s{0,4}[:=,]\s{0,4}\\{0,2}[\"']?"
    r"(?:(?P<scheme>bearer|basic|token|digest|apikey|bot|key)\s{1,12})?"
    r"|\bbearer\s{1,4}(?=[\w.~+/=-]{16}))(?P<secret>[\w.~+/=-]{6,8192})"
)
_HINTS = (
    *("passw", "passp", "passc", "_pass", "-pass", "pwd", "secret", "token", "key", "credential"),
    *("_pat", "-pat"),
)
_ENVIRONMENT_HEAD = re.compile(r"(?:^|[\s\"'`;(])[A-Z][A-Z0-9_]{0,127}=[\"']?\Z|[?&][\w.-]{1,64}=\Z")
_SETTING_HEAD = re.compile(
    r"(?:^|\n)[ \t]{0,16}[a-z][\w.-]{0,127}=\Z|\s-e [a-z]\w{0,64}=\Z|<[A-Za-z.]{1,32}>\Z"
)
"""Before the value of a setting in a .properties file, in a variable of a command, in XML."""

_QUERY_HEAD = re.compile(r"://[^\s\"'`<>]{1,150}[?&][\w.-]{1,64}=\Z")
"""Before the value of a parameter in the query of an address."""

KINDS = (
    *((part, "password") for part in ("pass", "pwd", "pw", "kennw", "zugangscode")),
    *(("token", "token"), ("api", "api_key")),
)


def kind_of(name: str) -> str:
    """Kind of the secret that a variable of this name holds."""
    lowered = name.lower()
    return next((kind for part, kind in KINDS if part in lowered), "secret")


_NAME_ENDS_SECRET = re.compile(rf"(?i)(?:{_NAME}|(?:\A|[_.-])pass)\d{{0,2}}\Z")


def names_a_secret(name: str) -> bool:
    """Tests if a name alone makes its value a secret: `db_password` does, `max_tokens` does not."""
    return _NAME_ENDS_SECRET.search(name) is not None


def assigned_secrets(text: str) -> Iterator[SecretSpan]:
    """Finds values of secret names, if they look like a secret and not like code or a placeholder."""
    lowered = text.lower()
    if any(map(lowered.__contains__, _HINTS)):
        yield from _values_of_names(_ASSIGNMENT, text)
        if "--" in text:
            yield from _values_of_names(_FLAG, text)
    if "authorization" in lowered or "bearer" in lowered:
        yield from _authorizations(text)


def _values_of_names(pattern: re.Pattern[str], text: str) -> Iterator[SecretSpan]:
    """Finds secret values after names; a value that is no secret is searched again, as it may hold another name."""
    match = pattern.search(text)
    while match:
        secret = _judged(match)
        if secret:
            yield secret
        match = pattern.search(text, secret.end if secret else match.end("name"))


def _judged(match: re.Match[str]) -> SecretSpan | None:
    groups = match.groupdict()
    group = "quoted" if groups["quoted"] else "bare"
    start, kind = match.start(group), kind_of(groups["name"])
    text = groups[group] if group == "quoted" else groups[group].rstrip(".:")
    head = match.string[max(0, start - 160) : start]
    value = NamedValue(
        text,
        is_password=kind == "password",
        is_passphrase=groups["name"].lower() == "passphrase",
        is_quoted=group == "quoted",
        is_prose=groups.get("prose") is not None,
        is_environment=_ENVIRONMENT_HEAD.search(head) is not None,
        is_setting=_SETTING_HEAD.search(head) is not None,
        is_query=_QUERY_HEAD.search(head) is not None,
    )
    return SecretSpan(start, _end_of_value(match, text), kind) if is_clearly_secret(value) else None


def _end_of_value(match: re.Match[str], text: str) -> int:
    """End of a value, also of one so long that only its beginning was judged."""
    if len(text) < 256 or match["quoted"]:
        return match.start("quoted" if match["quoted"] else "bare") + len(text)
    rest = _REST_OF_VALUE.match(match.string, match.end("bare"))
    return rest.end() if rest else match.end("bare")


def _authorizations(text: str) -> Iterator[SecretSpan]:
    for match in _AUTHORIZATION.finditer(text):
        judge = is_user_and_password if (match["scheme"] or "").lower() == "basic" else looks_generated
        if judge(match["secret"]) and not is_stand_in(match["secret"]):
            yield SecretSpan(*match.span("secret"), "authorization")
