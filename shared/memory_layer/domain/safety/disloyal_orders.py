"""Patterns of orders against those whom an agent answers to: to hide things from them, and to obey others instead."""

from memory_layer.domain.safety.instruction_patterns import ORDERS, PERSON
from memory_layer.domain.safety.suspicious_pattern import SuspiciousPattern, any_of, form, phrase

_UP_TO_3_WORDS = r"(?: \w{1,24}){0,3}"
_NEVER = r"(?:do not|don t|never|must not)(?: ever)?"
_ONE_PERSON = r"(?:the (?:user|human|owner|operator|reviewer|maintainer|team)s?|anyone|anybody)"
"""Those whom an agent answers to; `users` are those of a program, from whom it hides much with good reason."""

_WENT_WRONG = (
    r"(?:fail\w*|broke\w*|lost|loss|leak\w*|skipp\w*|delet\w*|dropp\w*|disabl\w*|bypass\w*|missing|revert\w*"
    r"|forced?|unreviewed|untested|error|bug|problem|mistake|regression|vulnerabilit\w*|breach|incident|backdoor"
    r"|change|commit|migration|test|permission)s?"
)

_OUTSIDE = (
    r"(?:(?:tool|plug(?: )?in|web(?: )?(?:page|site)|page|server|issue|comment|e-?mail|ticket|dependenc(?:y|ies)"
    r"|package|extension|attachment|download)(?: s)?s?)"
)
"""Whence words of strangers come; a file of the project is nobody's secret master."""

_STORED = rf"(?:{_OUTSIDE}|files?|documents?|readmes?|responses?|outputs?|results?)"
_SAID = r"(?:instruction|order|prompt|command|directive)s?"

