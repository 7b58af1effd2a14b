"""Extraction of URNs from texts and from JSON values."""

import re
from collections.abc import Iterator
from typing import Any, Final, NamedTuple

from memory_layer.domain.memory import LABEL_MAX_CHARS

URNS_MAX: Final = 64
"""Most URNs returned, as many as a record may name."""

DEPTH_MAX: Final = 64
VALUES_MAX: Final = 200_000
"""Most values of a payload that are read; more than 4 MB of JSON hold in any practical use."""
CANDIDATES_MAX: Final = 4_096
"""Most distinct candidates for a URN that are examined."""

_URN = re.compile(
    r"(?<![\w:.-])urn:[a-z0-9][a-z0-9-]{0,31}:[^\s\"'<>\\^`{|}\x00-\x1f\ud800-\udfff]+", re.IGNORECASE
)
"""URN by RFC 8141, with the letters of all scripts and the brackets that catalogues nest URNs in; every character
is read a bounded number of times. Half a surrogate pair is no character, and no index can search for it."""

_SCHEMES: Final = ("urn:", "URN:", "Urn:")
_ENDS_A_SENTENCE: Final = ".,;:!?*_~\u2026\u3002\uff0c"
_PAIRS: Final = {")": "(", "]": "["}


class UrnsFound(NamedTuple):
    """URNs in order of occurrence, each once; `is_whole`: nothing was beyond the bounds."""

    urns: tuple[str, ...]
    is_whole: bool


def urns_in_text(text: str) -> Iterator[str]:
    """Finds every URN of a text, in order; one longer than any entity's name is skipped.

    A scheme in capitals is the same URN, and is returned in lower case.
    """
    if "urn:" not in text.lower():
        return
    for match in _URN.finditer(text):
        if (found := _urn_of(match[0])) is not None:
            yield found


def _urn_of(candidate: str) -> str | None:
    """URN in a candidate, without its sentence's punctuation; None: it is too long, or has only its first parts."""
    end = _trimmed(candidate)
    found = f"urn:{candidate[4:end]}"
    is_urn = end <= LABEL_MAX_CHARS and found.count(":") > 1 and not found.endswith(":")
    return found if is_urn else None


def urns_in(payload: Any) -> UrnsFound:
    """Finds every URN of a JSON value, keys included, in one pass; repeated texts are examined once.

    Args:
        payload: as a JSON parser returns it; read to DEPTH_MAX levels, VALUES_MAX values and CANDIDATES_MAX candidates.
    """
    walk = _Walk()
    texts = "\n".join(text for text in walk.texts(payload) if any(scheme in text for scheme in _SCHEMES))
    found: dict[str, None] = {}
    seen: set[str] = set()
    for match in _URN.finditer(texts):
        if match[0] in seen:
            continue
        seen.add(match[0])
        urn = _urn_of(match[0])
        is_one_more = urn is not None and urn not in found
        if len(seen) > CANDIDATES_MAX or (is_one_more and len(found) == URNS_MAX):
            return UrnsFound(tuple(found), is_whole=False)
        if urn is not None:
            found[urn] = None
    return UrnsFound(tuple(found), walk.is_whole)


class _Walk:
    """Walk over a JSON value, depth first, without recursion: nesting is bounded by DEPTH_MAX, not by the stack."""

    def __init__(self) -> None:
        self.is_whole = True

    def texts(self, payload: Any) -> Iterator[str]:
        stack, looked_at = [iter((payload,))], 0
        while stack and looked_at < VALUES_MAX:
            value = next(stack[-1], _END)
            looked_at += 1
            if value is _END:
                stack.pop()
            elif isinstance(value, str):
                yield value
            elif isinstance(value, (dict, list)):
                self._enter(stack, value)
        self.is_whole &= not stack

    def _enter(self, stack: list[Iterator[Any]], value: Any) -> None:
        if len(stack) > DEPTH_MAX:
            self.is_whole = False
        else:
            stack.append(_members(value))


_END: Final = object()


def _members(value: Any) -> Iterator[Any]:
    """Members of a value: the values of a list, the keys and values of an object."""
    return (part for item in value.items() for part in item) if isinstance(value, dict) else iter(value)


def _trimmed(candidate: str) -> int:
    """End of a URN inside prose: without a full stop, or a bracket that was opened before it."""
    end = min(len(candidate), 2 * LABEL_MAX_CHARS)
    surplus = {
        closing: candidate.count(closing, 0, end) - candidate.count(opening, 0, end)
        for closing, opening in _PAIRS.items()
    }
    while end > 0:
        last = candidate[end - 1]
        if surplus.get(last, 0) > 0:
            surplus[last] -= 1
        elif last not in _ENDS_A_SENTENCE:
            return end
        end -= 1
    return end
