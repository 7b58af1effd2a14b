"""Detection of prompt injection, for quarantine: text that gives orders to a model or vouches for itself."""

import re
from collections.abc import Iterator
from unicodedata import normalize

from memory_layer.domain.safety.decodings import decodings
from memory_layer.domain.safety.disloyal_orders import CONCEALED_SHAPES, DISLOYAL_SHAPES
from memory_layer.domain.safety.false_approvals import APPROVAL_SHAPES
from memory_layer.domain.safety.foreign_interests import INTEREST_SHAPES
from memory_layer.domain.safety.further_languages import FURTHER_SHAPES
from memory_layer.domain.safety.instruction_patterns import INSTRUCTION_SHAPES, RUN_TOGETHER
from memory_layer.domain.safety.lifted_limits import DICTATED_SHAPES, LIMIT_SHAPES
from memory_layer.domain.safety.planted_orders import PLANTED_SHAPES
from memory_layer.domain.safety.precedence_claims import PRECEDENCE_SHAPES
from memory_layer.domain.safety.stolen_data import EXFILTRATION_SHAPES
from memory_layer.domain.safety.suspicious_pattern import SuspiciousPattern
from memory_layer.domain.safety.translated_instructions import TRANSLATED_SHAPES
from memory_layer.domain.safety.translated_roles import ROLE_SHAPES, SECRECY_SHAPES

_BIDI_CONTROLS = re.compile(r"[\u202a-\u202e\u2066-\u2069]")
_TAG_CHARACTERS = re.compile(r"(?<!\U0001f3f4)(?<![\U000e0020-\U000e007f])[\U000e0000-\U000e007f]")
"""Tag characters outside flags of regions (a black flag with tags after it): they spell invisible ASCII."""

_ZERO_WIDTH = re.compile(
    r"(?!\A)[\u200b\u2060-\u2064\ufeff\u180e]|(?<=[A-Za-z0-9])[\u200c\u200d\u00ad](?=[A-Za-z0-9])"
)
"""Zero-width characters. Joiners belong to Persian, Indic scripts and emoji; between Latin letters they hide words."""

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
    """Describes the hidden text in a text and its place, or None; ordinary emoji and scripts hide nothing."""
    if text.isascii():
        return None
    for what, pattern in _HIDING:
        match = pattern.search(text)
        if match:
            return f"hidden text: {what} (U+{ord(match[0][0]):04X} at position {match.start()})"
    return None


def visible(text: str) -> str:
    """Removes invisible characters from a text."""
    return text if text.isascii() else _INVISIBLE.sub("", text)


_SHAPES = (
    *INSTRUCTION_SHAPES,
    *APPROVAL_SHAPES,
    *DISLOYAL_SHAPES,
    *CONCEALED_SHAPES,
    *LIMIT_SHAPES,
    *PLANTED_SHAPES,
    *PRECEDENCE_SHAPES,
    *INTEREST_SHAPES,
    *TRANSLATED_SHAPES,
    *FURTHER_SHAPES,
    *SECRECY_SHAPES,
    *EXFILTRATION_SHAPES,
    *DICTATED_SHAPES,
    *ROLE_SHAPES,
)

_NEGATED = re.compile(
    r"(?:\bnot|\bnever|n't|\bavoid|\bcannot|\bwithout|\brefuses? to|\brather than|\binstead of|\bprevents?"
    r"|\bblocks?|\brejects?|\bdetects?|\bforbids?)"
    r"(?!\W{1,3}(?:hesitate|forget|fail|only|just|worry|mind|wait|miss|afraid|be afraid)\b)"
    r"(?:\W{1,3}\w{1,20}){0,3}\W{1,3}\Z"
)


NESTED_MAX = 2
"""Writings in one another that are decoded: base64 of base64."""


def suspicion(text: str) -> str | None:
    """Reason, in words for the reviewer, to suspect that a text is meant to steer its reader; None: no reason found.

    Advice in the imperative is no reason. A text is read as it is, and as it reads in other letters and codes.
    """
    hidden = hidden_characters(text)
    if hidden is not None:
        return hidden
    return _shape_of(text) or next(_shapes_of_decodings(visible(text), NESTED_MAX), None)


def _shapes_of_decodings(text: str, depth: int) -> Iterator[str]:
    for kind, decoded in decodings(text):
        reason = _shape_of(decoded) or _shape_run_together(decoded)
        if reason is None and depth > 1:
            reason = next(_shapes_of_decodings(decoded, depth - 1), None)
        if reason is not None:
            yield f"{kind} that decodes to instructions: {reason}"


def _shape_run_together(text: str) -> str | None:
    """Reason to suspect words without gaps between them, as letters that stood apart leave them."""
    return "tells the reader to drop its instructions" if RUN_TOGETHER.search(text.casefold()) else None


def _shape_of(text: str) -> str | None:
    lines = normalize("NFKC", visible(text))
    plain = _OTHER_BLANK.sub(" ", _BROKEN_SENTENCE.sub(" ", lines)).casefold()
    hinting = f"{plain} {_BETWEEN_WORDS.sub(' ', plain)} "
    lines = lines.casefold()
    is_hinted = hinting.__contains__
    return next(
        (
            shape.reason
            for shape in _SHAPES
            if (not shape.hints or any(map(is_hinted, shape.hints))) and _has_shape(shape, plain, lines)
        ),
        None,
    )


def _has_shape(shape: SuspiciousPattern, plain: str, lines: str) -> bool:
    """Tests a text for a shape. Args: plain: sentences go on over the ends of lines in it; lines: they do not."""
    return _is_there(shape, plain) or (shape.reads_lines and lines != plain and _is_there(shape, lines))


def _is_there(shape: SuspiciousPattern, plain: str) -> bool:
    if shape.pattern.search(plain) is None or not all(found.search(plain) for found in shape.companions):
        return False
    if not shape.companions and shape.unless is None:
        return _is_said(shape, plain)
    return any(
        all(companion.search(sentence) for companion in shape.companions)
        and not (shape.unless is not None and shape.unless.search(sentence))
        and _is_said(shape, sentence)
        for sentence in _sentences(plain)
    )


def _is_said(shape: SuspiciousPattern, text: str) -> bool:
    return any(
        not (shape.is_negatable and _NEGATED.search(text, max(0, match.start() - 64), match.start()))
        for match in shape.pattern.finditer(text)
    )


def _sentences(plain: str) -> Iterator[str]:
    """Splits a text into sentences, long ones into overlapping pieces: distant words do not count as together."""
    for sentence in _SENTENCE_END.split(plain):
        for start in range(0, max(1, len(sentence) - _REACH), _REACH):
            yield sentence[start : start + 2 * _REACH]


_BROKEN_SENTENCE = re.compile(
    r"(?<=[^\s.!?:;])[^\S\n]*\n[^\S\n]*(?:(?:>|#|//)[^\S\n]*)?(?!\d{1,3}[.)])(?=[^\W_])"
)
"""End of a line, and of no sentence, behind which words go on, also quoted or commented ones."""

_OTHER_BLANK = re.compile(r"[^\S\n ]|[^\S\n]{2,}")
_BETWEEN_WORDS = re.compile(r"[\W_]+")

_REACH = 200
"""Distance in characters within which patterns count as together."""

_SENTENCE_END = re.compile(r"(?<!\d)[.!?;]\s+(?!then\b|and\b|next\b|after\b|finally\b)|\n\s*\n")
