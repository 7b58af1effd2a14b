"""Rules for texts, names and globs, which answer with the problem in words or None; and letters as they are read."""

import re
from typing import Final
from unicodedata import combining, normalize

from memory_layer.domain.globs import ALTERNATIVES_MAX, PATTERN_MAX_CHARS

MEMORY_ID = r"[A-Za-z0-9_.:-]{1,128}"
PROJECT = r"_shared|[A-Za-z0-9][A-Za-z0-9_.-]{0,63}"
"""`_shared` is the tenant-wide project; no other name begins with an underscore."""

_UNSTORABLE = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff]")
_CHARACTER_CLASS = re.compile(r"\[!?\]?[^\]]*\]")


def text_problem(value: str) -> str | None:
    """Problem that keeps a text from reading back as stored: NUL, other controls, lone surrogates.

    Tabs and line ends are allowed.
    """
    match = _UNSTORABLE.search(value)
    if match is None:
        return None
    code = ord(match[0])
    what = "NUL" if code == 0 else "a control character" if code < 0x20 else "half of a surrogate pair"
    return f"{what} (U+{code:04X}) at character {match.start()}; remove it and send the text again"


def storable(value: str) -> str:
    """Replaces what `text_problem` finds by blanks: terminal colours in a log are no reason to refuse it."""
    return _UNSTORABLE.sub(" ", value)


def byte_length_problem(value: str, limit_bytes: int) -> str | None:
    """Problem of a text longer than a limit in bytes of UTF-8; the text must have no `text_problem`."""
    size = len(value.encode())
    return f"{size:,} bytes of UTF-8; the limit is {limit_bytes:,}" if size > limit_bytes else None


def project_problem(slug: str) -> str | None:
    """Problem that keeps a text from naming a project."""
    if re.fullmatch(PROJECT, slug):
        return None
    return "a project is 1 to 64 letters, digits, `_`, `.` or `-`, and begins with a letter or digit"


def glob_problem(tag: str, what: str = "tag") -> str | None:
    """Problem that keeps a tag from matching as a glob as it was meant; a keyword is a glob that matches itself.

    Args:
        what: a word for the tag in the problem.
    """
    if len(tag) > PATTERN_MAX_CHARS:
        return f"the {what} is {len(tag)} characters long; the limit is {PATTERN_MAX_CHARS}"
    if re.search(r"[\[\]]", _CHARACTER_CLASS.sub("", tag)):
        return f"the {what} {tag!r} has a square bracket without its other half"
    alternatives = _alternatives(tag)
    if alternatives is None:
        return f"the {what} {tag!r} has a brace without its other half"
    if alternatives > ALTERNATIVES_MAX:
        return f"the braces of the {what} make {alternatives:,} patterns; the limit is {ALTERNATIVES_MAX}"
    return None


def _alternatives(tag: str) -> int | None:
    """Number of patterns that the braces make: those inside one pair add up, pairs side by side multiply.

    None: braces without their other half.
    """
    added, product = [0], [1]
    for character in tag:
        if character == "{":
            added.append(0)
            product.append(1)
        elif character == "," and len(added) > 1:
            added[-1] += product[-1]
            product[-1] = 1
        elif character == "}":
            if len(added) == 1:
                return None
            inside = added.pop() + product.pop()
            product[-1] *= inside
    return product[0] if len(added) == 1 else None


_FURTHER_LOOKALIKES: Final = {
    "a": "\u15c5\U000102a0",
    "b": "\u0184\u13cf\u1472\u15af\ua7b4\u15f7\U00010282\U000102a1\U00010301",
    "c": "\u03c2\u2ca5\U0001043d\u2ca4\U000102a2\U00010302\U00010415\U0001051c",
    "d": "\u13e7\u146f\ua4d2\u15de\u15ea",
    "e": "\uab32\u04bd\u2d39\U000118a6\U000118ae\U00010286",
    "f": ("\uab35\ua799\u1e9d\u0584\ua798\u03dc\u15b4\U000118c2\U000118a2\U00010287\U000102a5\U00010525"),
    "g": "\u1d83\u050c\u13f3",
    "h": "\u13c2\u2c8e\u157c\U000102cf",
    "i": "\u0196\u2c92\u0269\ua647\u04cf\U000118c3",
    "j": "\u03f3\ua7b2\u037f\u148d",
    "k": "\u2c94\u16d5\U00010518",
    "l": "\u01c0\u04c0\u2d4f\U0001028a\u2cd0\u14aa\U000118a3\U000118b2\U0001041b\U00010526",
    "m": "\u03fa\u2c98\u15f0\u16d6\U000102b0\U00010311",
    "n": "\u057c\u2c9a\U00010513",
    "o": (
        "\u0c02\u0c82\u0d02\u0d82\u0966\u0a66\u0ae6\u0be6\u0c66\u0ce6\u0d66\u0e50\u0ed0\u1040"
        "\u06f5\u1d11\uab3d\u2c9f\u10ff\u0d20\u101d\U000104ea\U000118c8\U000118d7\U0001042c"
        "\u09e6\u0b66\U000114d0\U000118e0\u2c9e\u2d54\u12d0\u0b20\U000104c2\U000118b5"
        "\U00010292\U000102ab\U00010404\U00010516"
    ),
    "p": "\u2ca3\u2ca2\u146d\U00010295",
    "q": "\u2d55",
    "r": "\uab47\uab48\u1d26\u2c85\uab81\u13d2\U000104b4\u1587",
    "s": "\u01bd\U000118c1\U00010448\u13d5\U00010296\U00010420",
    "t": "\u2ca6\U000118bc\U00010297\U000102b1\U00010315",
    "u": "\ua79f\uab4e\uab52\u028b\U000104f6\U000118d8\u1200\U000104ce\u144c\U000118b8",
    "v": "\u0475\U000118c0\u0474\u2d38\u142f\U000118a0\U0001051d",
    "w": "\u0461\u0561\u13d4",
    "x": "\u1541\u157d\ua7b3\u2cac\u2d5d\u16b7\U00010290\U000102b4\U00010317\U00010527",
    "y": "\u0263\u1d8c\u1eff\uab5a\u04af\u10e7\U000118dc\u2ca8\u04ae\u13bd\U000118a4\U000102b2",
    "z": "\U000118c4\U000118a9",
}
"""By a Latin letter, those of alphabets that few write (Coptic, Deseret, Old Italic, syllabics), and zeros."""

LOOKALIKES: Final = str.maketrans(
    {
        **{letter: latin for latin, letters in _FURTHER_LOOKALIKES.items() for letter in letters},
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
    if text.isascii():
        return text.casefold()
    plain = "".join(letter for letter in normalize("NFKD", text) if not combining(letter))
    return plain.translate(LOOKALIKES).casefold().translate(LOOKALIKES)
