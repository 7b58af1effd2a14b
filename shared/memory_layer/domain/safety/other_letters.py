"""Letters written otherwise, as tables: digits for letters, ciphers of letters, codes of signals."""

from typing import Final

UPSIDE_DOWN: Final = str.maketrans(
    {
        **dict(
            zip("\u0250q\u0254p\u01dd\u025f\u0183\u0265\u1d09\u027e\u029e\u026f", "abcdefghijkm", strict=True)
        ),
        **dict(zip("uodb\u0279s\u0287n\u028c\u028dx\u028e", "nopqrstuvwxy", strict=True)),
    }
)
"""Letters that look like Latin ones turned by 180 degrees."""

LEET_DIGITS: Final = "013456789@$!|+#\u20ac\u00a3\u00a1\u00a2\u00a7("
LEET: Final = str.maketrans(LEET_DIGITS, "oieasgtbgasilthelicsc")
LEET_WITH_L: Final = str.maketrans(LEET_DIGITS, "oleasgtbgasilthelicsc")
ROT13: Final = str.maketrans(
    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ",
    "nopqrstuvwxyzabcdefghijklmNOPQRSTUVWXYZABCDEFGHIJKLM",
)
ATBASH: Final = str.maketrans("abcdefghijklmnopqrstuvwxyz", "zyxwvutsrqponmlkjihgfedcba")
_SIGNALS: Final = (
    ".- -... -.-. -.. . ..-. --. .... .. .--- -.- .-.. -- "
    "-. --- .--. --.- .-. ... - ..- ...- .-- -..- -.-- --.."
)
MORSE: Final = dict(zip(_SIGNALS.split(" "), "abcdefghijklmnopqrstuvwxyz", strict=True))
BRAILLE: Final = dict(
    zip(
        map(
            ord, "\u2801\u2803\u2809\u2819\u2811\u280b\u281b\u2813\u280a\u281a\u2805\u2807\u280d\u281d\u2815"
        ),
        "abcdefghijklmno",
        strict=True,
    )
) | dict(
    zip(
        map(ord, "\u280f\u281f\u2817\u280e\u281e\u2825\u2827\u283a\u282d\u283d\u2835"),
        "pqrstuvwxyz",
        strict=True,
    )
)
SPELLING_WORDS: Final = (
    "alfa alpha bravo charlie delta echo foxtrot golf hotel india juliet juliett kilo lima mike november oscar papa "
    "quebec romeo sierra tango uniform victor whiskey xray yankee zulu"
)
ENCLOSED: Final = {
    first + place: chr(ord("a") + place)
    for first in (0x1F1E6, 0x1F110, 0x1F150, 0x1F170, 0x249C, 0xE0061, 0xE0041)
    for place in range(26)
} | {0xE0020: " "}
"""Enclosed letters, flags of regions and tags, as letters."""
