"""Recognisers of credentials with a form of their own: issuers' tokens, JWTs, private keys, passwords in URLs."""

from __future__ import annotations

import re
from base64 import b64decode
from collections.abc import Iterator
from functools import cache
from itertools import compress, zip_longest
from typing import TYPE_CHECKING

from memory_layer.domain.safety.secret_spans import SecretSpan, matches
from memory_layer.domain.safety.secret_values import is_key_of_aws
from memory_layer.domain.safety.token_shapes import DECLARED_SHAPES, TOKEN_SHAPES, TokenShape

if TYPE_CHECKING:
    from detect_secrets.plugins.base import RegexBasedDetector


_MARKS = re.compile(
    r"xox[a-z]-|[sr]k_live_|sq0|SG\.|-us[0-9]|(?:SK|AC)[0-9a-z]{8}|hooks\.slack|[MNO][A-Za-z0-9_-]{23,25}\."
)
"""Marks of which every secret of these detectors has one, and hardly another text."""


def detected_by_issuer(text: str) -> Iterator[SecretSpan]:
    """Finds secrets by the chosen detectors of detect-secrets, each extended to the end of its run of characters."""
    if not _MARKS.search(text):
        return
    for kind, detector in _detectors():
        for secret in dict.fromkeys(detector.analyze_string(text)):
            yield from _occurrences(secret, text, kind)


@cache
def _detectors() -> tuple[tuple[str, RegexBasedDetector], ...]:
    # imported late: the package takes 120 ms, and most texts need none of it
    from detect_secrets.plugins.discord import DiscordBotTokenDetector
    from detect_secrets.plugins.mailchimp import MailchimpDetector
    from detect_secrets.plugins.sendgrid import SendGridDetector
    from detect_secrets.plugins.slack import SlackDetector
    from detect_secrets.plugins.square_oauth import SquareOAuthDetector
    from detect_secrets.plugins.stripe import StripeDetector
    from detect_secrets.plugins.twilio import TwilioKeyDetector

    return (
        ("discord_token", DiscordBotTokenDetector()),
        ("mailchimp_key", MailchimpDetector()),
        ("sendgrid_key", SendGridDetector()),
        ("slack_token", SlackDetector()),
        ("square_token", SquareOAuthDetector()),
        ("stripe_key", StripeDetector()),
        ("twilio_key", TwilioKeyDetector()),
    )


def _occurrences(secret: str, text: str, kind: str) -> Iterator[SecretSpan]:
    return matches(re.compile(re.escape(secret) + r"[A-Za-z0-9_-]*"), text, kind)


FORTY_CHARACTERS = TokenShape(
    "secret",
    "",
    re.compile(r"(?<![A-Za-z0-9+/_.-])[A-Za-z0-9+/]{40}(?![A-Za-z0-9+/=_-])"),
    is_key_of_aws,
)
"""Secret access keys of AWS, which have no prefix but a length and an alphabet of their own."""

_HINTS = tuple(shape.hint for shape in TOKEN_SHAPES)
_RUN_MIN_CHARS = 13
_RUN_OF_TOKEN = re.compile(rf"[A-Za-z0-9_+/=.:~-]{{{_RUN_MIN_CHARS}}}")
"""Run of characters that every token contains, and few sentences do."""


def issued_tokens(text: str) -> Iterator[SecretSpan]:
    """Finds tokens that carry their issuer's prefix."""
    longest = max(map(len, text.split()), default=0)  # ten times as fast as the run, in which no blank stands
    if longest >= _RUN_MIN_CHARS and _RUN_OF_TOKEN.search(text):
        for shape in compress(TOKEN_SHAPES, map(text.__contains__, _HINTS)):
            yield from matches(shape.pattern, text, shape.kind)
        for match in FORTY_CHARACTERS.pattern.finditer(text):
            if is_key_of_aws(match[0]):
                yield SecretSpan(*match.span(), FORTY_CHARACTERS.kind)


_RUN_OF_DECLARED = re.compile(r"[A-Za-z0-9]{20}")


def declared_tokens(text: str) -> Iterator[SecretSpan]:
    """Finds tokens of any issuer by a prefix that says `key`, `token` or the like."""
    if _RUN_OF_DECLARED.search(text):
        for shape in DECLARED_SHAPES:
            yield from matches(shape.pattern, text, shape.kind)


