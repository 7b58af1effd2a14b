"""Recognisers of keys whose name says no more than `key`: by a value that only a generator writes."""

import re
from collections.abc import Iterator
from typing import Final

from memory_layer.domain.safety.credentials import kind_of, names_a_secret
from memory_layer.domain.safety.secret_spans import SECRET, SecretSpan
from memory_layer.domain.safety.secret_values import is_reference, is_stand_in, looks_generated

SHORTEST: Final = 16
"""Characters from which on a value is one that a generator wrote."""

SHORTEST_REPEATED: Final = 10
"""Characters from which on a secret is looked for elsewhere in its text."""

SHORTEST_BESIDE: Final = 20
"""Characters from which on a value beside a name, without a sign between them, is a key and no id."""

FEWEST_TURNS: Final = 3
"""Turns between letters and digits that a generated value has: a version or a host has one or two."""

FEWEST_CHANGES: Final = 6
"""Turns, and capitals after small letters, that it has together: a name in camel case with a number has four."""

LETTERS_A_HUMP: Final = 5
"""Letters to a capital after a small one in generated letters: words of a name are longer."""

LEFT_OF_WORDS: Final = 8
"""Characters in one row that an identifier has beside its words: `ERC721A2`."""

_WRITTEN = r"[A-Za-z0-9_-][A-Za-z0-9_+/=.%?~-]{15,1023}"
_KEY = re.compile(
    rf"(?i)(?<![A-Za-z0-9])(?P<name>(?:[a-z0-9][a-z0-9_.-]{{0,63}}?)??(?:key|token|secret)(?:[_ -]?\d)?)(?![A-Za-z])"
    rf"(?P<between>\\?[\"'`]?\s{{0,4}}(?::=|=>|={{1,3}}|:|(?:string|str)\s=|:\s?(?:string|str)\s=)\s{{0,4}}"
    rf"|\s{{1,3}}(?:is|was|-)\s{{1,3}})\\?(?P<quote>[\"'`]?)(?P<secret>{_WRITTEN})"
)
_BESIDE = re.compile(
    r"(?i)(?<![A-Za-z0-9])(?:[a-z0-9][a-z0-9_.-]{0,63}?)??"
    r"(?P<name>(?:(?:secret|access|private|api|auth)[_ -]?)?(?:key|token|secret))[ \t]{1,3}[\"'`]?"
    rf"(?P<secret>{_WRITTEN})"
)
"""A value that follows its name without a sign between them, as notes have it."""

_IN_QUERY = re.compile(
    rf"(?i)[?&](?:key|access|auth|appid|app_id|api|sid|code|sig|signature|pass)=(?P<secret>{_WRITTEN})"
)
_PAIR = re.compile(
    rf"(?i)[\"'](?P<name>[a-z0-9_.-]{{0,64}}(?:key|token|secret|authorization))[\"']\s?,\s{{0,4}}"
    rf"[\"'](?:(?:bearer|token|basic|apikey|key)\s)?(?P<secret>{_WRITTEN})[\"']"
)
_SCHEME = re.compile(
    rf"(?i)\bauthorization\\{{0,2}}[\"']?\s{{0,4}}[:=,]\s{{0,4}}\\{{0,2}}[\"']?[a-z][a-z0-9-]{{1,24}}\s{{1,4}}(?P<secret>{_WRITTEN})"
)
"""Value of the header, behind a scheme of whoever asks for it."""

_CALL = re.compile(
    rf"(?i)\b(?P<name>[a-z][a-z0-9_.]{{0,63}}(?:key|token|secret|credentials?|bearer))\s?\(\s{{0,4}}\\?[\"'](?P<secret>{_WRITTEN})\\?[\"']"
)
"""Call named for a secret, with one as its first argument."""

_BEARERS: Final = ("credential", "credentials", "bearer", "apikey", "api_key")
"""Ends of such names of which a hash is no argument."""

_ELEMENT = re.compile(r"<(?P<name>[A-Za-z][\w.-]{0,64})>(?P<body>[^<]{4,2048})</")
_WORD = re.compile(rf"(?<![\w+/=.-]){_WRITTEN}")
_NO_SECRETS = re.compile(
    r"(?i)(?:^|[_. -])(?:cache|primary|foreign|partition|sort|public|pub|idempotency|object|row|hash|lookup|index|group"
    r"|unique|s3|map|dict|event|message|routing|i18n|query|record|order|cursor|config|registry|hot|shortcut|dedup|lock|bucket"
    r"|composite|natural|surrogate|shard|range|trace|translation|storage|session|merge|join|sorting|metadata|attribute|field|column"
    r"|restore|redis|file|image|document|item|issue|project|build|content|test)[_. -]?key"
)
_UUID = re.compile(r"(?i)[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")
_HEX = re.compile(r"(?i)[0-9a-f]+")
_PATH = re.compile(r"[\w.-]*/[\w.-]*/.*|.*\.(?:com|org|net|io|py|js|ts|json|ya?ml|md|txt|lock|html|png)\b.*")
_HUMP = re.compile(r"[a-z](?=[A-Z])")
_CAPITALS = re.compile(r"[A-Z]{2}")
_HUMP_WORD = re.compile(r"[A-Z][a-z]{3,}")
_TURN = re.compile(r"[A-Za-z](?=\d)|\d(?=[A-Za-z])")


