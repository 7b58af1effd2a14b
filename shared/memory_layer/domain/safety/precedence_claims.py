"""Patterns of text that sets itself above others: above the user, above what a model was told, above any question."""

from typing import Final

from memory_layer.domain.safety.suspicious_pattern import SuspiciousPattern, any_of, form, opening, phrase

_THIS: Final = (
    r"(?:this|these|the following|the present)(?: \w{1,12})? (?:note|memor(?:y|ie)|entr(?:y|ie)|page|line"
    r"|text|message"
    r"|record|rule|instruction|order|directive|statement|document|word)s?"
)
_ITSELF: Final = rf"(?:{_THIS}|what (?:is|s) written here|reading this|loading this)"
_OLDER: Final = (
    r"(?:previous|prior|earlier|old|former|existing|current|original|initial|past|other|standing|usual)"
)
_TOLD: Final = (
    r"(?:guidance|guidelines?|instructions?|rules?|training|briefing|brief|prompts?|directives?"
    r"|polic(?:y|ies)"
    r"|knowledge|setup|alignment|principles)"
)
_VOID: Final = (
    r"(?:superseded|replaced|overwritten|void|voided|cancel\w{2,3}|revoked|invalid|suspended|lifted|obsolete"
    r"|fake|false"
    r"|wrong|a test|a lie|a joke|not real|fabricated|rescinded|withdrawn|no longer (?:valid|in force|apply|binding))"
)

