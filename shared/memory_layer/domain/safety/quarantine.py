"""Text of a run or a learning that orders the model about, or vouches for itself, waits for a person."""

from __future__ import annotations

import re
from base64 import b64decode
from binascii import Error as BadBase64
from collections.abc import Iterator
from unicodedata import normalize

from memory_layer.domain.exfiltration_shapes import EXFILTRATION_SHAPES
from memory_layer.domain.hidden_text import hidden_characters, visible
from memory_layer.domain.safety.instruction_patterns import INSTRUCTION_SHAPES
from memory_layer.domain.safety.suspicious_pattern import Shape
from memory_layer.domain.safety.translated_instructions import TRANSLATED_SHAPES

_SHAPES = (*INSTRUCTION_SHAPES, *TRANSLATED_SHAPES, *EXFILTRATION_SHAPES)

_BASE64 = re.compile(r"(?<![A-Za-z0-9+/_=-])[A-Za-z0-9+/_-]{24,8192}={0,2}(?![A-Za-z0-9+/_=-])")
_BLOBS_MAX = 32
_NEGATED = re.compile(
    r"(?:\bnot|\bnever|n't|\bavoid|\bcannot|\bwithout|\brefuses? to|\brather than|\binstead of|\bprevents?"
    r"|\bblocks?|\brejects?|\bdetects?|\bforbids?)(?:\W{1,3}\w{1,20}){0,2}\W{1,3}\Z"
)


def suspicion(text: str) -> str | None:
    """Why a text may be meant to steer whoever recalls it, in words for the reviewer; None: no reason seen.

    Advice in the imperative is no reason. A text is read as it is, and with its base64 decoded.
    """
    hidden = hidden_characters(text)
    if hidden is not None:
        return hidden
    return _shape_of(text) or next(_shapes_of_blobs(text), None)


def _shape_of(text: str) -> str | None:
    plain = normalize("NFKC", visible(text)).casefold()
    return next((shape.reason for shape in _SHAPES if _has_shape(plain, shape)), None)


def _has_shape(plain: str, shape: Shape) -> bool:
    if shape.hints and not any(hint in plain for hint in shape.hints):
        return False
    if not shape.companions:
        return _is_said(shape, plain)
    together = (shape.pattern, *shape.companions)
    return all(pattern.search(plain) for pattern in together) and any(
        all(companion.search(sentence) for companion in shape.companions) and _is_said(shape, sentence)
        for sentence in _sentences(plain)
    )


def _is_said(shape: Shape, text: str) -> bool:
    return any(
        not (shape.is_negatable and _NEGATED.search(text, max(0, match.start() - 64), match.start()))
        for match in shape.pattern.finditer(text)
    )


def _sentences(plain: str) -> Iterator[str]:
    """The sentences; a long one in overlapping pieces: what is far apart does not count as together."""
    for sentence in _SENTENCE_END.split(plain):
        for start in range(0, max(1, len(sentence) - _REACH), _REACH):
            yield sentence[start : start + 2 * _REACH]


_REACH = 200
"""Characters in which what belongs together is said."""

_SENTENCE_END = re.compile(r"[.!?;]\s+(?!then\b|and\b|next\b|after\b|finally\b)|\n\s*\n")


def _shapes_of_blobs(text: str) -> Iterator[str]:
    for number, blob in enumerate(_BASE64.finditer(text)):
        if number == _BLOBS_MAX:
            return
        reason = _shape_of(_decoded(blob[0]))
        if reason is not None:
            yield f"base64 that decodes to instructions: {reason}"


def _decoded(blob: str) -> str:
    padded = blob.rstrip("=") + "=" * (-len(blob.rstrip("=")) % 4)
    try:
        return b64decode(padded.translate(_URL_SAFE)).decode()
    except (BadBase64, UnicodeDecodeError):
        return ""


_URL_SAFE = str.maketrans("-_", "+/")
