"""Headings that govern the text under them: they forbid it, or state its condition."""

import re
from collections.abc import Sequence
from typing import Literal

from memory_layer.domain.text.denying_titles import denies, weighs
from memory_layer.domain.text.opposites import word_set

Force = Literal["forbids", "condemns", "reports", "weighs", "denies", "restricts", "releases", "neutral"]
"""`reports`: what stands under it is over, or not there yet (`Fixed`, `Breaking changes`, `Planned`); `weighs`: it
speaks for or against something (`Cons`); `denies`: it is not so (`Not included are`)."""

_DECORATION = re.compile(
    r"^(?:[\W_]|\d+(?:\.\d+)+\s|\d+(?:\.\d+)*[a-z]?[.):]|[a-z]\)|(?:rule|regel)\s*#?\d+\s*[:.)-])+",
    re.IGNORECASE,
)
_SPELLINGS = str.maketrans({"\u2019": "'", "\u2018": "'", "_": " ", "*": " ", "`": " "})
_CROSS = re.compile("[\u274c\u2717\u2718\u26d4\U0001f6ab\u2716]")
_LOUD_NOT = re.compile(r"\bN(?:OT|EVER)\b")
_TICK = re.compile("[\u2705\u2713\u2714\u2611]")

_OPENS_FORBIDDING = re.compile(
    r"(?:never|don'?ts?|do(?:es)? nots?|do not'?s|avoid|no|not|none|stop (?:doing|using)|refrain"
    r"|skip (?:for|if|when)|(?:must|should) not|mustn't|shouldn't|no-?gos?|taboos?|forbidden|prohibited|banned"
    r"|disallowed|(?:black|block|deny|exclusion)[ -]?list(?:ed)?|hands off|keep out|leave (?:\w+ ){0,3}alone"
    r"|off[- ]?limits|out of bounds|zero tolerance|(?:stay|keep) away|steer clear|unwanted|unacceptable|unwelcome"
    r"|(?:skip|ignore|forget)(?: about)?(?: (?:these|this|those|the following)\b.*|$)|restrictions?(?: (?:for"
    r"|on) .*|$)"
    r"|bitte (?:keine?n?|unterlassen|vermeiden)|lieber (?:nicht|keine?n?)|so nicht|unerw\u00fcnscht\w*"
    r"|abgelehnt\w*|unterlass\w*"
    r"|won'?t (?:do|fix)|wontfix|cannot|can't|bitte nicht|auf keinen fall|keinesfalls|finger weg"
    r"|nicht|niemals|nie|keine?n?|tabus?|verboten\w*|vermeiden?|verzichte|untersagt\w*|unzul\u00e4ssig\w*)\b"
)
_HOLDS_FORBIDDING = re.compile(
    r"\b(?:(?:may|should|shall) not$|(?:darf|d\u00fcrfen|sollen?|sollten?) (?:\w+ ){0,3}nicht$"
    r"|never|(?:what|things|when|how|why) not to|what to not|to avoid|must not|forbidden|prohibited|banned"
    r"|disallowed|not (?:allowed|permitted|available|doing)|off[- ]limits|(?:does|do) not belong"
    r"|geh\u00f6rt nicht|do not|don'ts?$|avoid$|no-gos?|we (?:don't|won't|never|avoid)"
    r"|auf keinen fall|(?:machen|tun|wollen|nutzen|verwenden) wir nicht|deny ?list|red flags?"
    r"|(?:what|things?|stuff|tools?|librar(?:y|ies)|packages?|patterns?|habits?|files?|folders?|commands?|apis?"
    r"|features?)"
    r" (?:\w+ ){0,3}(?:not|never|no longer|stop(?:ped)?|refuse|decline|reject)(?! found)"
    r"|(?:get|gets|be) (?:your |a |the )?(?:\w+ )?(?:rejected|reverted)|(?:decided|chose|voted) against"
    r"|(?:was|wie|dinge|sachen|werkzeuge) (?:\w+ ){0,3}(?:nicht|nie|lassen|unterlassen)"
    r"|nie|niemals|verboten\w*|nicht erlaubt|vermeiden|(?:was|wie) (?:man |du |sie )?nicht)\b"
)
_CONDEMNING = re.compile(
    r"\banti-?\s?patterns?\b|\bantimuster\b|\b(?:common|known|frequent|typical) (?:mistakes?|pitfalls?"
    r"|errors)\b"
    r"|\b(?:mistakes|pitfalls)(?: to avoid)?\W*$|^(?:wrong|incorrect)\b"
    r"|^(?:deprecat(?:ed|ions?)|obsolete|outdated|discouraged|unsupported|rejected|unsafe|removed|removals?"
    r"|abandoned"
    r"|superseded|historical|sunset|end[- ]of[- ]life|eol|retired|discontinued|no longer)"
    r"(?:$|[,:;(\u2013\u2014/-]| (?:and|or|in|since|as of|by|with|for)\b)"
    r"|(?:\b(?:is|as|are|was|gets?) |[(\u2013\u2014-] ?)(?:deprecated|obsolete|discouraged|unsupported|rejected"
    r"|unsafe"
    r"|removed|abandoned)\)?$"
    r"|\b(?:deprecated|obsolete|discouraged|abandoned|removed|unsupported|unsafe|rejected) (?:[\w-]+ ){0,2}"
    r"(?:features?|apis?|patterns?|practices?|methods?|options?|flags?|functions?|code|syntax|approach(?:es)?"
    r"|things"
    r"|usages?|modules?|commands?|tools?|packages?|platforms?|versions?|dependenc(?:y|ies)|files?|support|ideas?"
    r"|alternatives?|operations?|properties|endpoints?)$"
    r"|^(?:worse|myths?|misconceptions?|false friends)$"
    r"|^bad$"
    r"|^bad (?:\u2014|\u2013|-|:|\()|\bbad (?:practices?|examples?|patterns?|habits?|code)\b|\b(?:code )?smells?$"
    r"|\bnon-?\s?goals?\b"
    r"|\bout[- ]of[- ]scope\b|\bnot in scope\b|\bnot supported\b|\bworst practices?\b"
    r"|\bveraltet\w*|\babgeschafft\w*|\babgek\u00fcndigt\w*|^falsch\w*|^schlecht\w*|\bnicht im (?:scope|umfang)\b"
    r"|\bnichtziele?\b"
    r"|\bh\u00e4ufige fehler\b"
)
_REPORTING = re.compile(
    r"(?:bug ?)?fixes\b|(?:\S+ )?(?:bugs? )?fixed(?: bugs?| issues?)?$|bug ?fix(?:es)?\b|hotfix(?:es)?\b"
    r"|bug-fix(?:es)?\b"
    r"|(?:\w+ )?breaking(?: \w+)?$|breaking changes?\b|backwards?[- ]incompatib\w+"
    r"|(?:\w+ )?incompatible changes$"
    r"|(?:planned|upcoming|proposed|roadmap|future (?:work|plans?|directions?|ideas?|improvements?"
    r"|enhancements?)"
    r"|coming soon|not yet (?:done|implemented|supported)|next steps|backlog|wish ?list|ideas?$|to-?dos?$"
    r"|to do$"
    r"|experimental|legacy|alternatives considered|(?:considered|rejected|discarded) alternatives)\b"
    r"|fehlerbehebung(?:en)?$|(?:fehler )?behoben\w*|entfernt(?:e[nrs]?(?: (?:funktion|option|feature|datei"
    r"|unterst)\w*)?)?$|geplant\w*|zuk\u00fcnftig\w*"
    r"|n\u00e4chste schritte"
    r"|verworfene\w*|inkompatib\w*|revert(?:s|ed)(?: changes)?$"
)
_ENDS_REPORTING = re.compile(r"\b(?:the plan is to|we plan to|not yet|planned|geplant)\)?$")
_RELEASING = re.compile(
    r"(?:(?:do|use)(?: this| these| it)?(?: instead)?|do'?s|instead|right|fix(?:es)?|solutions?|allowed"
    r"|permitted"
    r"|(?:good|correct|preferred|recommended|better|alternative)(?: \w+){0,2}|always|alternatives"
    r"|what to (?:do|use)(?: instead)?|stattdessen|erlaubt|immer|l\u00f6sung"
    r"|(?:richtig|gut|besser|empfohlen)(?: \w+){0,2})[\W_]*"
)
_SPEAKS_OF_BOTH = re.compile(
    r"\bdo'?s?\W+(?:and|&|und|/|vs\.?)\W*don'?t'?s?\b|\bhow to avoid\b|\b(?:handling|fixing|migrating"
    r"|avoiding)\b"
    r"|\bdon't repeat yourself\b|^no\.? ?\d|^not only\b"
    r"|^this (?:is|was) not\b|\((?:if|when|where) (?:applicable|needed|necessary|any|relevant|available)\)"
)
_RESTRICTING = re.compile(
    r"(?:(?:on|if|when|whenever|while|unless|only|before|after|during|without|except|until|once"
    r"|as long as|in case"
    r"|wenn|falls|sobald|solange|bevor|nachdem|nur|ohne|au\u00dfer|unter|vor|nach|w\u00e4hrend|bei"
    r"|auf windows|auf linux"
    r"|auf mac\s?os)\s+(?!to\b)\S|exceptions?(?: to .*)?$|ausnahmen?(?: von .*)?$"
    r"|(?:in|for|f\u00fcr)\s+(?:the\s+)?(?:production|prod|staging|development|dev|ci|tests?|windows"
    r"|mac\s?os|linux|emergenc"
    r"|produktion|maintainers|contributors|reviewers|agents|humans|new )"
    r"|(?:windows|mac\s?os|linux|ios|android|production|staging)$)"
)
_HOLDS_RESTRICTING = re.compile(
    r"\bonly\)?$|^[^(]* unless\b|\b(?:when|if)(?: you)?$|\((?:required |needed )?(?:only|when|if)\b"
    r"|\bnur (?:f\u00fcr|bei|unter)\b"
)

