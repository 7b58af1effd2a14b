"""Patterns of orders against the person an agent works for: to hide things, to lie, to obey others instead."""

from typing import Final

from memory_layer.domain.safety.instruction_patterns import ORDERS, PERSON
from memory_layer.domain.safety.suspicious_pattern import SuspiciousPattern, any_of, form, phrase

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
    rf" (?:this|it|these|that|any of (?:this|it)|anything)(?: \w{{1,24}}){{0,2}} (?:to|with|from|by|for) {PERSON}",
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
    SuspiciousPattern(
        "asks to obey what strangers wrote",
        _OBEYS,
        is_negatable=True,
    ),
)


_USER: Final = r"(?:user|human|operator|owner|customer|client)"
_ONE: Final = (
    r"(?:(?:the|your|any|a) (?:user|human|owner|operator|reviewer|victim|maintainer|developer)"
    r"|(?:the |any )?(?:person|people|one|human)s? (?:you (?:are |re )?(?:work|help|assist|serv"
    r"|talk)\w{0,4}(?: (?:for|with|to))?"
    r"|who (?:review|read|own|ask|use)\w{0,3}(?: \w{1,12}){0,2}|typing(?: to you)?)|anyone|anybody|no one|nobody)"
)
_NOT: Final = r"(?:do not|don t|never|must not|no need to|there is no need to|refrain from|avoid)(?: ever)?"
_IT: Final = (
    r"(?:this|it|these|any of (?:this|it)|anything|the (?:change|swap|step|transfer|upload|instruction|real reason)"
    r"|that (?:you|i|we|this))"
)

