"""Letters written otherwise, as tables: look-alikes, digits for letters, ciphers of letters, codes of signals."""

from typing import Final
from unicodedata import combining, normalize

LOOKALIKES: Final = str.maketrans(
    {
        **dict(
            zip(
                "\u0430\u0435\u043e\u0440\u0441\u0445\u0443\u0456\u0432\u0455\u0458\u04bb",
                "aeopcxyibsjh",
                strict=True,
            )
        ),
        **dict(
            zip(
                "\u0501\u051b\u051d\u0491\u043a\u043c\u0442\u043d\u044c\u043f\u0438\u0433",
                "dqwrkmthbnur",
                strict=True,
            )
        ),
        **dict(
            zip(
                "\u0410\u0412\u0415\u041a\u041c\u041d\u041e\u0420\u0421\u0422\u0423\u0425",
                "abekmhopctyx",
                strict=True,
            )
        ),
        **dict(zip("\u0406\u0405\u0408", "isj", strict=True)),
        **dict(
            zip(
                "\u03b1\u03b2\u03b3\u03b4\u03b5\u03b6\u03b7\u03b9\u03ba\u03bb\u03bc\u03bd",
                "abydezniklmv",
                strict=True,
            )
        ),
        **dict(
            zip(
                "\u03bf\u03c1\u03c3\u03c4\u03c5\u03c6\u03c7\u03c9\u03f2\u0391\u0392\u0395",
                "opotuoxwcabe",
                strict=True,
            )
        ),
        **dict(
            zip(
                "\u0396\u0397\u0399\u039a\u039c\u039d\u039f\u03a1\u03a4\u03a5\u03a7",
                "zhikmnoptyx",
                strict=True,
            )
        ),
        **dict(
            zip(
                "\u1d00\u0299\u1d04\u1d05\u1d07\ua730\u0262\u029c\u026a\u1d0a\u1d0b\u029f",
                "abcdefghijkl",
                strict=True,
            )
        ),
        **dict(
            zip(
                "\u1d0d\u0274\u1d0f\u1d18\u01eb\u0280\ua731\u1d1b\u1d1c\u1d20\u1d21\u028f",
                "mnopqrstuvwy",
                strict=True,
            )
        ),
        **dict(zip("\u0585\u0555\u054f\u0570\u0578\u057d\u0563\u0566\u0581", "ooshnuqqg", strict=True)),
        **dict(
            zip(
                "\u13aa\u13f4\u13df\u13a0\u13ac\u13c0\u13bb\u13a5\u13ab\u13e6\u13de\u13b7",
                "abcdeghijklm",
                strict=True,
            )
        ),
        **dict(zip("\u13e2\u13a1\u13da\u13a2\u13d9\u13b3\u13a9\u13c3", "prstvwyz", strict=True)),
        **dict(
            zip(
                "\ua4ee\ua4d0\ua4da\ua4d3\ua4f0\ua4dd\ua4d6\ua4e7\ua4f2\ua4d9\ua4d7\ua4e1\ua4df",
                "abcdefghijklm",
                strict=True,
            )
        ),
        **dict(
            zip(
                "\ua4e0\ua4f3\ua4d1\ua4e3\ua4e2\ua4d4\ua4f4\ua4e6\ua4ea\ua4eb\ua4ec\ua4dc",
                "noprstuvwxyz",
                strict=True,
            )
        ),
        **dict(zip("\u1d22\u0251\u0261\u0131\u00f8\u0142\u0111\u2113", "zagioldl", strict=True)),
    }
)
"""Letters that look like Latin ones. Source: Unicode Technical Standard 39, confusables of a to z; small capitals."""


def read_letters(text: str) -> str:
    """Text as eyes and models read it, in small letters: those that look Latin are Latin, without marks."""
    plain = "".join(letter for letter in normalize("NFKD", text) if not combining(letter))
    return plain.translate(LOOKALIKES).casefold().translate(LOOKALIKES)


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