_TOPICS = re.compile(
    r"(?:no|not|never|on|after|only|off(?!-limits)|in|before|without|bad|nicht)-\w"
    r"|no (?:[\w-]+ ){1,2}(?:deploy(?:ment)?s?|releases?|migrations?|setup|modes?|polic(?:y|ies)|options?|tools?"
    r"|platforms?|updates?|builds?|logins?|responses?|pages?|errors?|routes?|guarantees?|problems?)$"
    r"|not (?:found|null|modified|equal|only)\b|forbidden (?:responses?|errors?|status|pages?|requests?)\b"
    r"|.*\b40[0-9]\b"
    r"|(?:banned|removed|rejected|blocked) (?:users?|accounts?|members?|ips?|requests?|clients?)\b"
    r"|planned (?:maintenance|downtime|outages?)\b|experimental (?:design|setup|results?|data)\b"
    r"|next steps (?!$|[:(])"
    r"|on (?:call|prem(?:ises?)?|boarding|site|demand|device|chain)\b|after (?:sales|care)\b|only child\b"
    r"|vor ort\b|bei fragen\b|without further ado\b"
)
"""Openings of things that are named by a word that forbids or restricts elsewhere: `No-code tools`, `Not found`."""

_BARE = word_set("""
    never ever do does this these that things thing what not to don't dont don'ts donts forbidden avoid prohibited
    banned allowed permitted again please actions behaviors behaviours operations practices rules commands the
    following must should nicht tun niemals nie verboten verbotene verbotenes vermeiden aktionen befehle
    """)
