"""Bytes written as text: base64, base32, Ascii85, hex, digits, quoted-printable; decoded where they are readable."""

import re
import zlib
from base64 import a85decode, b32decode, b64decode
from typing import Final

DECODED_MAX: Final = 32_768
"""Characters, or bytes, of one decoded text that are looked at."""

HEX = re.compile(r"(?<![0-9a-fA-F])(?:(?:0x|\\x)?[0-9a-fA-F]{2}[\s:,-]{0,2}){12,}")
BINARY = re.compile(r"(?<![01])(?:[01]{8}[\s,]{0,2}){8,}")
NUMBERS = re.compile(r"(?<!\d)(?:\\?\d{2,3}[\s,;]{1,2}){10,}\d{2,3}(?!\d)")
BASE64 = re.compile(
    r"(?<![A-Za-z0-9+/_=-])(?:[A-Za-z0-9+/_-]{4,}(?:\s(?=[A-Za-z0-9+/_-]{4,}[=\s]|$))?){1,400}={0,2}"
)
BASE32 = re.compile(r"(?<![A-Z2-7])[A-Z2-7]{24,}={0,6}(?![A-Z2-7a-z])")
ASCII85 = re.compile(r"<~[!-uz\s]{16,}~>")
QUOTED = re.compile(r"(?:=[0-9A-F]{2}){4,}")
_BASE64_LEAST = 20


def _readable(raw: bytes) -> str:
    """Text of bytes, inflated if they are compressed; empty if they are none."""
    for wrapping in (zlib.MAX_WBITS | 32, -zlib.MAX_WBITS) if raw[:1] in (b"\x1f", b"\x78") else ():
        try:
            raw = zlib.decompressobj(wrapping).decompress(raw, DECODED_MAX)
        except zlib.error:
            continue
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


def _of_one_blob(blob: str) -> str:
    packed = blob.rstrip("=").translate(_URL_SAFE)
    if len(packed) < _BASE64_LEAST or len(packed) % 4 == 1:
        return ""
    return _readable(b64decode(packed + "=" * (-len(packed) % 4)))


_URL_SAFE: Final = str.maketrans("-_", "+/")


def from_base32(run: str) -> str:
    packed = run.rstrip("=")
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
    """Text of character codes: decimal ones, octal where all digits are."""
    codes = re.findall(r"\d+", run)
    for base in (10, 8):
        if all(set(code) <= set("0123456789"[:base]) for code in codes):
            found = [int(code, base) for code in codes]
            if all(code < 256 for code in found) and (text := _readable(bytes(found))):
                return text
    return ""


def from_quoted(text: str) -> str:
    raw = re.sub(r"=([0-9A-F]{2})", lambda match: chr(int(match[1], 16)), text.replace("=\n", ""))
    return _readable(raw.encode("latin-1", "replace"))
