"""Credentials that bc-detect-secrets knows: the detectors whose finding is the secret itself, and certain.

Left out are those that guess by entropy or by a variable's name, whose patterns take more than linear time,
that report a part of the secret, or that take an SHA-512 digest for a key. None calls the network.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from typing import TYPE_CHECKING

from memory_layer.domain.safety.secret_spans import Span, matches

if TYPE_CHECKING:
    from detect_secrets.plugins.base import RegexBasedDetector

_LONG_RUN = re.compile(r"[A-Za-z0-9_-]{20}")
"""Every secret that these detectors know has one; ordinary prose has none."""


def detected_by_issuer(text: str) -> Iterator[Span]:
    """What the chosen detectors find, each finding to the end of its run of characters."""
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


def _occurrences(secret: str, text: str, kind: str) -> Iterator[Span]:
    return matches(re.compile(re.escape(secret) + r"[A-Za-z0-9_-]*"), text, kind)