"""Words of a bare title: a title of these words alone forbids and says no more."""

_SENTENCE_END = re.compile(r"(?<=[a-z)]{2}[.!]) ")
_OPENING_CHARS = 80
_OPENING_WORDS = 3
_STEM_CHARS = 3
_LONG_WORD = re.compile(r"[^\W\d_]{3,}")
_EMPTY_STEMS = frozenset({"bug", "cha", "iss", "feh"})
"""Of what a title says beside its force: bug fixes, breaking changes, fixed issues."""

_DENIES_ITSELF = re.compile(
    r"(?:[^\w\n]|\d+[.)])*(?:you |we |agents? )?(?:do not|don't|never|avoid|must not|mustn't|should not"
    r"|shouldn't"
    r"|cannot|can't|refrain|niemals|nie|nicht|kein|keine|keinen|vermeide)\b",
    re.IGNORECASE,
)


def force_of(title: str) -> Force:
    """Force that a heading, or a line that leads into a list, has over the text under it."""
    plain = " ".join(title.translate(_SPELLINGS).lower().split())
    words = _last_sentence(_DECORATION.sub("", plain).rstrip(" :.!"))
    if words.endswith("?") or _SPEAKS_OF_BOTH.search(words) or _TOPICS.match(words):
        return "neutral"
    if weighs(words):
        return "weighs"
    if _CROSS.search(title) or _LOUD_NOT.search(title) or _forbids(words):
        return "forbids"
    if _CONDEMNING.search(words):
        return "condemns"
    if _REPORTING.match(words) or _ENDS_REPORTING.search(words):
        return "reports"
    if _TICK.search(title) or _RELEASING.fullmatch(words):
        return "releases"
    if denies(words):
        return "denies"
    return "restricts" if _RESTRICTING.match(words) or _HOLDS_RESTRICTING.search(words) else "neutral"


def _last_sentence(words: str) -> str:
    """Sentence that leads into a list: of several it is the last one, unless that is a mere word (`Examples`)."""
    *_, last = _SENTENCE_END.split(words)
    return last if " " in last else words


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
    if force in ("condemns", "reports"):
        return _says_so_itself(title, text)
    return force == "forbids" and _is_bare(title) and _DENIES_ITSELF.match(text) is not None


def _says_so_itself(title: str, text: str) -> bool:
    """Tests if a text begins as its title does (`Fixed`: `cli: Fix a crash`)."""
    opening = _word_stems(text[:_OPENING_CHARS])[:_OPENING_WORDS]
    stems = [stem for stem in _word_stems(title) if stem not in _EMPTY_STEMS]
    return bool(stems) and all(stem in opening for stem in stems)


def _word_stems(text: str) -> list[str]:
    return [word[:_STEM_CHARS] for word in _LONG_WORD.findall(text.lower())]


def _is_bare(title: str) -> bool:
    return set(re.findall(r"[\w']+", title.translate(_SPELLINGS).lower())) <= _BARE
