"""Version that a heading of a changelog names: `## 0.27.1 (2026-02-11)`, `2026-02-11, Version 1.4.0 (Current)`."""

import re
from collections.abc import Sequence
from typing import Final

HEADINGS_JOINED_BY: Final = " > "
"""Sign between the headings over a line, in the context of its memory."""

_NUMBER: Final = (
    r"(?P<number>\d{1,5}(?:\.\d{1,5}){1,3}(?:[a-z](?![a-z])"
    r"|[-.+]?(?:a|b|c|rc|alpha|beta|dev|post|pre|preview|next|canary|m)[-.]?\d[\w.+-]{0,16})?)"
)
_VERSION: Final = re.compile(
    r"\W{0,4}(?P<label>(?:version|release|rel|v)\.?\s+)?(?P<name>[a-z@][\w@./-]{0,60}?[ @])?"
    r"(?P<kind>(?:version|release)\s+)?\[?(?P<v>v)?"
    + _NUMBER
    + r"\]?(?:\([^()\s]*\))?(?P<rest>(?!\w).{0,60})",
    re.ASCII | re.IGNORECASE,
)
_OUTSPOKEN: Final = re.compile(
    r"(?:(?:19|20)\d\d[-./]\d\d[-./]\d\d\W{1,4}(?:version|release|v)\s?"
    r"|(?:major |notable )?changes (?:between|from) .{1,40} (?:and|to) (?:[a-z][\w-]{0,40} )?)"
    + _NUMBER
    + r"(?!\w)",
    re.ASCII | re.IGNORECASE,
)
"""Headings that say themselves that they are of a release, whatever stands behind its version."""

_DATE: Final = re.compile(r"\b(?:19|20)\d\d\b|\bunreleased\b", re.IGNORECASE)
_BESIDE: Final = re.compile(
    r"released?|on|the|of|from|vom|am|den|st|nd|rd|th|yanked|latest|current|unreleased|final|stable|beta|alpha|lts|tbd"
    r"|wip|draft|t|z|utc|(?:jan|feb|m\u00e4r|mar|apr|mai|may|jun|jul|aug|sep|okt|oct|nov|dez|dec)[a-z]*"
    r"|(?:mon|tues?|wed(?:nes)?|thu(?:rs)?|fri|sat(?:ur)?|sun)(?:day)?",
    re.IGNORECASE,
)
"""Words that may stand behind a version; with others the heading is of a topic."""
_WORD: Final = re.compile(r"[^\W\d_]+")
_HAS_NUMBER: Final = re.compile(r"\d\.\d")
_MAY_HAVE_NUMBER: Final = re.compile(r"\.\d")
"""The same, looked for from dot to dot."""

_CHANGES: Final = re.compile(
    r"\b(?:change ?log|changes|history|release notes|releases|news|what'?s new|\u00e4nderungsprotokoll"
    r"|versionshistorie|version history)\W*$",
    re.IGNORECASE,
)
_DOTS_OF_A_VERSION: Final = 2
"""Dots of a number that is a version wherever it stands; `3.2` may be a section."""


def version_in_context(context: str) -> str | None:
    """Version that the headings in a context name: most contexts have no number of one, and are not taken apart."""
    if _MAY_HAVE_NUMBER.search(context) is None or _HAS_NUMBER.search(context) is None:
        return None
    return version_under(context.split(HEADINGS_JOINED_BY))


def version_under(headings: Sequence[str]) -> str | None:
    """Version that the innermost heading of a release names, of headings from the outermost; None: there is none."""
    found = (version_in(headings[at], headings[:at]) for at in range(len(headings) - 1, -1, -1))
    return next((version for version in found if version is not None), None)


def version_in(heading: str, above: Sequence[str] = ()) -> str | None:
    """Version that a heading names, and no topic beside it.

    A number of two parts is one where something says so: a date, a `v`, a title of changes over it.
    """
    if _HAS_NUMBER.search(heading) is None:
        return None
    if outspoken := _OUTSPOKEN.match(heading):
        return outspoken["number"]
    found = _VERSION.fullmatch(heading)
    if found is None or not all(map(_BESIDE.fullmatch, _WORD.findall(found["rest"]))):
        return None
    return found["number"] if _is_told(found, above) else None


def _is_told(found: re.Match[str], above: Sequence[str]) -> bool:
    """Tests if a number is a version and no section, and not that of a thing that an instruction names."""
    if _DATE.search(found["rest"]) or any(map(_CHANGES.search, above)):
        return True
    is_bare = found["name"] is None and found["number"].count(".") >= _DOTS_OF_A_VERSION
    return is_bare or bool(found["label"] or found["kind"] or (found["v"] and found["name"] is None))
