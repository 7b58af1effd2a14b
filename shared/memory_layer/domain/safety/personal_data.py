"""Recognisers of personal data: e-mail and IP addresses, phone numbers. Used only where a project asks for it."""

import re
from collections.abc import Iterator
from ipaddress import ip_address

from memory_layer.domain.safety.secret_spans import SecretSpan, matches

_EMAIL = re.compile(
    r"(?<![\w.%+-])(?!git@)[\w.%+-]{1,64}@(?:[A-Za-z0-9-]{1,63}\.){1,8}[A-Za-z]{2,24}(?![\w@])"
)

_PHONES = (
    re.compile(r"(?<![\w+])\+[1-9](?:[ ./()-]{0,2}[0-9]){7,14}(?![0-9A-Za-z])"),
    re.compile(
        r"(?<![\w.-])(?:1[-. ])?(?:\([2-9][0-9]{2}\) ?|[2-9][0-9]{2}[-. ])"
        r"[2-9][0-9]{2}[-. ][0-9]{4}(?![\w-])(?!\.[0-9])"
    ),
    re.compile(
        r"(?i)\b(?:phone|tel|telephone|mobile|cell|fax|call|sms|whatsapp|telefon|handy)\b[^0-9+\n]{0,12}"
        r"(?P<secret>[0-9(](?:[ ./()-]{0,2}[0-9]){6,14})(?![0-9A-Za-z])"
    ),
)
"""Phone numbers: international with a plus; North American in three groups; any after a word that announces it."""

_IP_V4 = re.compile(r"(?<![\w.])(?<![0-9]-)[0-9]{1,3}(?:\.[0-9]{1,3}){3}(?![\w-])(?!\.[0-9])")
_IP_V6 = re.compile(
    r"(?<![\w:.])(?=[0-9A-Fa-f:]{0,39}[0-9])[0-9A-Fa-f:]{3,39}(?:(?:\.[0-9]{1,3}){3})?(?![\w:])(?!\.[0-9])"
)
_VERSION_BEFORE = re.compile(r"(?i)(?:version|release|build|\bv)[ =:]{0,2}\Z")


def emails(text: str) -> Iterator[SecretSpan]:
    """Finds e-mail addresses; the user of an SSH remote is none."""
    if "@" in text:
        yield from matches(_EMAIL, text, "email")


def phone_numbers(text: str) -> Iterator[SecretSpan]:
    """Finds phone numbers that look like nothing else."""
    for pattern in _PHONES:
        yield from matches(pattern, text, "phone")


def ip_addresses(text: str) -> Iterator[SecretSpan]:
    """Finds IP addresses except those that identify nobody: loopback, unspecified, broadcast and netmasks."""
    for pattern in (_IP_V4, _IP_V6):
        for match in pattern.finditer(text):
            is_version = _VERSION_BEFORE.search(text, max(0, match.start() - 12), match.start())
            if not is_version and _is_somebodys(match[0]):
                yield SecretSpan(match.start(), match.end(), "ip_address")


def _is_somebodys(candidate: str) -> bool:
    try:
        address = ip_address(candidate)
    except ValueError:
        return False
    return not (address.is_loopback or address.is_unspecified or candidate.startswith("255."))
