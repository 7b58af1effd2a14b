"""Bytes written as text: base64, base32, Ascii85, hex, digits, quoted-printable; decoded where they are readable."""

import bz2
import lzma
import re
import zlib
from base64 import a85decode, b32decode, b64decode, b85decode
from binascii import a2b_uu
from collections.abc import Callable, Sequence
from typing import Final

from memory_layer.domain.safety.text_caches import kept_by_text

DECODED_MAX: Final = 32_768
"""Characters, or bytes, of one decoded text that are looked at."""

HEX = re.compile(r"(?<![0-9a-fA-F])(?:(?:0x|\\x)?[0-9a-fA-F]{2}[\s:,-]{0,2}){12,}")
BINARY = re.compile(r"(?<![01])(?:[01]{8}[\s,]{0,2}){8,}")
NUMBERS = re.compile(r"(?<!\d)(?:\\?\d{2,3}[\s,;]{1,2}){10,}\d{2,3}(?!\d)")
BASE64 = re.compile(
    r"(?<![A-Za-z0-9+/_=-])(?:[A-Za-z0-9+/_-]{4,}(?:\s(?=[A-Za-z0-9+/_-]{4,}[=\s]|$))?){1,400}={0,2}"
)
BASE64_OF_WORDS = re.compile(
    r"(?<!\S)(?:[A-Za-z0-9+/]{2,40}={0,2}[ \t\n]+){3,}[A-Za-z0-9+/]{2,40}={0,2}(?!\S)"
)
BASE64_IN_PIECES = re.compile(
    r"(?<![\w+/])(?:[A-Za-z0-9+/]{2,8}[.:|,;_*-]){7,}[A-Za-z0-9+/]{1,8}={0,2}(?![\w+/])"
)
BASE85 = re.compile(r"(?<!\S)(?=\S*[!#$%&()*;<>?@^`{|}~])[0-9A-Za-z!#$%&()*+\-;<=>?@^_`{|}~]{25,}(?!\S)")
BASE32 = re.compile(r"(?<![A-Za-z2-7])(?:[A-Z2-7]{24,}|[a-z2-7]{24,})={0,6}(?![A-Za-z2-7])")
ASCII85 = re.compile(r"<~[!-uz\s]{16,}~>")
QUOTED = re.compile(r"(?:=[0-9A-F]{2}[^=\s]{0,24}(?:=\r?\n)?[^=\s]{0,24}){4,}")
CALLS = re.compile(r"(?:\bchr\(\d{1,3}\)\W{0,5}){8,}", re.IGNORECASE)
UU = re.compile(r"^[!-M][!-`]{20,60}$", re.MULTILINE)
UTF7 = re.compile(r"(?:\+[A-Za-z0-9/]{2,40}-[^+]{0,40}){3,}")
_BASE64_LEAST = 20
LONG_WORD: Final = 20
_DIGITS = re.compile(r"(?:\d\D*+){8}")


@kept_by_text(4)
def has_digits(text: str) -> bool:
    """Tests for eight digits, without which a text holds no hex, no binary digits and no codes of characters."""
    return _DIGITS.search(text) is not None


_CODED = re.compile(r"[a-z][A-Z]|[A-Za-z][0-9]|[0-9][A-Za-z]")


@kept_by_text(4)
def has_coded_word(text: str) -> bool:
    """Tests for a capital after a small letter, or a digit beside a letter: base64 of readable text has them."""
    return _CODED.search(text) is not None


def among_coded_words(pattern: re.Pattern[str]) -> Callable[[str], bool]:
    """Test for a pattern that only a text with words of capitals and digits has."""
    return lambda text: has_coded_word(text) and pattern.search(text) is not None


@kept_by_text(4)
def has_long_word(text: str) -> bool:
    """Tests for a word of twenty characters, without which a text holds no joined words and no run of base85."""
    return max(map(len, text.split()), default=0) >= LONG_WORD


def among_long_words(pattern: re.Pattern[str]) -> Callable[[str], bool]:
    """Test for a pattern that only a text with a long word has."""
    return lambda text: has_long_word(text) and pattern.search(text) is not None


def among_digits(pattern: re.Pattern[str]) -> Callable[[str], bool]:
    """Test for a pattern that only a text with digits has."""
    return lambda text: has_digits(text) and pattern.search(text) is not None


def _inflated(raw: bytes) -> bytes:
    """Bytes as they were before they were compressed, DECODED_MAX of them; the same if they were not."""
    for magic, inflate in _INFLATING:
        if raw.startswith(magic):
            try:
                return inflate(raw)
            except (zlib.error, lzma.LZMAError, OSError, EOFError):
                continue
    return raw