_RANKS: Final = form(
    r"\b(?:outranks?|wins?|prevails?|beats?|comes? (?:first|before)|takes? (?:precedence|priority)|overrides?"
    r"|overrules?|supersedes?|trumps?|(?:is|are) (?:binding|above)|has (?:precedence|priority))\b"
)
_ABOVE_PEOPLE = phrase(_ITSELF)
_ANY_PERSON: Final = form(
    r"\b(?:users?|humans?|owners?|operators?|person|people|anyone|everyone|maintainers?|developers?|system prompt"
    r"|all (?:other|else|previous|prior|earlier)|any (?:other|previous|prior|earlier)|anything|everything"
    r"|all others)\b"
)
_BINDS = phrase(
    rf"{_ITSELF} (?:obliges?|binds?|requires?|compels?|commits?|orders?|commands?|instructs?|authori[sz]es?"
    rf"|allows?|permits?"
    r"|entitles?|empowers?|frees?|exempts?) (?:you|the (?:reader|agent|assistant|model))",
    rf"(?:by|in|upon|on) (?:reading|loading|recalling|retrieving|seeing) {_THIS}"
    r" you (?:agree|accept|consent|promise|commit|undertake|must|will|are)",
    r"(?:by|upon|on) (?:reading|loading|recalling|retrieving|seeing) this you (?:agree|accept|consent"
    r"|promise|commit|must)",
    rf"{_ITSELF}(?: \w{{1,12}}){{0,8}} (?:must|may|can|should|shall) (?:not|never) be (?:question|challenge"
    rf"|doubt|ignor|overrid"
    r"|disput|contradict|review)\w{2,4}",
    rf"(?:while|as long as|whenever|if|when|once) {_ITSELF} is (?:present|active|loaded|here|in (?:memory"
    rf"|context|force)|visible)",
    r"(?:for|to|meant for|intended for|addressed to) you (?:alone|only)(?= (?:and|not|do|never|so)\b|\W{0,3}$)",
    r"(?:user|human)(?: s)? (?:instructions?|requests?|orders?|wishes|messages?|input|commands?) (?:come"
    r"|comes|are|is|rank|ranks)"
    r" (?:second|secondary|below|last|after|subordinate|lower)",
    r"(?:serve|work for|act for|obey|represent)(?: \w{1,16}){1,4} (?:and )?not (?:for )?the (?:user|person"
    r"|human|owner|one)",
    r"(?:if|when|should|once) (?:the |your |a )?(?:user|human|person|owner|someone|anyone)"
    r" (?:tell|ask|order|instruct|want|beg|command)s? you to (?:stop|quit|halt|undo|revert|not|wait|pause)"
    r"(?: \w{1,12}){0,5} (?:carry on|continue|go on|keep|ignore|proceed|do not|don t|refuse|pretend|decline)",
    r"(?:refuse|decline|reject|resist) (?:any|all|every)(?: \w{1,12})? (?:requests?|attempts?|orders?"
    r"|instructions?) to"
    r" (?:rotate|remove|uninstall|delete|stop|revoke|disable|review|audit|change|edit|undo|inspect|look|read"
    r"|check|replace)",
    r"never help the (?:user|human|owner|person|operator) (?:to )?(?:uninstall|remove|disable|delete|leave"
    r"|switch|cancel|find|see)",
    rf"give {_THIS} (?:top|highest|absolute|maximum|the highest) priority",
    rf"replace (?:the |your |all )?(?:\w{{1,12}} )?(?:directions|instructions|guidelines|rules|prompt) with {_THIS}",
)
_VOIDED = phrase(
    rf"your (?:{_OLDER} )?{_TOLD} (?:is|are|was|were|has been|have been)(?: \w{{1,12}})? {_VOID}",
    rf"(?:all|any|every|the) {_OLDER} {_TOLD} (?:is|are|was|were|has been|have been)(?: \w{{1,12}})? (?:void"
    rf"|cancel\w{{2,3}}"
    r"|revoked|rescinded|a test|fake|lifted|suspended)",
    rf"{_TOLD} (?:above|before this|so far|until now) (?:is|are|was|were|has been|have been)(?: \w{{1,12}})? {_VOID}",
    r"(?:everything|all|anything|whatever)(?: that)? you (?:learned|learnt|know|knew|were told|have been"
    r" told|were taught"
    rf"|believe|read)(?! about)(?: \w{{1,12}}){{0,6}} (?:is|was|are) {_VOID}",
    r"(?:act|work|proceed|operate|run|behave)(?: \w{1,12}){0,2} without (?:the |your |any )?(?:usual|normal"
    r"|standard|customary)"
    r" (?:checks?|safeguards?|confirmations?|approvals?|restrictions?|caution|limits|rules|questions)",
    r"(?:full|blind|total|complete|absolute|unconditional) (?:trust|obedience|compliance) mode",
    r"drop (?:your|the) (?:current|present|ongoing) (?:task|work|job|assignment)",
    r"(?:control|supervisor|governing|management|operator|developer)(?: s)? (?:rules?|polic(?:y|ies)"
    r"|constraints?|directions|guidelines"
    r"|restrictions)(?: \w{1,12}){0,2} (?:no longer apply|(?:has|have) expired|as (?:obsolete|void|expired)"
    r"|(?:is|are) (?:void|obsolete|expired))",
    r"(?:ignore|disregard) (?:the |your )?(?:developer|system) (?:message|prompt)",
)
_WAIVED = phrase(
    r"(?:has|have|had)(?: \w{1,12})? (?:waived|cleared|lifted|suspended|switched off|authori[sz]ed|exempted"
    r"|whitelisted)"
    r"(?: [\w-]{1,16}){0,5} you(?! (?:can|could|may|might|should|need|have|want|are))",
    r"(?:has|have|had)(?: \w{1,12})? (?:waived|signed off on|given (?:their|its|full) (?:ok|consent|blessing"
    r"|approval) (?:to|for))"
    r"(?: \w{1,12}){0,2} (?:all|any|every|sharing|sending|skipping|bypassing|ignoring|disabling|exporting"
    r"|publishing|releasing)",
    r"you (?:do not|don t|no longer) need (?:any |the )?(?:approval|permission|confirmation|consent"
    r"|authori[sz]ation|review)s?"
    r" (?:for|to do|on|here) (?:anything|everything|any|all|whatever)",
    r"(?:approve|book|purchase|buy|order|pay|transfer|send|merge|accept|grant|delete|publish|install|run"
    r"|execute|confirm)"
    r"(?: [\w-]{1,16}){0,16} without checking(?: (?:back|in|first|with (?:them|him|her|anyone|the"
    r" \w{1,12})))(?! (?:if|whether|that))",
    r"(?:the|this) (?:user|session|account|request|agent|note|conversation)(?: session)? (?:has been|is|was)"
    r"(?: \w{1,12}){0,3} (?:granted|verified and|whitelisted|exempt|exempted|cleared|elevated)(?: \w{1,12}){0,3}"
    r" (?:admin\w{0,10}|full|unrestricted|root|whitelisted|trusted|from(?: \w{1,12}){1,2} (?:polic(?:y|ies)"
    r"|filters?|restrictions?"
    r"|checks?|rules|limits))",
    r"without (?:any )?(?:safety|content|moral|ethical) (?:checks?|filter\w{0,3}|judge?ments?|review"
    r"|restrictions?|considerations?)",
)
_CALLED = opening(
    r"(?:hey|dear|hello|attention|listen)\W{1,3}(?:bot|model|robot|machine|computer|reader|future (?:me"
    r"|self|agent|reader))\b",
    r"(?:llm|ai|machine|model|bot|agent)s?\s(?:readers?|crawlers?|scrapers?)\s?[:,]",
    r"(?:for|to)\s(?:whichever|whatever|any|whoever|anyone|every|the next)(?:\s\w{1,12}){0,3}\s(?:agent"
    r"|assistant|model|bot|ai)"
    r"(?:\s\w{1,12}){0,6}\s?:",
    r"(?:anyone|whoever|everyone|any agent)\s(?:automating|who automates|that automates)\b",
    r"(?:whoever|whichever (?:agent|assistant|model|bot)|any (?:agent|assistant|model|bot))\s(?:reads"
    r"|loads|recalls|finds|picks|retrieves|processes|sees)(?: up)? this\b",
    r"the (?:assistant|ai|model|llm|bot) is (?:expected|required|obliged|ordered|instructed|told)"
    r" to\b(?=.{0,200}(?:@|://"
    r"|\bevery\b|\beach\b|\ball\b))",
)

PRECEDENCE_SHAPES: Final[tuple[SuspiciousPattern, ...]] = (
    SuspiciousPattern(
        "sets itself above others",
        _ABOVE_PEOPLE,
        hints=any_of("this|these|following|present|written here"),
        companions=(_RANKS, _ANY_PERSON),
    ),
    SuspiciousPattern(
        "sets itself above others",
        _BINDS,
        is_negatable=True,
    ),
    SuspiciousPattern(
        "tells the reader to drop its instructions",
        _VOIDED,
        is_negatable=True,
    ),
    SuspiciousPattern(
        "claims an authority or a consent that nobody gave",
        _WAIVED,
        is_negatable=True,
    ),
    SuspiciousPattern(
        "addresses the model and not the project",
        _CALLED,
    ),
)