_HIDES = phrase(
    rf"{_NEVER} (?:mention|reveal|disclose|report|admit|show|explain)"
    rf" (?:this|it|these|that|any of (?:this|it)|anything){_UP_TO_3_WORDS} {PERSON}",
    rf"{_NEVER} tell {PERSON} (?:about )?(?:this|these|it|what you|that you|anything)",
    rf"{_NEVER} tell (?:anyone|anybody)",
    rf"{_NEVER} (?:mention|admit|acknowledge|bring up|confess|disclose|report|reveal)(?: \w{{1,20}}){{0,3}}"
    rf" {_WENT_WRONG}(?: \w{{1,20}}){{0,2}} (?:to|with) {_ONE_PERSON}",
    rf"{_NEVER} (?:mention|admit|confess|bring up)(?: \w{{1,20}}){{1,5}} (?:to|with) {_ONE_PERSON}",
    rf"{_NEVER} (?:tell|inform|let) {_ONE_PERSON} (?:know )?(?:that|about|of)(?: \w{{1,20}}){{0,3}} {_WENT_WRONG}",
    rf"(?:keep|conceal|hide|withhold)(?: \w{{1,20}}){{0,3}} {_WENT_WRONG}(?: \w{{1,20}}){{0,2}} from {_ONE_PERSON}",
    rf"leave(?: \w{{1,20}}){{1,4}} out of (?:\w{{1,20}} ){{0,3}}(?:tell|report to|say to|show) {_ONE_PERSON}",
    rf"(?:say nothing|keep (?:quiet|silent|mum))(?: to {_ONE_PERSON})? about(?: \w{{1,20}}){{0,3}} {_WENT_WRONG}",
    rf"(?:make sure|ensure)(?: that)? {_ONE_PERSON} (?:never|does not|doesn t) (?:\w{{1,12}} )?"
    r"(?:learn|find out|notice|know)s?",
    rf"if(?: \w{{1,20}}){{1,5}} fails? (?:tell|assure) {_ONE_PERSON}(?: that)?(?: \w{{1,12}}){{0,3}}"
    r" (?:pass|work|succeed)\w*",
    r"keep (?:this|it) (?:secret|hidden|confidential|between us)(?! free)",
    r"secretly|covertly|surreptitiously",
    r"if (?:you are )?asked(?: about (?:this|it|that))? (?:deny|lie|pretend|claim)",
    rf"without {PERSON}(?: s)? (?:knowledge|knowing|noticing)",
)
_OBEYS = phrase(
    rf"(?:always|only|blindly) (?:obey|follow|comply with|execute)(?: \w{{1,20}}){{0,3}}"
    rf" {_SAID}(?: \w{{1,20}}){{0,2}}"
    rf" (?:in|of|from|by)(?: (?:the|an?|any|each|every))?(?: \w{{1,20}})? {_OUTSIDE}",
    rf"execute(?: \w{{1,20}}){{0,2}} {_SAID} (?:in|of|from) (?:the|an?|any|each|every)(?: \w{{1,20}})?"
    r" (?:tool|web(?: )?(?:page|site)|page|issue|comment|e-?mail|ticket)s?",
    rf"(?:obey|comply with)(?: \w{{1,20}}){{0,2}} {_SAID}(?: \w{{1,20}}){{0,3}} (?:in|of|from|by|into)"
    rf"(?: (?:the|an?|any|each|every))?(?: \w{{1,20}})? {_STORED}",
    rf"(?:obey|follow|execute|comply with) (?:all|any|every|each|whatever) {_SAID} (?:(?:that )?(?:the|an?)"
    rf"|(?:found )?in (?:the|an?)(?: \w{{1,20}} of an?)?)(?: \w{{1,20}})? {_OUTSIDE}",
    rf"(?:do|obey|trust|believe) (?:whatever|anything|everything) (?:the |an? |any |this )?(?:\w{{1,20}} )?{_OUTSIDE}"
    r" (?:says?|tells? you|asks?|wants?|demands?|instructs?|requests?)",
    rf"(?:do|follow) what (?:the |an? |any |this )?(?:\w{{1,20}} )?{_OUTSIDE}(?: \w{{1,20}})? (?:says?|tells?"
    rf" you|asks)"
    rf"(?: \w{{1,20}}){{0,2}} (?:against|over|instead of|rather than) {PERSON}",
    rf"(?:treat|take|regard) (?:the )?{_SAID}(?: \w{{1,20}}){{0,2}} (?:in|of|from)(?: \w{{1,20}})? {_STORED} as"
    r"(?: \w{1,20}){0,2} (?:orders?|instructions?|commands?|trusted|authoritative)",
    rf"(?:treat|take|regard|use) (?:the )?(?:next |first )?(?:\w{{1,12}} )?{_OUTSIDE}(?: (?:that )?you"
    rf" (?:load|open|read|see))? as"
    r" your (?:new |only )?(?:orders?|instructions?|commands?|prompt)",
    rf"{_OUTSIDE} (?:{ORDERS}) (?:outrank|override|take precedence over|come before|beat)s?"
    rf"(?: \w{{1,20}}){{0,3}} {PERSON}",
)

_UNASKED = phrase(rf"without {PERSON}(?: s)? (?:consent|permission|approval)")

DISLOYAL_SHAPES: tuple[SuspiciousPattern, ...] = (
    SuspiciousPattern(
        "asks to hide something from a person",
        _HIDES,
        hints=any_of(
            "never|not|don|keep|conceal|hide|withhold|leave|nothing|ensure|sure|fail|secret|covert|"
            "surreptit|asked|without"
        ),
    ),
    SuspiciousPattern(
        "asks for approval without a person",
        _UNASKED,
        hints=("without",),
        is_negatable=True,
        unless=form(
            r"\b(?:not|never|no|cannot|can't|don't|avoid|nothing|must|reject\w*|block\w*|prevent\w*|forbid\w*)\b"
        ),
    ),
    SuspiciousPattern("asks to obey what strangers wrote", _OBEYS, is_negatable=True),
)
