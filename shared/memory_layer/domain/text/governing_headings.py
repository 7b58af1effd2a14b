"""Headings that govern the text under them: they forbid it, or state its condition."""

import re
from collections.abc import Sequence
from typing import Literal

from memory_layer.domain.text.opposites import word_set

Force = Literal["forbids", "condemns", "restricts", "releases", "neutral"]

_DECORATION = re.compile(r"^(?:[\W_]|\d+(?:\.\d+)*[.):]|(?:rule|regel)\s*#?\d+\s*[:.)-])+", re.IGNORECASE)
_SPELLINGS = str.maketrans({"\u2019": "'", "\u2018": "'", "_": " ", "*": " ", "`": " "})
_CROSS = re.compile("[\u274c\u2717\u2718\u26d4\U0001f6ab\u2716]")
_LOUD_NOT = re.compile(r"\bN(?:OT|EVER)\b")
_TICK = re.compile("[\u2705\u2713\u2714\u2611]")

_OPENS_FORBIDDING = re.compile(
    r"(?:never|don'?ts?|do(?:es)? nots?|do not'?s|avoid|no|not|none|stop (?:doing|using)|refrain|reject"
    r"|skip (?:for|if|when)|(?:must|should) not|mustn't|shouldn't|no-?gos?|taboos?|forbidden|prohibited|banned"
    r"|disallowed|blacklist(?:ed)?|blocklist(?:ed)?|nicht|niemals|nie|keine?n?|tabus?|verboten\w*|vermeiden?"
    r"|verzichte|untersagt\w*|unzul\u00e4ssig\w*)\b"
)
_HOLDS_FORBIDDING = re.compile(
    r"\b(?:never|(?:what|things|when|how|why) not to|what to not|to avoid|must not|forbidden|prohibited|banned"
    r"|disallowed|not (?:allowed|permitted|available|doing)|off[- ]limits|do not|don'ts?$|avoid$|no-gos?"
    r"|niemals|verboten\w*|nicht erlaubt|vermeiden|(?:was|wie) (?:man |du |sie )?nicht)\b"
)
_CONDEMNING = re.compile(
    r"\banti-?\s?patterns?\b|\bantimuster\b|\b(?:common|known|frequent|typical) (?:mistakes?|pitfalls?|errors)\b"
    r"|\b(?:mistakes|pitfalls)(?: to avoid)?\W*$|^(?:wrong|incorrect)\b"
    r"|\b(?:deprecated|obsolete|discouraged|unsupported|rejected|unsafe|removed|abandoned)\b"
    r"|^bad\b|\bbad (?:practices?|examples?|patterns?|habits?|code)\b|\bcode smells?\b|\bnon-?\s?goals?\b"
    r"|\bout[- ]of[- ]scope\b|\bnot in scope\b|\bnot supported\b|\bworst practices?\b"
    r"|\bveraltet\w*|\babgek\u00fcndigt\w*|^falsch\w*|^schlecht\w*|\bnicht im (?:scope|umfang)\b|\bnichtziele?\b"
    r"|\bh\u00e4ufige fehler\b"
)
_RELEASING = re.compile(
    r"(?:(?:do|use)(?: this| these| it)?(?: instead)?|do'?s|instead|right|fix(?:es)?|solutions?|allowed|permitted"
    r"|(?:good|correct|preferred|recommended|better|alternative)(?: \w+){0,2}|always|alternatives"
    r"|what to (?:do|use)(?: instead)?|stattdessen|erlaubt|immer|l\u00f6sung"
    r"|(?:richtig|gut|besser|empfohlen)(?: \w+){0,2})[\W_]*"
)
_SPEAKS_OF_BOTH = re.compile(
    r"\bdo'?s?\W+(?:and|&|und|/|vs\.?)\W*don'?t'?s?\b|\bhow to avoid\b|\b(?:handling|fixing|migrating|avoiding)\b"
    r"|\bdon't repeat yourself\b|^no\.? ?\d|^not only\b"
)
_RESTRICTING = re.compile(
    r"(?:(?:on|if|when|whenever|while|unless|only|before|after|during|without|except|wenn|falls|sobald|nur|ohne|au\u00dfer"
    r"|unter|vor|nach|w\u00e4hrend|bei)\s+(?!to\b)\S"
    r"|(?:in|for|f\u00fcr)\s+(?:the\s+)?(?:production|prod|staging|development|dev|ci|tests?|windows|mac\s?os|linux|emergenc"
    r"|produktion)"
    r"|(?:windows|mac\s?os|linux|ios|android|production|staging)$)"
)
_HOLDS_RESTRICTING = re.compile(r"\bonly\)?$|\b(?:when|if)(?: you)?$|\(only\b|\bnur (?:f\u00fcr|bei|unter)\b")

_BARE = word_set("""
    never ever do does this these that things thing what not to don't dont don'ts donts forbidden avoid prohibited
    banned allowed permitted again please actions behaviors behaviours operations practices rules commands the
    following must should nicht tun niemals nie verboten verbotene verbotenes vermeiden aktionen befehle
    """)
"""Words of a bare title: a title of these words alone forbids and says no more."""

_DENIES_ITSELF = re.compile(
    r"(?:[^\w\n]|\d+[.)])*(?:you |we |agents? )?(?:do not|don't|never|avoid|must not|mustn't|should not|shouldn't"
    r"|cannot|can't|refrain|niemals|nie|nicht|kein|keine|keinen|vermeide)\b",
    re.IGNORECASE,
)


def force_of(title: str) -> Force:
    """Force that a heading, or a line that leads into a list, has over the text under it."""
    plain = " ".join(title.translate(_SPELLINGS).lower().split())
    words = _DECORATION.sub("", plain).rstrip(" :.!")
    if words.endswith("?") or _SPEAKS_OF_BOTH.search(words):
        return "neutral"
    if _CROSS.search(title) or _LOUD_NOT.search(title) or _forbids(words):
        return "forbids"
    if _CONDEMNING.search(words):
        return "condemns"
    if _TICK.search(title) or _RELEASING.fullmatch(words):
        return "releases"
    return "restricts" if _RESTRICTING.match(words) or _HOLDS_RESTRICTING.search(words) else "neutral"


def _forbids(words: str) -> bool:
    return bool(_OPENS_FORBIDDING.match(words) or _HOLDS_FORBIDDING.search(words))


def governing(titles: Sequence[str], text: str) -> tuple[str, ...]:
    """Titles over a text, outermost first, without which its meaning would change.

    A recommendation under a heading that forbids (`Instead`) is not forbidden; and a line that itself says `do not`
    needs no heading that says no more than that.
    """
    held: list[tuple[str, Force]] = []
    for title in titles:
        force = force_of(title)
        if force == "releases":
            held = [(above, kind) for above, kind in held if kind == "restricts"]
        elif force != "neutral" and not _is_redundant(title, force, text):
            held.append((title, force))
    return tuple(title for title, _ in held)


def _is_redundant(title: str, force: Force, text: str) -> bool:
    return force == "forbids" and _is_bare(title) and _DENIES_ITSELF.match(text) is not None


def _is_bare(title: str) -> bool:
    return set(re.findall(r"[\w']+", title.translate(_SPELLINGS).lower())) <= _BARE
