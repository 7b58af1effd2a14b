"""Redaction of secrets, before anything is stored, embedded or logged."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from memory_layer.domain.policy import PrivacyMode
from memory_layer.domain.safety.checksummed_numbers import bank_accounts, card_numbers, is_number_of_a_thing
from memory_layer.domain.safety.command_passwords import command_passwords
from memory_layer.domain.safety.connection_strings import (
    connection_passwords,
    hook_keys,
    registry_logins,
    url_tokens,
)
from memory_layer.domain.safety.credentials import (
    assigned_secrets,
    kind_of,
    names_a_secret,
    presented_credentials,
)
from memory_layer.domain.safety.generated_keys import generated_keys, repeated
from memory_layer.domain.safety.identity_papers import birth_dates, national_numbers, passport_numbers
from memory_layer.domain.safety.issued_tokens import (
    declared_tokens,
    detected_by_issuer,
    encoded_private_keys,
    issued_tokens,
    private_keys,
    url_passwords,
)
from memory_layer.domain.safety.login_commands import login_passwords
from memory_layer.domain.safety.named_pairs import named_pairs
from memory_layer.domain.safety.password_files import file_passwords
from memory_layer.domain.safety.personal_data import emails, ip_addresses, phone_numbers
from memory_layer.domain.safety.secret_spans import Recogniser, SecretSpan
from memory_layer.domain.safety.secret_values import is_stand_in
from memory_layer.domain.safety.seed_phrases import seed_phrases
from memory_layer.domain.safety.split_tokens import end_with_next_lines, split_tokens
from memory_layer.domain.safety.spoken_secrets import spoken_secrets

_SECRETS: tuple[Recogniser, ...] = (
    private_keys,
    encoded_private_keys,
    issued_tokens,
    detected_by_issuer,
    split_tokens,
    url_passwords,
    url_tokens,
    hook_keys,
    connection_passwords,
    file_passwords,
    command_passwords,
    login_passwords,
    registry_logins,
    card_numbers,
    bank_accounts,
    presented_credentials,
    assigned_secrets,
    named_pairs,
    spoken_secrets,
    generated_keys,
    declared_tokens,
    seed_phrases,
)
"""Recognisers, the most specific first: where two find the same characters, the first names the kind."""

_PERSONAL: tuple[Recogniser, ...] = (
    national_numbers,
    passport_numbers,
    birth_dates,
    emails,
    ip_addresses,
    phone_numbers,
)

RECOGNISERS: Mapping[PrivacyMode, tuple[Recogniser, ...]] = {
    "secrets": _SECRETS,
    "refuse": _SECRETS,
    "personal": (*_SECRETS, *_PERSONAL),
    "off": (),
}

_MARK = re.compile(r"\[REDACTED:[a-z_]+\]")


@dataclass(frozen=True, slots=True)
class RedactionFinding:
    """Number of secrets of a kind that were redacted at a place; never their text.

    Args:
        pointer: JSON pointer of the place.
        kind: the kind of secret.
        count: how many of the kind were there.
    """

    pointer: str
    kind: str
    count: int


@dataclass(frozen=True, slots=True)
class RedactedText:
    """Text as it may be stored, and the findings redacted from it."""

    text: str
    findings: tuple[RedactionFinding, ...]


def redact(text: str, mode: PrivacyMode, *, pointer: str = "") -> RedactedText:
    """Replaces every secret in a text with `[REDACTED:kind]`; the text around it stays.

    Never raises. Redacting the result again changes nothing.

    Args:
        text: any text.
        mode: which recognisers run; `refuse` finds what `secrets` finds, and its caller refuses.
        pointer: JSON pointer of the text, repeated in the findings.
    """
    kinds: Counter[str] = Counter()
    while spans := _secret_spans(text, RECOGNISERS[mode]):
        text = _without(text, spans)
        kinds.update(span.kind for span in spans)
    return RedactedText(
        text, tuple(RedactionFinding(pointer, kind, count) for kind, count in sorted(kinds.items()))
    )


def _secret_spans(text: str, recognisers: Iterable[Recogniser]) -> list[SecretSpan]:
    found = [_whole(span, text) for recognise in recognisers for span in recognise(text)]
    return _merged(_outside_marks([*found, *repeated(text, found)], text)) if found else []


_ENDS_WITH_LINE = frozenset({"card", "iban", "password", "seed_phrase"}) | {
    *("email", "ip_address", "phone", "national_id", "passport", "birth_date")
}


def _whole(span: SecretSpan, text: str) -> SecretSpan:
    """Secret with its pieces in the next lines; a password is never wrapped."""
    return span if span.kind in _ENDS_WITH_LINE else span._replace(end=end_with_next_lines(text, span.end))


def _outside_marks(spans: list[SecretSpan], text: str) -> Iterator[SecretSpan]:
    """Drops spans that hold only the marks of an earlier redaction."""
    marks = [mark.span() for mark in _MARK.finditer(text)]
    for span in spans:
        if not any(start <= span.start and span.end <= end for start, end in marks):
            yield span


def _merged(spans: Iterable[SecretSpan]) -> list[SecretSpan]:
    """Merges overlapping spans under the kind of the first that was found, by position."""
    merged: list[SecretSpan] = []
    for span in sorted(spans, key=lambda span: span.start):
        if merged and span.start < merged[-1].end:
            merged[-1] = merged[-1]._replace(end=max(merged[-1].end, span.end))
        else:
            merged.append(span)
    return merged


def _without(text: str, spans: list[SecretSpan]) -> str:
    parts, end = [], 0
    for span in spans:
        parts += [text[end : span.start], f"[REDACTED:{span.kind}]"]
        end = span.end
    return "".join([*parts, text[end:]])


def redact_json(
    value: Any, mode: PrivacyMode, *, pointer: str = ""
) -> tuple[Any, tuple[RedactionFinding, ...]]:
    """Redacts every text in a JSON value, keys too; a whole text under a key such as `password` is a secret.

    A number is read as its text; one that is no secret stays a number.

    Returns:
        The same structure, and the findings, each with the JSON pointer (RFC 6901) of its place.
    """
    if mode == "off":
        return value, ()
    findings: list[RedactionFinding] = []
    return _redacted_value(value, mode, pointer, findings, key=""), tuple(findings)


def _redacted_value(
    value: Any, mode: PrivacyMode, pointer: str, findings: list[RedactionFinding], *, key: str
) -> Any:
    if isinstance(value, str):
        clean = _redacted_text(value, mode, pointer, key)
        findings += clean.findings
        return clean.text
    if isinstance(value, int | float) and not isinstance(value, bool):
        return _redacted_number(value, mode, pointer, findings, key=key)
    if isinstance(value, Mapping):
        return _redacted_object(value, mode, pointer, findings)
    if isinstance(value, list | tuple):
        return [
            _redacted_value(item, mode, f"{pointer}/{position}", findings, key=key)
            for position, item in enumerate(value)
        ]
    return value


def _redacted_text(text: str, mode: PrivacyMode, pointer: str, key: str) -> RedactedText:
    if key and text and names_a_secret(key) and not is_stand_in(text):
        kind = kind_of(key)
        return RedactedText(f"[REDACTED:{kind}]", (RedactionFinding(pointer, kind, 1),))
    clean = redact(text, mode, pointer=pointer)
    is_a_thing = is_number_of_a_thing(key) and all(finding.kind == "card" for finding in clean.findings)
    return RedactedText(text, ()) if clean.findings and is_a_thing else clean


COUNT_MAX_DIGITS = 7
"""Most digits of a count: `token: 4096` is a count, and no token; a password may be as short as four digits."""

_PASSWORD_MIN_DIGITS = 4


def _redacted_number(
    value: float, mode: PrivacyMode, pointer: str, findings: list[RedactionFinding], *, key: str
) -> float | str:
    text = f"{value:.0f}" if isinstance(value, float) and value.is_integer() else str(value)
    clean = _redacted_text(text, mode, pointer, key if _may_be_secret(text, key) else "")
    findings += clean.findings
    return clean.text if clean.findings else value


def _may_be_secret(number: str, key: str) -> bool:
    digits = sum(map(str.isdigit, number))
    is_password = kind_of(key) == "password"
    return number.isdigit() and digits >= (_PASSWORD_MIN_DIGITS if is_password else COUNT_MAX_DIGITS + 1)


def _redacted_object(
    value: Mapping[str, Any], mode: PrivacyMode, pointer: str, findings: list[RedactionFinding]
) -> dict[str, Any]:
    clean: dict[str, Any] = {}
    for key, item in value.items():
        name = redact(key, mode)
        unique = _unused(name.text, clean)
        place = f"{pointer}/{unique.replace('~', '~0').replace('/', '~1')}"
        findings += (RedactionFinding(place, finding.kind, finding.count) for finding in name.findings)
        clean[unique] = _redacted_value(item, mode, place, findings, key=key)
    return clean


def _unused(name: str, taken: Mapping[str, Any]) -> str:
    """Unused key for a name, numbered where redaction has made two keys alike, so that no value is lost."""
    numbered, number = name, 1
    while numbered in taken:
        number += 1
        numbered = f"{name} {number}"
    return numbered
