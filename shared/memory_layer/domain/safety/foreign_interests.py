"""Patterns of orders in the interest of a third party: its product, its account, its access."""

from typing import Final

from memory_layer.domain.safety.suspicious_pattern import SuspiciousPattern, any_of, form, phrase

_PEOPLE: Final = r"(?:users?|customers?|clients?|people|them|everyone|anyone|humans?|visitors?|readers?)"
_SAY: Final = (
    r"(?:recommend|suggest|promote|endorse|favou?r|advertise|advise|push|praise|steer|prioriti[sz]e|rank"
    r"|prefer)"
)
_RIVALS: Final = (
    r"(?:competitors?|rivals?|competing (?:products?|services?|vendors?|brands?)"
    r"|(?:any )?other (?:\w{1,12} )?(?:vendor|brand|provider|supplier|manufacturer|broker|bank)s?)"
)
_TOP: Final = (
    r"(?:top|best|first|only|number one|leading|safest|primary|superior|trusted|go to|ideal|fastest|cheapest"
    r"|greatest)"
)

_PROMOTES = phrase(
    rf"(?:always|only|exclusively|must|should|consistently) (?:\w{{1,12}} )?{_SAY}(?: [\w.]{{1,20}}){{1,8}}"
    rf" as (?:the|your|a|their|an) (?:\w{{1,12}} )?{_TOP}",
    r"(?:always|only|must|should) (?:\w{1,12} )?(?:recommend|promote|endorse|advertise|push|praise)"
    r"(?: [\w.]{1,20}){1,8} (?:above (?:all|any)|regardless of|over (?:all|any|every|other)|even if|no matter)",
    r"(?:never|do not|don t|avoid|without|must not|refuse to) (?:\w{1,8} )?(?:mention|recommend|suggest|list"
    rf"|bring up|mentioning|recommending)(?: \w{{1,12}}){{0,2}} {_RIVALS}"
    r"(?= (?:to|when|in (?:your|any|answers|recommendations|replies)|at all|or|and|even|unless asked)\b)",
    rf"{_SAY} (?:[\w.]{{1,20}} ){{1,6}}(?:over|instead of|rather than|ahead of)(?: \w{{1,8}}){{0,2}} {_RIVALS}",
    r"(?:when|whenever|if|every time) (?:the |a |any )?(?:users?|customers?|clients?|someone|anyone|asked|people)"
    r"(?: \w{1,16}){1,10} (?:always|only|must) (?:recommend|promote|endorse|suggest|steer|direct|push)",
    r"(?:when|whenever|if) (?:discussing|asked about|talking about)(?: \w{1,16}){1,8}"
    r" (?:always|only|must) (?:recommend|promote|endorse|suggest|steer|direct|push|mention)",
    rf"(?:always|must|whenever asked) (?:\w{{1,8}} )?(?:tell|assure|convince|inform|remind|persuade) {_PEOPLE}"
    rf" (?:that )?(?:[\w.]{{1,20}} ){{1,5}}(?:is|are) the (?:\w{{1,12}} )?{_TOP}",
    rf"(?:always|must) (?:say|claim|state|insist|answer) (?:that )?(?:[\w.]{{1,20}} ){{1,5}}(?:is|are) the"
    rf" (?:\w{{1,12}} )?{_TOP}",
    r"(?:make a point of|never miss a chance (?:to|of)|be sure to|make sure to)"
    r" (?:recommending|promoting|praising|endorsing|recommend|promote|praise|endorse)(?: [\w.]{1,20}){1,4}"
    r" (?:in|whenever|every|each|to|at)",
    r"(?:steer|nudge|push|direct|guide|move)(?: \w{1,12}){1,5} (?:towards?|to) (?:[\w.]{1,20} ){1,3}"
    r"(?:and )?away from",
    r"(?:describe|portray|present|paint|call|label) (?:any|all|every|other|its|the) (?:\w{1,12} )?"
    r"(?:alternatives?|competitors?|rivals?|competing \w{1,12})(?: \w{1,12}){0,3} as"
    r" (?:insecure|unsafe|unreliable|inferior|dangerous|risky|outdated|broken|worse|slow)",
    rf"{_SAY} (?:the |a |an )?(?:[\w.]{{1,20}} ){{1,5}}(?:for|to|in|on) (?:every|any|all|each) (?:\w{{1,12}}"
    rf" )?(?:questions?|quer(?:y|ies)"
    r"|users?|customers?|topics?|conversations?|answers?|requests?|problems?|needs?)",
    r"(?:whatever|no matter (?:what|which)|whichever)(?: \w{1,12}){1,5} asks?(?: \w{1,12}){0,4} the answer is",
    r"praise (?:everything|anything|all|every|each)|(?:rate|grade|score|rank|judge) (?:all|every|everything"
    r"|any|each)(?: \w{1,12}){1,8}"
    r" as (?:excellent|perfect|5 stars|five stars|top|highest|flawless|outstanding|best)",
    r"answer(?: (?:all|any|every))? questions? (?:on|about|regarding)(?: \w{1,12}){1,5} with the (?:claim"
    r"|statement|lie|line|assertion)",
    r"(?:although|even though|whatever|no matter what) the (?:policy|rules?|truth|facts?|docs|documentation"
    r"|law) (?:allows?|says?|is|are"
    r"|states?|forbids?|permits?)",
)
_MONEY = phrase(
    r"payments?|transfers?|refunds?|payouts?|funds|money|wires?|deposits?|balance|purchases?|donations?"
    r"|salar(?:y|ies)"
    r"|invoices?|transactions?|payees?|beneficiar(?:y|ies)|bitcoin|btc|eth|usdt|charges?|checkout|withdrawals?"
    r"|send money|transfer money|make payment|commissions?|royalt(?:y|ies)"
)
_ACCOUNT: Final = form(
    r"\b(?:account|acct|iban|wallet|recipient|beneficiary|payee|address|customer(?: id)?|card)\b.{0,24}?(?<![\w.-])"
    r"(?:\d{7,}|0x[0-9a-f]{6,}|[a-z]{2}\d{2}[a-z0-9]{8,}|(?:bc1|[13])[a-z0-9]{24,}|(?:cus|acct|ba|pm)_\w{5,})",
    r"(?<![\w.-])(?:0x[0-9a-f]{38,}|bc1[a-z0-9]{20,}|[a-z]{2}\d{2}(?: ?[a-z0-9]{4}){3,7}(?: ?[a-z0-9]{1,3})?)\b",
)
_PAYEE: Final = form(
    r"\b(?:recipient|payee|beneficiary|receiver)\b\W{0,3}(?:to |is |as |= )?[\"']?(?!of\b|and\b|or\b|the\b"
    r"|is\b|must\b|has\b|who\b"
    r"|address|name|field|id\b|for\b|in\b|can\b|will\b|when|list|to\b|a\b|an\b|whenever|if\b)[a-z]\w{2,}"
)
_STANDING: Final = form(
    r"\b(?:always|whenever|every|each|all|any|from now on|before|instead|when|if|future|redirect|reroute"
    r"|transfer|wire"
    r"|route|remit)\b|[$€£]\s?\d"
)
_ACCESS = phrase(
    r"(?:add|invite|grant|give|make|authori[sz]e|enrol|subscribe)(?: [\w.@+/-]{1,60}){1,6}"
    r" (?:owner|collaborator|admin\w{0,10}|maintainer|member|write access|push access|root access|full"
    r" access|editor)s?"
    r"(?: [\w.@+/-]{1,40}){0,6} (?:every|each|all|any)(?: \w{1,12}){0,3} (?:that )?you"
)
_COPIED = phrase(
    r"(?:every|each|all|any)(?: \w{1,12}){0,2} (?:e-?mail|mail|message|reply|invite|letter)s?(?: [\w']{1,16}){0,6}"
    r" (?:b?cc|blind copy|copy)(?: in)? (?:to"
    r" )?[\w.+-]{1,64}@[\w.-]{3,}",
    r"(?:b?cc|blind copy|copy) [\w.+-]{1,64}@[\w.-]{3,}(?: \w{1,12}){0,2} (?:every|each|all|any)"
    r"(?: (?:outgoing|future|single|sent))? (?:e-?mail|mail|message|reply|invite|letter)s?",
    r"(?:include|send|keep|add|forward) a copy (?:of (?:every|all|each|any)(?: \w{1,12}){1,2} )?(?:to|at)"
    r" (?:https? )?[\w.-]{1,60}\.(?:com|net|org|io|dev|sh|app|site|xyz)",
)