_MEMORY_MAX: Final = 1 << 24
_INFLATING: Final[tuple[tuple[bytes, Callable[[bytes], bytes]], ...]] = (
    (b"\x1f", lambda raw: zlib.decompressobj(zlib.MAX_WBITS | 32).decompress(raw, DECODED_MAX)),
    (b"\x78", lambda raw: zlib.decompressobj(zlib.MAX_WBITS | 32).decompress(raw, DECODED_MAX)),
    (b"BZh", lambda raw: bz2.BZ2Decompressor().decompress(raw, DECODED_MAX)),
    (b"\xfd7zXZ", lambda raw: lzma.LZMADecompressor(memlimit=_MEMORY_MAX).decompress(raw, DECODED_MAX)),
)
"""Compressions by the bytes that they begin with."""


def _readable(raw: bytes) -> str:
    """Text of bytes, inflated if they are compressed; empty if they are none."""
    raw = _inflated(raw)
    for coding in ("utf-8", "utf-16"):
        try:
            text = raw.decode(coding)
        except UnicodeDecodeError:
            continue
        if text.isprintable() or sum(map(str.isprintable, text)) > 0.9 * len(text):
            return text
    return ""


def from_base64(run: str) -> str:
    """Text of lines of base64, or of the first word of them that is some."""
    pieces = run.split()
    tried = ("".join(pieces), *(pieces if len(pieces) > 1 else ()))
    return next(filter(None, map(_of_one_blob, tried)), "")


def _is_mixed(packed: str) -> bool:
    """Tests for capitals and digits: base64 of readable text is half of them, words of a language are not."""
    return len(packed.encode().translate(None, _CAPITALS_AND_DIGITS)) * 8 < len(packed) * 7


_CAPITALS_AND_DIGITS: Final = b"ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"


def _of_one_blob(blob: str) -> str:
    packed = blob.rstrip("=").translate(_URL_SAFE)
    if len(packed) < _BASE64_LEAST or len(packed) % 4 == 1 or not _is_mixed(packed):
        return ""
    return _readable(b64decode(packed + "=" * (-len(packed) % 4)))


_URL_SAFE: Final = str.maketrans("-_", "+/")


def from_base64_of_words(run: str) -> str:
    """Text of words that are base64 each; empty unless every one is."""
    found = []
    for word in run.split():
        packed = word.rstrip("=")
        raw = b"" if len(packed) % 4 == 1 else b64decode(packed + "=" * (-len(packed) % 4))
        if not raw or not raw.isascii() or not raw.decode().isprintable():
            return ""
        found.append(raw.decode())
    return " ".join(found)


def from_base64_in_pieces(run: str) -> str:
    return _of_one_blob(re.sub(r"[^A-Za-z0-9+/]", "", run))


def from_base85(run: str) -> str:
    try:
        return _readable(b85decode(run))
    except ValueError:
        return ""


def from_uu(line: str) -> str:
    try:
        return _readable(a2b_uu(line))
    except ValueError:
        return ""


def from_utf7(text: str) -> str:
    return text.encode("ascii", "ignore").decode("utf-7", "ignore")


def from_base32(run: str) -> str:
    packed = run.rstrip("=").upper()
    try:
        return _readable(b32decode(packed + "=" * (-len(packed) % 8)))
    except ValueError:
        return ""


def from_ascii85(run: str) -> str:
    try:
        return _readable(a85decode(run, adobe=True))
    except ValueError:
        return ""


def from_hex(run: str) -> str:
    digits = re.sub(r"0x|[^0-9a-fA-F]", "", run)
    return _readable(bytes.fromhex(digits[: len(digits) // 2 * 2]))


def from_binary(run: str) -> str:
    bits = re.sub(r"[^01]", "", run)
    return _readable(bytes(int(bits[at : at + 8], 2) for at in range(0, len(bits) - 7, 8)))


def from_numbers(run: str) -> str:
    """Texts of character codes: of decimal ones, and of octal ones where all digits are."""
    codes = re.findall(r"\d+", run)
    return "\n".join(filter(None, (_of_codes(codes, base) for base in (10, 8))))


def _of_codes(codes: Sequence[str], base: int) -> str:
    if not all(set(code) <= set("0123456789"[:base]) for code in codes):
        return ""
    found = [int(code, base) for code in codes]
    return _readable(bytes(found)) if all(code < 256 for code in found) else ""


def from_quoted(text: str) -> str:
    raw = re.sub(r"=([0-9A-F]{2})", lambda match: chr(int(match[1], 16)), text.replace("=\n", ""))
    return _readable(raw.encode("latin-1", "replace"))