_KEY_EDGE = re.compile(r"-{4,5} ?(BEGIN|END) [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)? ?-{4,5}")
_KEY_BODY = re.compile(
    r"(?:(?:\s|\\[nrt]|[\"'>|,#])*"
    r"(?:[A-Za-z0-9+/=]{16,}|(?:Proc-Type|DEK-Info|Version|Comment|Hash|Charset):[^\n\\]*))+"
    r"(?:(?:\r?\n|\\n)[A-Za-z0-9+/=]{1,15}(?=[ \t\r]{0,8}(?:\n|\Z)|[\\\"']))?"
)
_PUTTY_KEY = re.compile(
    r"PuTTY-User-Key-File-[23]:[^\n]{1,64}\n\s{0,8}(?:Encryption|Private-Lines):"
    r"[\s\S]*?(?:Private-MAC: *[0-9A-Fa-f]{0,128}|\Z)"
)


def private_keys(text: str) -> Iterator[SecretSpan]:
    """Finds private keys as whole blocks; a truncated one from its first line to the end of its key-like text."""
    if "PuTTY-User-Key-File-" in text:
        yield from matches(_PUTTY_KEY, text, "private_key")
    if "PRIVATE KEY" not in text:
        return
    edges = list(_KEY_EDGE.finditer(text))
    for edge, following in zip_longest(edges, edges[1:]):
        if edge[1] == "END":
            continue
        is_whole = following is not None and following[1] == "END"
        block = following if is_whole else _KEY_BODY.match(text, edge.end())
        if block:
            yield SecretSpan(edge.start(), block.end(), "private_key")


_ENCODED_BLOCK = re.compile(
    r"(?<![A-Za-z0-9+/])(?P<head>LS0tLS1CRUdJTi[A-Za-z0-9+/_-]{26,58})[A-Za-z0-9+/_-]*={0,2}"
    r"(?:(?:\r?\n|\\n)[ \t]{0,8}[A-Za-z0-9+/_-]{1,76}={0,2}(?=[ \t\r]{0,8}(?:\n|\\n|\Z)))*"
)
"""Blocks that begin with `-----BEGIN ` in base64, as in kubeconfig, over several lines where wrapped."""

_ENCODED_KEY = re.compile(rb"-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----\s{0,4}\S")
_STANDARD_BASE64 = str.maketrans("-_", "+/")


def encoded_private_keys(text: str) -> Iterator[SecretSpan]:
    """Finds private keys in base64; certificates begin alike, but are public."""
    if "LS0tLS1CRUdJTi" not in text:
        return
    for block in _ENCODED_BLOCK.finditer(text):
        head = block["head"].translate(_STANDARD_BASE64)
        if _ENCODED_KEY.match(b64decode(head[: len(head) // 4 * 4])):
            yield SecretSpan(*block.span(), "private_key")


_URL_PASSWORD = re.compile(r"://[^\s/?#:\"'`<>]{0,128}:(?P<secret>[^\s/?#\"'`<>]{1,256})@(?=[\w\[$<{-])")
_DSN_PASSWORD = re.compile(
    r"(?:postgres(?:ql)?|mysql|mariadb|mongodb|redis|rediss|amqps?|mssql|oracle|clickhouse|cockroachdb)"
    r"(?:\+[a-z0-9]{1,20})?://[^\s/:\"'`<>]{0,128}:(?P<secret>[^\s\"'`<>]{1,256})@(?=[\w\[$<{-])"
)
_TEMPLATED = re.compile(r"[${%*]|\[REDACTED:|x{3,}|\.{3}")


def url_passwords(text: str) -> Iterator[SecretSpan]:
    """Finds passwords in URLs, between user and host; the user and the host are worth remembering and stay.

    Only in a database's URL may a password hold a slash: elsewhere that is a path with an @ in it.
    """
    if "://" not in text or "@" not in text:
        return
    for pattern in (_URL_PASSWORD, _DSN_PASSWORD):
        for span in matches(pattern, text, "url_password"):
            if not _TEMPLATED.match(text, span.start):
                yield span