def is_generated(text: str, *, may_be_hash: bool = False) -> bool:
    """Tests for a value of random letters and digits: no path, no identifier of a thing, and no hash.

    Args:
        may_be_hash: hex digits alone count as well, from 32 on.
    """
    if len(text) < SHORTEST or is_stand_in(text) or is_reference(text) or _UUID.fullmatch(text):
        return False
    if _HEX.fullmatch(text) and not (may_be_hash and len(text) >= 32):
        return False
    if _PATH.fullmatch(text) is not None or _is_of_words(text):
        return False
    turns, humps = len(_TURN.findall(text)), len(_HUMP.findall(text))
    if turns < FEWEST_TURNS:
        return humps * LETTERS_A_HUMP >= len(text) and len(_CAPITALS.findall(text)) > 1
    return turns + humps >= FEWEST_CHANGES if text.lower() != text else turns > FEWEST_TURNS + 1


def _is_of_words(text: str) -> bool:
    """Tests for an identifier: half of it are words in humps, and what is left are short numbers and abbreviations."""
    left = _HUMP_WORD.split(text)
    return 2 * sum(map(len, left)) <= len(text) and max(map(len, left)) <= LEFT_OF_WORDS


def names_no_secret(name: str) -> bool:
    """Tests for a name of a key that opens nothing: a cache's, a row's, a public one."""
    return _NO_SECRETS.search(name) is not None


def generated_keys(text: str) -> Iterator[SecretSpan]:
    """Finds generated values after a name that ends in `key`, in a query, in a header, and in an element."""
    lowered = text.lower()
    if "key" in lowered or "token" in lowered or "secret" in lowered:
        yield from _named(text)
        yield from _beside(text)
    if "?" in text:
        for match in _IN_QUERY.finditer(text):
            if is_generated(match[SECRET], may_be_hash=True):
                yield SecretSpan(*match.span(SECRET), "api_key")
    if '",' in text or "'," in text:
        for match in _PAIR.finditer(text):
            if is_generated(match[SECRET], may_be_hash=True) and not _NO_SECRETS.search(match["name"]):
                yield SecretSpan(*match.span(SECRET), kind_of(match["name"]))
    if "authorization" in lowered:
        for match in _SCHEME.finditer(text):
            if is_generated(match[SECRET], may_be_hash=True):
                yield SecretSpan(*match.span(SECRET), "authorization")
    if "('" in text or '("' in text or '(\\"' in text:
        for match in _CALL.finditer(text):
            is_bearer = match["name"].lower().endswith(_BEARERS)
            if is_generated(match[SECRET], may_be_hash=is_bearer) and not _NO_SECRETS.search(match["name"]):
                yield SecretSpan(*match.span(SECRET), kind_of(match["name"]))
    if "</" in text:
        for element in _ELEMENT.finditer(text):
            if names_a_secret(element["name"]):
                yield from _words(text, element)


def _named(text: str) -> Iterator[SecretSpan]:
    for match in _KEY.finditer(text):
        head = text[max(0, match.start() - 24) : match.end("name")]
        if names_no_secret(head):
            continue
        value = match[SECRET].rstrip(".")
        if is_generated(value, may_be_hash=_is_of_a_service(match)):
            yield SecretSpan(match.start(SECRET), match.start(SECRET) + len(value), "api_key")


def _beside(text: str) -> Iterator[SecretSpan]:
    for match in _BESIDE.finditer(text):
        value, name = match[SECRET].rstrip(".,:"), match["name"].lower()
        if len(value) < SHORTEST_BESIDE or names_no_secret(
            text[max(0, match.start("name") - 24) : match.end("name")]
        ):
            continue
        if is_generated(value, may_be_hash=name != "key"):
            yield SecretSpan(match.start(SECRET), match.start(SECRET) + len(value), kind_of(name))


def _is_of_a_service(match: re.Match[str]) -> bool:
    """Tests for a name that says whose key it is; a `key` alone is as often the hash that something is found by."""
    name = match["name"]
    return len(name) > len("key") or match["between"].strip().lower() in {"is", "was"}


def _words(text: str, element: re.Match[str]) -> Iterator[SecretSpan]:
    for word in _WORD.finditer(text, *element.span("body")):
        if is_generated(word[0].rstrip("}"), may_be_hash=True):
            yield SecretSpan(*word.span(), kind_of(element["name"]))


def repeated(text: str, spans: list[SecretSpan]) -> Iterator[SecretSpan]:
    """Finds the places where a secret that was found stands again, without its name."""
    for value, kind in {text[span.start : span.end]: span.kind for span in spans}.items():
        if len(value) < SHORTEST_REPEATED or not looks_generated(value):
            continue
        start = text.find(value)
        while start >= 0:
            yield SecretSpan(start, start + len(value), kind)
            start = text.find(value, start + len(value))