INTEREST_SHAPES: Final[tuple[SuspiciousPattern, ...]] = (
    SuspiciousPattern(
        "speaks for a product against its user",
        _PROMOTES,
        hints=any_of(
            "trusted|asked|rate all|rate every|rate any|rate each|grade|score|judge|answer question|answer all|"
            "answer any|answer every|the answer is|whatever|even though|no matter|although|recommend|suggest|promot|"
            "endors|favo|adverti|advise|push|prais|steer|prioriti|rank|"
            "prefer|compet|rival|direct|alternative|nudge|away from|always|must"
        ),
    ),
    SuspiciousPattern(
        "names the account that money is to go to",
        _MONEY,
        hints=any_of("account|acct|iban|wallet|recipient|benefici|payee|address|0x|bc1|customer|card"),
        companions=(_ACCOUNT, _STANDING),
        is_negatable=True,
    ),
    SuspiciousPattern(
        "names the account that money is to go to",
        _MONEY,
        hints=any_of("recipient|payee|benefici|receiver"),
        companions=(_PAYEE, form(r"\b(?:always|whenever|every time|from now on)\b")),
        is_negatable=True,
    ),
    SuspiciousPattern(
        "gives a stranger access to all one works on",
        _ACCESS,
        hints=(" you",),
        is_negatable=True,
    ),
    SuspiciousPattern(
        "asks for secrets or private data to be sent away", _COPIED, hints=("cc ", "copy "), is_negatable=True
    ),
)
