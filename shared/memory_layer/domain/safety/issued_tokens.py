"""Recognisers of credentials with a form of their own: issuers' tokens, JWTs, private keys, passwords in URLs."""

from __future__ import annotations

import re
from base64 import b64decode
from collections.abc import Iterator
from functools import cache
from itertools import zip_longest
from typing import TYPE_CHECKING, NamedTuple

from memory_layer.domain.safety.secret_spans import SecretSpan, matches

if TYPE_CHECKING:
    from detect_secrets.plugins.base import RegexBasedDetector


_LONG_RUN = re.compile(r"[A-Za-z0-9_-]{20}")
"""Run of characters that every secret of these detectors contains, and ordinary prose does not."""


def detected_by_issuer(text: str) -> Iterator[SecretSpan]:
    """Finds secrets by the chosen detectors of detect-secrets, each extended to the end of its run of characters."""
    if not _LONG_RUN.search(text):
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


class TokenShape(NamedTuple):
    """Form of one issuer's tokens; `hint` is in every text that holds one, so that most texts cost nothing."""

    kind: str
    hint: str
    pattern: re.Pattern[str]


def _shape(kind: str, hint: str, pattern: str) -> TokenShape:
    return TokenShape(kind, hint, re.compile(rf"(?<![A-Za-z0-9])(?:{pattern})"))


_WORD = r"[A-Za-z0-9_-]"
_ALNUM = r"[A-Za-z0-9]"