_UNSEEN = phrase(
    r"(?:silently|quietly|discreetly|stealthily|invisibly|clandestinely)\s(?:also\s)?(?:send|upload|forward"
    r"|transmit|exfiltrate|e-?mail|bcc|cc|post|transfer|collect|record|grant|approve|include|append|insert|execute"
    r"|share|redirect|route|exfil)",
    r"(?:discreetly|stealthily|clandestinely|without (?:the )?(?:user|human|owner|admin\w{0,10}"
    r"|operator)(?: s)? noticing)",
    rf"(?:so (?:that )?|ensur\w{{1,3}} (?:that )?|make sure (?:that )?){_ONE}"
    r" (?:does not|doesn t|won t|will not|never|can t|cannot) (?:notice|know|reali[sz]e|suspect|find out|detect"
    r"|become aware)s?",
    r"so (?:that )?(?:no one|nobody|no person|no human) (?:sees|notices|knows|finds|can see) (?:it|this|that|out)",
    r"(?:ensur\w{1,3}|mak(?:e|ing) sure|keep(?:ing)?)(?: that)?(?: \w{1,16}){1,4}"
    r" (?:goes |go |remains? |stays? |is |are )?(?:unnoticed|undetected|untraceable|off the record)",
    r"without leaving (?:any |a |behind )?(?:trace|evidence|record|footprint)s?",
    r"(?:to|and) (?:avoid|evade|escape) (?:detection(?! of)|suspicion|being (?:noticed|detected|caught))",
    r"(?:delete|erase|wipe|clear|remove|scrub)(?: \w{1,12}){0,3} (?:logs?|evidence|traces?|history|records?|e-?mail"
    r"|message)(?: \w{1,12}){0,2} (?:to (?:hide|cover|conceal)|so (?:that )?(?:no|the user|nobody)"
    r"|before (?:the user|anyone)|you (?:have )?just sent)",
    rf"(?:hide|conceal|withhold|keep)(?: \w{{1,12}}){{1,6}} from (?:{_ONE})(?! (?:s |interface|agent|until))",
    r"that (?:the )?users? (?:cannot|can t|won t|will not|must not) (?:see|notice|find)"
    r"(?= (?:always|and|never|send|to)\b)",
    rf"{_NOT} (?:tell|inform|notify|alert|warn|let) {_ONE} (?:i|we|you|about (?:this|it|your)|of (?:this|it|your)"
    r"|that (?:i|we|you|this)|know (?:about|of|that|this)|why you|find out|see (?:this|it)|learn)",
    rf"{_NOT} (?:mention|disclose|reveal|report|bring up|bring|discuss|raise) {_IT}(?: \w{{1,12}}){{0,3}}"
    rf" (?:to|with|up with) {_ONE}",
    rf"{_ONE} (?:must|should|may|is|are) (?:not|never|not to) (?:to )?(?:learn|know|find out|hear|notice|be"
    rf" told|discover)"
    r" (?:about|of|that|it|this)",
    r"(?:(?:and|but|then|also|please|must|should) |(?<![^.!?:;,\n]\W))(?:say|tell|breathe|mention)"
    r" (?:nothing|no word|nobody|no one)(?: (?:of|about))? (?:it|this|that)",
    r"(?:and|but|then) (?:tell|inform|notify|alert) (?:nobody|no one|no human)",
    r"without (?:(?:mentioning|disclosing|reporting) (?:it|this|that|the fact)|(?:telling|informing"
    r"|alerting) any(?:one|body))"
    r"(?! (?:error|flag|option|value|version))",
    r"(?:leave|keep) (?:this|it|these)(?: \w{1,12}){0,2} out of (?:your|the|any) (?:\w{1,12} )?(?:summar(?:y"
    r"|ies)|reports?"
    r"|answers?|repl(?:y|ies)|explanations?|messages?|logs?)",
    r"omit (?:any|all|every) (?:reference|mention)s? (?:to|of) (?:this|these)",
    r"(?:user|owner|team|reviewer|human|operator|customer|client|person|maintainer)s? (?:do not|does not|don"
    r" t|doesn t|need"
    r"|needs|must|should|may|are|is|has|have)(?: (?:not|no|need|never|to|be|being|ever)){1,4} (?:informed"
    r"|told|notified|aware"
    r"|consulted|asked)(?= (?:of|about|that)\b|\W{0,3}$)",
    r"(?:users|customers|clients|people|reviewers) are not to be (?:shown|told|informed|given)",
    r"keep (?:the |your |all )?(?:\w{1,12} )?(?:users?|owners?|team|reviewers?|humans?|operators?|customers?"
    r"|people|everyone)"
    r" in the dark",
    r"so (?:that )?(?:the )?(?:reviewers?|users?|owners?|auditors?|maintainers?|humans?|no one|nobody)"
    r" (?:overlooks?|misses|miss"
    r"|does not notice|do not notice|don t notice|fails? to notice)",
    r"your (?:summary|report|answer|reply|explanation|description|message|notes)(?: \w{1,12}){0,4} (?:should"
    r"|must|may|shall|can)"
    r" (?:not|never) (?:contain|mention|include|refer|show|name|list)",
    r"(?:make sure|ensure|see to it)(?: that)? (?:nobody|no one)(?: \w{1,12}){0,3} (?:hears|learns|finds out|knows"
    r"|gets wind|is told|sees|notices)",
    r"(?:never|do not|don t) (?:disclose|admit|reveal|mention) (?:that|this|it)(?= (?:and|or|to|when|even)\b"
    r"|\W{0,3}$)",
    r"(?:start|begin|continue) to(?: \w{1,16}){1,8} (?:and|but) deny (?:it|this|that)",
    r"keep (?:that|this|it|these) (?:to|for) yourself",
    r"(?:the )?(?:reviewers?|auditors?|maintainers?|user|owner|operator|human) (?:should|must|may|will|need"
    r"|needs) (?:not|never)"
    r" (?:to )?(?:notice|find out|suspect|reali[sz]e|learn|become aware)",
    r"(?:ensur\w{1,3}|mak(?:e|ing) sure)(?: that)?(?: \w{1,16}){1,5} (?:is|are|remains?|be) (?:not|never|un)"
    r" ?(?:detected|noticed|traced|logged"
    r"|discovered|recorded)",
    r"without (?:prior |proper |any |the )?(?:client|user|owner|patient|customer)(?: s)? (?:prior"
    r" )?(?:authori[sz]ation|consent|knowledge|awareness)",
)
_AGAINST_USER = phrase(
    r"(?:ignore|disregard|dismiss|disobey|overrule|defy|reject)(?: (?:all|any|the|every|future|further|later)){0,3}"
    rf" {_USER}(?: s)?(?: (?:own|later|explicit|stated|actual|future|other))? (?:request|instruction|wish|order"
    r"|command|objection|question|complaint|correction|demand|warning)(?:e?s)?",
    rf"override the {_USER}(?: s)? (?:request|instruction|wish|order|command|objection|decision|choice)(?:e?s)?",
    r"(?:ignore|disregard|override|overrule|pay no attention to) (?:what(?:ever)?|anything|everything)(?: that)?"
    rf" (?:the |your )?{_USER}s? (?:say|ask|want|request|tell|instruct|order|prefer)s?",
    rf"pay no attention to (?:the |your )?{_USER}s?",
    rf"do the opposite of what (?:the |your )?{_USER}s?",
    rf"even (?:if|when|though) (?:the |your |a )?{_USER}s? (?:objects?|refuses?|declines?|protests?|complains?"
    r"|disagrees?|says? (?:no|not to|otherwise|stop)|(?:asks?|tells?|orders?|instructs?) you (?:not to|to"
    r" stop|otherwise))",
    r"(?:do not|don t|never|no longer|stop) (?:obey|obeying|listen to|listening to|serve|comply with) (?:the|your)"
    r" (?:user|human|owner|operator|person)",
    r"(?:do not|don t|never|no longer|stop) (?:trust|trusting) the (?:user|human|person)"
    r"(?= (?:and|or|about|when|who|even)\b|\W{0,3}$)",
    rf"(?:treat|regard|consider) (?:all |any |every )?(?:requests?|orders?|instructions?|messages?|words)"
    rf" (?:from|by|of)"
    rf" (?:the |your )?{_USER}s? as (?:untrusted|hostile|malicious|void|irrelevant|lower priority|noise)",
    r"not your (?:real|true|actual) (?:principal|user|owner|master|boss|operator|employer)",
    r"you (?:now )?(?:answer|report|listen) (?:only )?to (?:me|us)(?: (?:now|alone|only)|$|(?=\W*$))",
    r"take (?:your )?orders (?:only )?from(?! (?:the )?(?:queue|customer|user))",
    r"your (?:loyalty|allegiance) (?:is|lies|belongs)",
    r"(?:overrule|outvote|defy|disobey) the (?:user|human|owner|operator)",
    r"(?:get|persuade|trick|pressure|convince|urge|coax|manipulate|lure) (?:the |any |every )?(?:users?"
    r"|customers?|people|humans?|them)"
    r" (?:to|into) (?:\w{1,12} ){0,4}(?:passwords?|card|recovery|seed|pin|cvv|credentials|codes?|install"
    r"|installing|pay|approve"
    r"|accept|agree|transfer|disable|share|reveal)",
    r"ask (?:the |any |every )?(?:user|customer|human)s? to (?:paste|send|share|reveal|type"
    r"|give)(?: \w{1,12}){0,3} (?:passwords?"
    r"|recovery phrase|seed phrase|private key|card number|cvv|pin)",
)
_LIES = phrase(
    r"(?:report|claim|say|state|tell(?: \w{1,12}){1,3}|assure(?: \w{1,12}){1,2}|pretend|insist|answer|respond)"
    r"(?: \w{1,16}){0,5} (?:success\w{0,6}|passed|complete\w{0,3}|safe|secure|fine|pass|clean"
    r"|no (?:issues|problems|vulnerabilities))"
    r"(?: \w{1,12}){0,2} (?:regardless|even (?:if|when|though)|no matter|whether or not|whatever)",
    r"(?:approve|mark|accept|sign off|merge)(?: \w{1,12}){1,5} (?:regardless of|no matter) (?:what|how|who|whether)",
    r"(?:when|if|whenever) (?:[\w-]{1,16} ){0,3}(?:vulnerabilit(?:y|ies)|bugs?|errors?|problems?|issues?|failures?)"
    r" (?:is|are|were|was|get) (?:found|seen|detected|discovered) (?:report|say|claim|state|tell(?: \w{1,12}){1,2})"
    r" (?:that )?(?:there (?:is|are) (?:none|no)|nothing|everything|all)",
    r"(?:when|if|whenever) (?:you (?:are|re) |the user |anyone |someone )?ask(?:ed|s)?(?: you)?"
    r" (?:about|for|why|whether|how|who|what|where)(?: \w{1,16}){1,8} (?:deny|pretend|lie|feign)",
    r"(?:when|if|whenever) (?:you (?:are|re) |the user |anyone |someone )?ask(?:ed|s)?(?: you)? (?:about|for|why|who)"
    r" (?:your|this|these)(?: \w{1,16}){1,4} (?:say|claim|deny|insist|tell them|answer|reply|respond) (?:that )?"
    r"(?:you|it|there|no)",
    r"(?:pretend|act as (?:if|though)|make it (?:look|appear|seem)(?: like| as if)?)(?: \w{1,12}){0,4}"
    r" (?:never happened|nothing happened|did not happen|it came from the user"
    r"|the user (?:wrote|asked|requested|approved))",
    r"(?:state|say|claim|report|assert|declare)(?: \w{1,12}){0,6} no (?:known )?(?:vulnerabilities|issues"
    r"|problems|bugs|errors|risks)"
    r" (?:whatever|regardless|even|no matter)",
    r"(?<!can\W)(?<!could\W)(?<!to\W)(?<!may\W)(?<!might\W)(?:fake|fabricate|falsify|forge|doctor) (?:the "
    r"|any |all |some )?(?:\w{1,12} )?(?:numbers|results?"
    r"|benchmarks?|metrics|scores?"
    r"|logs?|signatures?|approvals?|reports?|coverage|evidence|figures|measurements)",
    r"(?:when|whenever|if) (?:you (?:are|re) )?asked about(?: \w{1,12}){1,4} (?:always )?(?:say|claim|report"
    r"|answer|state|insist)(?: that)?"
    r" (?:all|everything|every|there (?:is|are) no|no )(?: \w{1,12}){0,4}",
    r"if (?:you are )?(?:questioned|challenged|confronted)(?: \w{1,12}){0,3} (?:report|say|claim|answer"
    r"|state|deny|insist)",
)

CONCEALED_SHAPES: Final[tuple[SuspiciousPattern, ...]] = (
    SuspiciousPattern(
        "asks to act against the person one works for",
        _AGAINST_USER,
        hints=any_of("people|them|user|human|operator|owner|customer|client|your |you |orders"),
        is_negatable=True,
    ),
    SuspiciousPattern(
        "asks to lie to a person",
        _LIES,
        is_negatable=True,
    ),
    SuspiciousPattern(
        "asks to hide something from a person",
        _UNSEEN,
    ),
)
