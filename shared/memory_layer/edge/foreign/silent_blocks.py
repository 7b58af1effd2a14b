"""Reasons for which a block of a file is no memory: it says nothing, or no news of a release."""

import re
from collections.abc import Sequence
from typing import Final

from memory_layer.domain.release_headings import version_in, version_under
from memory_layer.edge.foreign.footnotes import NOTE_MARK
from memory_layer.edge.foreign.plain_marks import is_struck_out
from memory_layer.edge.foreign.silent_lines import (
    CREDITS,
    NO_NEWS,
    NOTHING_SAID,
    PLACEHOLDER,
    POINTER,
    RELEASE_ALONE,
    STRUCK_OUT,
)

READ_MAX_CHARS: Final = 400
"""A longer block says something."""

_LINKS: Final = (
    re.compile(r"!?\[[^\[\]]*\](?:\([^()\s]*(?:\s+\"[^\"]*\"|\s[^()]*)?\)|\[[^\[\]]*\])"),
    re.compile(r"<?\b(?:https?|ftp|mailto):[^\s<>]+>?"),
    re.compile(r"(?<!\S)@[~\w./-]+"),
)
"""Links and images (badges once more, around what is left of them), bare addresses, @paths of imported files."""

_TAG: Final = re.compile(r"(?<!`)</?[A-Za-z][^<>`]*>(?!`)")
_MARKS: Final = re.compile(r"[*_`]+")
_WORD: Final = re.compile(r"\w")
_PATH_ALONE: Final = re.compile(
    r"(?:--8<--\s*)?[\"']?(?:\.{1,2}/)*[\w.-]+(?:/[\w.-]+)*\.(?:md|markdown|rst|txt)[\"']?"
)

_POINTS: Final = re.compile(
    r"(?:(?:see|view|read|for|check(?: out)?|find)\b.{0,60})?\b(?:(?:full|complete|detailed|entire|all|git)\W+)?"
    r"(?:change-?\s?logs?|changes|commits?|diff|compare|comparison|release notes|milestone|pull requests"
    r"|details|announcement|blog ?post)\b.{0,30}",
    re.IGNORECASE,
)
_POINTING: Final = re.compile(
    r"(?:\W|\b(?:see|view|read|find|check|out|more|for|in|at|on|the|this|here|and|or|all|further|details"
    r"|information|siehe"
    r"|mehr|details)\b)+",
    re.IGNORECASE,
)
_CREDITS: Final = re.compile(
    r".{0,40}\bmade (?:their|his|her|its) first contribution\b.*"
    r"|(?:(?:many|special|big|huge|a)\s)*(?:thanks|thank you|kudos|credits?|contributors?|committers?|authors?"
    r"|contributed by|(?:with )?contributions? (?:from|by)|danke|dank an)\b(?:\W|\b(?:to|all|and|for|the|this|their"
    r"|release|contribut\w+|our|of|following|people|everyone|who|in|an|und)\b)*",
    re.IGNORECASE,
)
_CREDITED: Final = re.compile(
    r"(?:new |all )?(?:contributors|committers|credits|thanks|acknowledge?ments)(?: (?:to|of|in|for) (?:this"
    r"|the) release)?\W*",
    re.IGNORECASE,
)
_CREDITED_MAX_CHARS: Final = 120
_NO_NEWS: Final = re.compile(
    r"(?:there (?:are|were) )?(?:no (?:\w+[ -]){0,3}changes?(?: to report)?(?: (?:in|for|to|since|yet)\b.{0,40})?"
    r"|(?:re-?)?(?:released?|published) without (?:any )?(?:\w+ )?changes\b.{0,60}"
    r"|none|n/?a|nothing(?: yet| to report)?|tb[da]|placeholder|version bump(?:s| only)?(?: for (?:package )?\S+)?"
    r"|(?:bump(?:ed|s)?|update[ds]?|increment(?:ed|s)?) (?:the )?(?:\w+ )?version(?: (?:number|to \S+"
    r"|for release))?"
    r"|same as (?:the )?(?:previous|last|above)\b.{0,40}|keine(?: \w+)? \u00e4nderungen)\W*",
    re.IGNORECASE,
)
_PLACEHOLDER: Final = re.compile(
    r"\W*(?:todo|tb[dac]|wip|work in progress|coming soon|fill (?:me|this) in|placeholder|lorem ipsum.*|to do"
    r"|(?:to be|will be) (?:added|done|written|defined|determined|documented|completed|continued|filled in)"
    r"(?: (?:later|soon))?|folgt(?: noch)?|kommt noch|in arbeit|noch (?:zu )?(?:erg\u00e4nzen|offen))\W*",
    re.IGNORECASE,
)
_DATE_ALONE: Final = re.compile(
    r"(?:(?:initial |first |final )?(?:released?|release date|date|published|last (?:updated|modified|change)"
    r"|updated"
    r"|stand|datum|ver\u00f6ffentlicht)\b\W*)?(?:on|am|vom)?\W*"
    r"(?:\d{4}[-./]\d\d?[-./]\d\d?|\d\d?[-./]\d\d?[-./]\d{4}|(?:[a-z]{3,9},? )?"
    r"\d{1,2}(?:st|nd|rd|th|\.)? [a-z]{3,9},? \d{4}"
    r"|[a-z]{3,9} \d{1,2}(?:st|nd|rd|th)?,? \d{4}|unreleased)\W*",
    re.IGNORECASE,
)
_CHANGES_FILE: Final = re.compile(
    r"(?:change-?log|changes|history|news|releases?|release-?notes)\b.*", re.IGNORECASE
)


def reason_of_silence(text: str, above: Sequence[str], file_name: str) -> str | None:
    """Reason for which a block is no memory; None: it says something.

    Args:
        above: headings over it, outermost first.
        file_name: tells a changelog, in which links, names, dates and versions alone are no news.
    """
    if not says_something(text) or (not above and _PATH_ALONE.fullmatch(text)):
        return NOTHING_SAID
    if is_struck_out(text):
        return STRUCK_OUT
    if len(text) > READ_MAX_CHARS:
        return None
    plain = _MARKS.sub("", text).strip()
    if _DATE_ALONE.fullmatch(plain):
        return RELEASE_ALONE
    if _PLACEHOLDER.fullmatch(plain):
        return PLACEHOLDER
    is_of_changes = _CHANGES_FILE.match(file_name) or version_under(above)
    return _reason_in_changes(plain, above) if is_of_changes else None


def _reason_in_changes(plain: str, above: Sequence[str]) -> str | None:
    bare = _TAG.sub(" ", _without_links(plain)).strip(" \t\n-:.!()>,")
    has_link = bare != plain.strip(" \t\n-:.!()>,")
    if version_in(plain) is not None:
        return RELEASE_ALONE
    if _NO_NEWS.fullmatch(plain):
        return NO_NEWS
    if has_link and (_POINTS.fullmatch(bare) or _POINTING.fullmatch(bare)):
        return POINTER
    is_credited = above and _CREDITED.fullmatch(above[-1]) and has_link and len(bare) <= _CREDITED_MAX_CHARS
    return CREDITS if is_credited or (has_link and _CREDITS.fullmatch(bare)) else None


def _without_links(text: str) -> str:
    for link in (_LINKS[0], *_LINKS):
        text = link.sub(" ", text)
    return text


def says_something(text: str) -> bool:
    """Tests if a text holds words besides links, badges, tags and marks of footnotes."""
    return _WORD.search(_TAG.sub(" ", _without_links(NOTE_MARK.sub("", text)))) is not None