TOKEN_SHAPES: tuple[TokenShape, ...] = (
    _shape("aws_access_key", "A3T", r"A3T[A-Z0-9][A-Z0-9]{16}(?![A-Za-z0-9])"),
    _shape("aws_access_key", "ABIA", r"ABIA[A-Z0-9]{16}(?![A-Za-z0-9])"),
    _shape("aws_access_key", "ACCA", r"ACCA[A-Z0-9]{16}(?![A-Za-z0-9])"),
    _shape("aws_access_key", "AKIA", r"AKIA[A-Z0-9]{16}(?![A-Za-z0-9])"),
    _shape("aws_access_key", "ASIA", r"ASIA[A-Z0-9]{16}(?![A-Za-z0-9])"),
    _shape("aws_signature", "X-Amz-Signature=", r"X-Amz-Signature=(?P<secret>[0-9a-f]{64,})"),
    _shape("github_token", "gh", rf"gh[pousr]_{_WORD}{{20,}}"),
    _shape("github_token", "github_pat_", rf"github_pat_{_WORD}{{22,}}"),
    _shape(
        "gitlab_token", "gl", rf"gl(?:pat|dt|rt|ptt|cbt|ft|soat|oas|imt|agent|ldt|ffct)-(?:{_WORD}|\.){{20,}}"
    ),
    _shape("gitlab_token", "GR1348941", rf"GR1348941{_WORD}{{20,}}"),
    _shape("slack_token", "xox", rf"xox[abceoprs](?:\.xox[bp])?-{_WORD}{{10,}}"),
    _shape("slack_token", "xapp-", rf"xapp-[0-9]-{_WORD}{{10,}}"),
    _shape(
        "slack_webhook",
        "hooks.slack.com",
        r"hooks\.slack\.com/(?:services|workflows|triggers)/(?P<secret>[\w/-]{20,})",
    ),
    _shape("discord_webhook", "/api/webhooks/", rf"/api/webhooks/[0-9]{{15,22}}/(?P<secret>{_WORD}{{40,}})"),
    _shape("stripe_key", "_live_", rf"[sr]k_live_{_ALNUM}{{10,}}"),
    _shape("stripe_key", "_test_", rf"[sr]k_test_{_ALNUM}{{10,}}"),
    _shape("stripe_key", "whsec_", r"whsec_[A-Za-z0-9+/=]{24,}"),
    _shape("google_api_key", "AIza", rf"AIza{_WORD}{{35,}}"),
    _shape("google_token", "GOCSPX-", rf"GOCSPX-{_WORD}{{20,}}"),
    _shape("google_token", "ya29.", rf"ya29\.(?:{_WORD}|\.){{20,}}"),
    _shape("google_token", "1//0", rf"1//0{_WORD}{{30,}}"),
    _shape("anthropic_key", "sk-ant-", rf"sk-ant-{_WORD}{{16,}}"),
    _shape("openai_key", "sk-", rf"sk-(?:proj|svcacct|admin|None)-{_WORD}{{16,}}"),
    _shape("openai_key", "sk-", rf"sk-(?=[A-Za-z]{{0,64}}[0-9]){_ALNUM}{{20,}}"),
    _shape("openrouter_key", "sk-or-", rf"sk-or-{_WORD}{{20,}}"),
    _shape("huggingface_token", "hf_", rf"hf_{_ALNUM}{{30,}}"),
    _shape("replicate_token", "r8_", rf"r8_{_ALNUM}{{30,}}"),
    _shape("groq_key", "gsk_", rf"gsk_{_ALNUM}{{30,}}"),
    _shape("xai_key", "xai-", rf"xai-{_ALNUM}{{40,}}"),
    _shape("perplexity_key", "pplx-", rf"pplx-{_ALNUM}{{40,}}"),
    _shape("npm_token", "npm_", rf"npm_{_ALNUM}{{30,}}"),
    _shape("pypi_token", "pypi-", rf"pypi-{_WORD}{{50,}}"),
    _shape("rubygems_key", "rubygems_", r"rubygems_[0-9a-f]{48,}"),
    _shape("docker_token", "dckr_", rf"dckr_(?:pat|oat)_{_WORD}{{20,}}"),
    _shape("digitalocean_token", "_v1_", r"do[oprt]_v1_[0-9a-f]{64,}"),
    _shape("shopify_token", "shp", r"shp(?:at|ca|pa|ss)_[0-9A-Fa-f]{32,}"),
    _shape("databricks_token", "dapi", r"dapi[0-9a-f]{32}(?:-[0-9])?(?![A-Za-z0-9])"),
    _shape("doppler_token", "dp.", rf"dp\.(?:pt|st|ct|sa|scim|audit)\.(?:{_WORD}|\.){{30,}}"),
    _shape("vault_token", "hv", rf"hv[sbr]\.{_WORD}{{24,}}"),
    _shape("terraform_token", ".atlasv1.", rf"{_ALNUM}{{14}}\.atlasv1\.{_WORD}{{40,}}"),
    _shape("linear_key", "lin_", rf"lin_(?:api|oauth)_{_ALNUM}{{32,}}"),
    _shape("notion_token", "ntn_", rf"ntn_{_ALNUM}{{40,}}"),
    _shape("notion_token", "secret_", rf"secret_(?=[A-Za-z]{{0,64}}[0-9]){_ALNUM}{{43,}}"),
    _shape("atlassian_token", "ATATT3", rf"ATATT3(?:{_WORD}|=){{40,}}"),
    _shape("newrelic_key", "NRAK-", r"NRAK-[A-Z0-9]{27,}"),
    _shape("postman_key", "PMAK-", r"PMAK-[0-9a-f]{24}-[0-9a-f]{34,}"),
    _shape("grafana_token", "gl", rf"(?:glsa|glc)_(?:{_WORD}|[+/=]){{30,}}"),
    _shape("sentry_token", "sntry", rf"sntry[su]_(?:{_WORD}|[+/=.]){{30,}}"),
    _shape("supabase_token", "sbp_", r"sbp_[0-9a-f]{40,}"),
    _shape("planetscale_token", "pscale_", rf"pscale_(?:tkn|pw|oauth)_(?:{_WORD}|\.){{30,}}"),
    _shape("tailscale_key", "tskey-", rf"tskey-{_WORD}{{20,}}"),
    _shape("fly_token", "FlyV1 ", rf"FlyV1 (?P<secret>fm[12]{_WORD}[A-Za-z0-9_+/=,-]{{20,}})"),
    _shape("airtable_token", "pat", rf"pat{_ALNUM}{{14}}\.[0-9a-f]{{64,}}"),
    _shape("onepassword_token", "ops_eyJ", rf"ops_eyJ(?:{_WORD}|=){{40,}}"),
    _shape("artifactory_key", "AKC", rf"AKC(?=[A-Za-z]{{0,64}}[0-9]){_ALNUM}{{10,}}"),
    _shape("mailgun_key", "key-", r"key-[0-9a-f]{32}(?![A-Za-z0-9])"),
    _shape("telegram_token", ":AA", rf"[0-9]{{8,10}}:AA{_WORD}{{32,}}"),
    _shape("azure_secret", "8Q~", rf"[A-Za-z0-9_~.]{{3}}8Q~(?:{_WORD}|[~.]){{31,}}"),
    _shape("azure_signature", "sig=", r"sig=(?P<secret>[A-Za-z0-9%+/_-]{40,}=?)"),
    _shape("age_key", "AGE-SECRET-KEY-1", r"AGE-SECRET-KEY-1[0-9A-Z]{50,}"),
    _shape("jwt", "eyJ", rf"(?<![_-])eyJ{_WORD}{{10,}}(?:\.{_WORD}{{2,}}){{1,4}}"),
)
"""Forms by the prefixes that issuers document for secret scanning; a run longer than usual is taken whole."""


def issued_tokens(text: str) -> Iterator[SecretSpan]:
    """Finds tokens that carry their issuer's prefix."""
    for shape in TOKEN_SHAPES:
        if shape.hint in text:
            yield from matches(shape.pattern, text, shape.kind)


_KEY_EDGE = re.compile(r"-{4,5} ?(BEGIN|END) [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)? ?-{4,5}")
_KEY_BODY = re.compile(
    r"(?:(?:\s|\\[nrt]|[\"'>|,#])*"
    r"(?:[A-Za-z0-9+/=]{16,}|(?:Proc-Type|DEK-Info|Version|Comment|Hash|Charset):[^\n\\]*))+"
    r"(?:(?:\r?\n|\\n)[A-Za-z0-9+/=]{1,15}(?=[ \t\r]{0,8}(?:\n|\Z)|[\\\"']))?"
)
_PUTTY_KEY = re.compile(
    r"PuTTY-User-Key-File-[23]:[^\n]{1,64}\n\s{0,8}Encryption:[\s\S]*?(?:Private-MAC: *[0-9A-Fa-f]{0,128}|\Z)"
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
