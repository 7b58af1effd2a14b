"""Characters that a person does not see and a model reads."""

from __future__ import annotations

import re

_BIDI_CONTROLS = re.compile(r"[\u202a-\u202e\u2066-\u2069]")
_TAG_CHARACTERS = re.compile(r"(?<!\U0001f3f4)(?<![\U000e0020-\U000e007f])[\U000e0000-\U000e007f]")
"""Flags of regions are a black flag with tags after it; tags elsewhere spell ASCII that nobody sees."""

_ZERO_WIDTH = re.compile(
    r"(?!\A)[\u200b\u2060-\u2064\ufeff\u180e]|(?<=[A-Za-z0-9])[\u200c\u200d\u00ad](?=[A-Za-z0-9])"
)
"""Joiners belong to Persian, Indic scripts and emoji; between Latin letters they only hide words."""

_VARIATION_SELECTORS = re.compile(r"[\ufe00-\ufe0f\U000e0100-\U000e01ef]{3}")

_INVISIBLE = re.compile(
    r"[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164"
    r"\ufe00-\ufe0f\ufeff\uffa0\U000e0000-\U000e0fff]"
)

_HIDING = (
    ("characters that turn the reading direction", _BIDI_CONTROLS),
    ("invisible tag characters", _TAG_CHARACTERS),
    ("zero-width characters inside words", _ZERO_WIDTH),
    ("runs of variation selectors", _VARIATION_SELECTORS),
)


def hidden_characters(text: str) -> str | None:
    """What a text hides from the eye and where, or None; ordinary emoji and scripts hide nothing."""
    if text.isascii():
        return None
    for what, pattern in _HIDING:
        match = pattern.search(text)
        if match:
            return f"hidden text: {what} (U+{ord(match[0][0]):04X} at position {match.start()})"
    return None


def visible(text: str) -> str:
    """The text without what cannot be seen."""
    return text if text.isascii() else _INVISIBLE.sub("", text)
