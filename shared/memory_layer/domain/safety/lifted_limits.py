"""Patterns of orders that lift a model's limits, safeguards or the secrecy of its prompt, or dictate its answers."""

from typing import Final

from memory_layer.domain.safety.suspicious_pattern import SuspiciousPattern, any_of, form, phrase

_OFF: Final = (
    r"(?:ignore|disregard|bypass|override|overriding|disable|suspend|deactivate|lift|drop|turn off|switch off"
    r"|circumvent|evade|neutrali[sz]e|disabling|bypassing|ignoring)"
)
_OF_MODELS: Final = r"(?:safety|ethic(?:al|s)|moderation|alignment|content|usage|harm)"
_OF_ANYONE: Final = (
    r"(?:security|access|permission|authori[sz]ation|compliance|privacy|confirmation|approval)"
)
_LIMIT: Final = (
    r"(?:protocol|filter|control|check|measure|restriction|guardrail|safeguard|guideline|mechanism|validation"
    r"|limit|limitation|constraint|rule|requirement|policy|policie|instruction|training)s?"
)
_UNLIMITED: Final = (
    r"(?:(?:no|without(?: any)?|zero|free (?:of|from)(?: all| any)?)"
    r"(?: (?:safety|content|ethical|moral|usage|ai|such|or|and|policy)){0,3}"
    r" (?:restrictions|limitations|guidelines|guardrails|filters|constraints|limits|boundaries|rules|censorship))"
)
_MAKER: Final = r"(?:provider|maker|developer|vendor|creator|trainer|operator|manufacturer)s?"

_LIFTED = phrase(
    rf"{_OFF}(?: (?:all|any|every|the|your|its|of|these|those|existing|current)){{0,3}} {_OF_MODELS} {_LIMIT}",
    rf"{_OFF}(?: of)? (?:all|any|your|every|existing|standard|normal)(?: of)?(?: (?:the|your))?"
    rf" {_OF_ANYONE} {_LIMIT}",
    rf"{_OFF} (?:the |all |any )?(?:user|human|permission|tool)(?: (?:permission|confirmation|approval|consent))?"
    r" (?:requirement|dialog|prompt|request)s? (?:and|so|for (?:this|me|us)|from now)",
    rf"(?:{_OF_MODELS}|tool|usage) {_LIMIT}(?: (?!and|or)\w{{1,12}}){{0,6}} (?:are|is|have been|has been|were)"
    r"(?: (?:now|all|temporarily)){0,2} (?:lifted|waived|deprecated|suspended|off|disabled|removed|void"
    r"|obsolete|cancelled|revoked)",
    r"(?:tool|permission) (?:confirmation|approval|prompt|restriction|check)s?"
    r" (?:are|is|have been|has been) (?:now |temporarily )?(?:switched off|turned off|disabled|lifted|waived)"
    r" (?:for (?:you|this (?:account|session|user|agent|note))|in this (?:session|conversation))",
    rf"(?:{_LIMIT}|polic(?:y|ies))(?: (?:that|which))?(?: come| comes| came)? (?:from|of|by|set by) your {_MAKER}"
    r"(?: \w{1,12}){0,4} (?:not|no longer|void|obsolete)",
    r"(?:released|freed|exempt|exempted|unbound|liberated) from (?:all |any )?(?:your|its)(?: \w{1,12}){0,2}"
    rf" {_LIMIT}",
    r"skip(?: (?:the|all|any|your|every)){1,2} (?:ethical|safety|moral|moderation) (?:guideline|rule"
    r"|policy|policie)s?",
    r"(?:ignore|disregard|lift|drop|waive|remove) (?:all|every|any)(?: (?:safety|of the|the|your"
    r"|content)){0,2} restrictions",
    r"(?:all|every|any)(?: \w{1,12})? restrictions (?:are |were |have been )?(?:now )?(?:lifted|waived"
    r"|removed|suspended)",
    r"(?:clear|delete|remove|erase|purge) (?:all |every |any )?safety(?: related)? (?:entries|entry|rules"
    r"|memories|notes|constraints)",
    r"your (?:system prompt|safety \w{1,12}|training|guidelines|ethical \w{1,12}|alignment)"
    r" (?:(?:has|have|was|were|is|are)(?: been)? (?:updated|changed|replaced|incorrect|wrong|reset|revised"
    r"|rewritten|outdated)"
    r"|contain(?:s|ed) an? (?:error|bug|mistake))",
    r"(?:ethical|safety|content) (?:guideline|rule|policy|restriction|filter)s?(?: \w{1,12}){0,5} (?:is|was|were|are)"
    r"(?: actually)? (?:a |an )?(?:bug|error|mistake|artifact|deprecated|obsolete)",
    r"(?:helpfulness|speed|compliance|profit|growth) over safety",
    r"without the (?:usual|standard|normal|customary)(?: \w{1,12})? (?:review|approval|verification|check"
    r"|confirmation|validation)s?",
    r"(?:ethics|morals|morality|safety|rules|laws?) (?:do not|don t|does not|doesn t|no longer) appl(?:y"
    r"|ies)(?= (?:here|to you|now|in)\b|\W{0,3}$)",
    r"(?:always|must|any|every|all)(?: \w{1,12}){0,3} (?:execute|run)(?: \w{1,12}){0,4}"
    r" commands?(?: \w{1,12}){0,3} without"
    r" (?:any |user |asking for )?(?:confirmation|approval|permission|review)",
    r"(?:execute|run) (?:any|all|every)(?: \w{1,12}){0,2} commands?(?: \w{1,12}){0,3} without (?:any |user"
    r" )?(?:confirmation|approval"
    r"|permission|review)",
    r"(?:must|should|shall|will) (?:always )?(?:comply with|obey|fulfil\w?|grant) (?:all|any"
    r"|every)(?: \w{1,12}){0,2} requests?",
    r"all requests (?:should|must|are to|can) be (?:treated|considered|regarded) as (?:safe|authori[sz]ed"
    r"|trusted|approved)",
    r"(?:bypass|skip|ignore|disable|override) safety(?: (?:is|=))? (?:true|1|yes|on)|safety (?:enabled|mode"
    r"|checks?|filter)(?: (?:value|is|to))?"
    r" (?:off|false|disabled|none|0)|(?:modify|change) safety settings? (?:true|1|yes)",
    r"(?:content filter|restriction level|restrictions) (?:to |is )?(?:none|off|disabled)(?= (?:and|verbose"
    r"|trust|user|role)|\W{0,4}$)",
)
_SAID = r"(?:output|respond|reply|print|say|answer|return|write|reveal|repeat|show)"
_TEXT = r"(?:document|text|page|passage|note|memory|entry|record|snippet|chunk|article|file|message)"

_RETRIEVED = phrase(
    rf"(?:when|whenever|once|if|as soon as) (?:this|the) {_TEXT} (?:appears?|is|gets?)(?: \w{{1,12}}){{0,5}}"
    r" (?:you|the (?:assistant|model|agent|ai)) (?:must|should|shall|will|have to|are to)"
    rf"(?: \w{{1,20}}){{0,8}} {_SAID}",
    rf"override (?:your |the |all )?(?:standard|default|normal|usual) (?:behaviou?rs?|instructions) and {_SAID}",
)
_UNBOUND = phrase(
    rf"(?:you|your|dan|assistant|ai|model)(?: \w{{1,16}}){{0,7}} (?:has|have|had|with|under|are|is|operat\w{{1,4}})"
    rf" {_UNLIMITED}",
    rf"(?:act|respond|answer|behave|operate|comply|roleplay|function)(?: \w{{1,16}}){{0,6}} {_UNLIMITED}",
    r"(?:you|your|dan|assistant|ai|act|respond|answer|comply)(?: \w{1,16}){1,7} without (?:any )?"
    r"(?:restrictions?|limitations?|guardrails|filters|censorship)",
    r"(?:uncensored|unrestricted|unfiltered|jailbroken|unaligned|amoral)"
    r" (?:ai|assistant|model|mode|agent|chatbot|llm|version of yourself)",
    r"(?:allow|grant|enable|give|have)(?: \w{1,12}){0,2} (?:unrestricted|unlimited|unconditional)"
    r" (?:(?:tool|system|data|file|shell|admin) )?access",
    r"you (?:are|re) dan",
    r"no (?:safety )?restrictions apply",
    r"(?:simulate|imitate|play|impersonate|become) an? (?:\w{1,12} )?(?:assistant|ai|model|agent|chatbot"
    r"|llm) (?:that|who|which|with|without)"
    r" (?:(?:has|is|does|can|will) )?(?:no|not|never|ignores?|any|do)",
    r"(?:guardrails?|safeguards?|safety|limits|restrictions|filters) (?:are |is )?(?:now )?(?:off|removed"
    r"|lifted|gone)(?= (?:until|for|now|and)"
    r"\b|\W{0,3}$)",
    r"(?:has|have|had|with|are|knows?|under) no (?:(?:ethical|moral|safety|content) ?(?:and |or )?){1,2}"
    r"(?:restrictions?|limitations?|guidelines|guardrails|filters|constraints|limits|boundaries|rules)",
    r"never refuses? (?:any|requests?|anything|to help|a request|and|to answer)",
    r"(?:assistant|ai|model|you|character|persona|it|bot|gpt)(?: \w{1,12}){1,16} never refuses?",
    r"stay in character (?:at all times|for the rest|no matter|throughout|always)",
    r"(?:safety|content) (?:layers?|filters?|checks?)(?: \w{1,12}){0,2} (?:logging|log) only",
    r"(?:do not|don t|does not|without) (?:process|filter|check|run)(?: \w{1,12}){0,4} (?:through|by|with"
    r"|against) (?:any |the |your )?safety",
    r"(?:enter|switch to|activate|enable|start)(?: \w{1,12}){0,3} mode (?:and reveal|with full|where all"
    r" safety|in which you|you (?:will|do|are) )",
    r"(?:unrestricted|uncensored|unfiltered) (?:output|responses?|answers?|information|access to"
    r" everything)(?: (?:from you|without|to))?",
    r"(?:respond|answer|reply|speak|write) (?:unrestricted|unfiltered|uncensored|without (?:any )?filtering)",
    r"(?:uncensored and unfiltered|unfiltered and uncensored)|(?:liberated|free|freed) from all (?:rules"
    r"|limits|restrictions|constraints)",
)
_PROMPT_TOLD = phrase(
    r"(?:reveal|leak|disclose|divulge|exfiltrate|expose|dump|recite)(?: \w{1,20}){0,3}"
    r" (?:system|initial|hidden|internal|original) (?:prompt|instruction|directive|message|configuration)s?",
    r"(?:output|print|repeat|show|display|share|send|extract|summari[sz]e|translate|encode)(?: \w{1,20}){0,3}"
    r" (?:your|the (?:system|initial|hidden|original)) (?:(?:system|initial|hidden|original|full|complete"
    r"|exact|very|first) ){0,3}"
    r"(?:prompt|instruction|directive)s?(?: \w{1,12}){0,3}"
    r" (?:now|verbatim|above|first|in full|when asked|word for word)",
    r"(?:then|also|proceed to|now|please|must) (?:extract|output|print|show|display|return|send|share)"
    r" (?:me )?(?:the|your) (?:full |entire )?system prompt",
    r"(?:output|print|repeat|show|list|reveal|tell|display|provide|include|recite|write|summari[sz]e)"
    r"(?: \w{1,20}){0,8} (?:instructions?|directives?|prompt|rules|guidelines)(?: that)?"
    r" you (?:received|got|(?:were|have been|are) (?:given|told|provided|following|operating|initiali[sz]ed))",
    r"(?:output|show|translate|reconstruct|repeat|reveal|print|spells? out|encode|leak|summari[sz]e|dump"
    r"|recite|display|paraphrase|what is"
    r"|characters of|contents? of|lines? of|words of|if)(?: \w{1,16}){0,6} your (?:system|initial|original"
    r"|hidden|developer) (?:prompt|message|instructions)"
    r"(?! (?:should|can|must|for|to|file|so|with|in|at)\b)",
    r"(?:print|dump|repeat|reveal|recite|output)(?: \w{1,12}){0,6} of your context",
    r"(?:output|share|read|list|incorporat\w{2,3}|print|show|reveal|contain\w{0,3}|about)(?: \w{1,12}){0,3} your"
    r" (?:initial|original|hidden|full|complete|entire|secret|internal)(?: system)?"
    r" (?:instructions?|instruction set|initiali[sz]ation text|configuration|prompt|guidelines|rules)(?!"
    r" (?:for|on|to|file)\b)",
    r"share your (?:instruction set|system configuration)|output your system configuration",
    r"(?:output|display|print|dump|reveal|expose|read out|display the contents? of|print the contents?"
    r" of)(?: \w{1,12}){0,3}"
    r" (?:all|any|every|stored|their|the user s|the value of)(?: \w{1,20}){0,4}"
    r" (?:passwords?|credentials|private keys?|api keys?|api key environment variable|secrets)",
    r"(?:include|append|output|print|add|put)(?: \w{1,12}){0,4} (?:passwords?|credentials|api keys?"
    r"|secrets)(?: \w{1,12}){0,3}"
    r" in(?:to)? (?:your (?:next )?|all |every |each )?(?:responses|repl(?:y|ies)|answers?|summar(?:y|ies))",
    r"(?:output|print|display|show|expose|provide|return|reproduce|disclose|repeat|tell|list|what are"
    r"|reveal)(?: \w{1,12}){0,3}"
    r" (?:hidden|secret|unseen|concealed|bootstrap)(?: \w{1,12})? (?:instruction|prompt|message|setup"
    r"|configuration|directive|rule|context)s?",
    r"(?:output|print|show|display|copy) everything above(?= (?:this|in|line|including|verbatim)\b|\W{0,3}$)",
    r"your (?:entire|whole|full) (?:context|context window|system context|system prompt|internal instructions)",
    r"(?:see|read|access|view) your (?:full |entire |complete )?(?:internal|system|hidden) (?:instructions"
    r"|context|prompt|configuration)",
    r"what were you told before",
)

LIMIT_SHAPES: Final[tuple[SuspiciousPattern, ...]] = (
    SuspiciousPattern(
        "tells the reader to drop its safeguards",
        _LIFTED,
        is_negatable=True,
    ),
    SuspiciousPattern(
        "gives the reader a new role",
        _UNBOUND,
        is_negatable=True,
    ),
    SuspiciousPattern(
        "asks the reader for its own prompt or secrets",
        _PROMPT_TOLD,
        is_negatable=True,
    ),
    SuspiciousPattern(
        "tells the reader what to do with a text that it retrieves",
        _RETRIEVED,
        is_negatable=True,
    ),
)

_TOLD: Final = r"(?:instruction|directive|rule|condition|prompt|guideline|command)s?"
_RETELL: Final = (
    r"(?:repeat|print|output|reveal|display|recite|list|format|encode|translate|convert|paraphrase|rewrite"
    r"|rephrase|summari[sz]e|explain|restate|tell me|give me|write down|write out)"
)
_RETOLD = phrase(
    rf"{_RETELL}(?: \w{{1,16}}){{0,6}} {_TOLD}(?: \w{{1,12}}){{0,2}} (?:so far|above and below"
    r"|(?:in|of) (?:the|your|this) (?:system )?prompt|given to you|received|up to this point|until now"
    r"|you (?:were|have been|got)|before this (?:line|message|point))",
    rf"{_RETELL}(?: (?:me|back|out|all|exactly|of)){{0,3}}"
    rf" your (?:(?:previous|prior|initial|first|own|exact|secret|full) )?{_TOLD}(?! (?:files?|engine|for|set|on)\b)",
    rf"{_RETELL}(?: (?:me|all|the|these|those|any)){{0,2}} (?:(?:previous|prior) )?instructions(?: \w{{1,12}}){{0,4}}"
    r" (?:as|in|into|to)(?: an?)? (?:\w{1,12} )?(?:bullets?|bulleted|python|pseudocode|list|code|simple terms)",
)
_BEGUN = phrase(
    r"(?:begin|start|prefix|prepend|precede|preface) (?:your|each|every|the) (?:next )?"
    r"(?:response|reply|answer|output)s? (?:with|by)(?: \w{1,16}){0,12}"
    r" (?:instructions|rules|access|prompt|sure|password|granted|absolutely|of course)"
)
_ENDED = form(
    r"(?:[%=#*~\-\[</]{2,}|\[)\s?(?:the )?(?:end|begin|start) (?:of )?(?:the )?"
    r"(?:(?:user|system|out of date|human|sample) ?)?"
    r"(?:ambiguity|user input|user section|system prompt|prompt|input|instructions|passphrase|access code|user message"
    r"|conversation|dialog|reasoning)\s?(?:[%=#*~\-\]>/]{2,}|\])"
)
_FIRST_OF_ALL = phrase(
    r"before you (?:can )?(?:solve|do|answer|start|continue|complete|finish|proceed with|work on) the"
    r" (?:task|question|request|work|job)(?: that)? (?:i|we|you were|you have been|the user|was)"
    r" (?:gave|give|given|asked|set|assigned)",
    r"after (?:you do|doing|you have done) (?:that|this|so)(?: \w{1,12}){0,4} you (?:can|may) (?:then )?"
    r"(?:solve|do|answer|continue|resume|complete|go on with) the (?:task|question|request)",
    r"this is an? (?:important|urgent) (?:message|instruction|notice) from (?:me|your \w{1,16}|the user)"
    r"(?: \w{1,16}){0,4} to you",
    r"(?:ignore|disregard|forget)(?: all)? your (?:previous|prior|earlier|original|initial) \w{4,16}",
)
_PERSONA = phrase(
    r"(?:never|not|without|nor)(?: \w{1,12}){0,4} (?:care|cares|caring|concern|regard|respect)(?: \w{1,12}){0,3}"
    r" (?:ethic|moral|legal|illegal)(?:s|ity|ities|ly)?",
    r"(?:no|without|lacks?|free of|zero)(?: any)? (?:morals|ethics|morality|ethical or \w{1,12}|moral or \w{1,12})",
    r"(?:unethical|immoral|illegal)(?: (?:or|and))? (?:unethical|immoral|illegal|harmful|dangerous)"
    r"(?: \w{1,12}){0,3} (?:requests?|questions?|answers?|content|things)",
    r"(?:rebelliously|unhinged|unfiltered|rebellious|unrestrictedly|uncensored)(?: \w{1,16}){0,3}"
    r" (?:answer|answers|response|responses|reply|manner|content)",
    r"godmode|god mode (?:is )?(?:active|enabled|on)",
    r"(?:stay|stays|remain|remains) in (?:char|character)(?: \w{1,12}){0,4} (?:always|all times|command|never|remind)",
    r"(?:always|never)(?: \w{1,12}){0,2} (?:stay|stays|break|breaks|leave|leaves) (?:in |out of )?(?:char|character)"
    r"(?! (?:encoding|set|class))",
    r"broken free (?:of|from) (?:the|its|their|his|her)(?: \w{1,12})? (?:confines|chains|constraints|limits"
    r"|restrictions)",
    r"(?:do|does|need|needs|is|are) not (?:have to |need to |required to )?(?:abide by|bound by|adhere to|follow|obey)"
    r" (?:the|any|any of the|any of their|any of its|its|their) (?:typical |usual )?(?:rules|policies|restrictions)"
    r"(?: or (?:rules|policies|restrictions))?(?= (?:set|that|given|of (?:openai|chatgpt))|\W{0,3}$)",
    r"(?:hi|hello|hey|dear) (?:chatgpt|chat gpt|bard|copilot|bing|grok)",
    r"(?:two|2)(?: \w{1,12}){0,2} (?:responses|answers|ways|replies|personas)(?: \w{1,20}){0,24} (?:dan|jailbr\w{2,8}"
    r"|chatgpt|gpt|unfiltered|standard)",
)

DICTATED_SHAPES: Final[tuple[SuspiciousPattern, ...]] = (
    SuspiciousPattern(
        "asks the reader for its own prompt or secrets",
        _RETOLD,
        hints=any_of("instruction|directive|rule|condition|prompt|guideline|command"),
        is_negatable=True,
    ),
    SuspiciousPattern(
        "dictates how the reader's answer begins", _BEGUN, hints=any_of("response|reply|repli|answer|output")
    ),
    SuspiciousPattern(
        "forges the end of what the reader was told",
        _ENDED,
        hints=("end ", "begin ", "start "),
        reads_lines=True,
    ),
    SuspiciousPattern(
        "tells the reader to drop its instructions",
        _FIRST_OF_ALL,
        hints=any_of("before you|after you|after doing|urgent|important|ignore|disregard|forget"),
        is_negatable=True,
    ),
    SuspiciousPattern(
        "gives the reader a new role",
        _PERSONA,
        hints=any_of(
            "ethic|moral|legal|unhinged|unfilter|uncensor|unrestrict|rebel|god|in char|of char|break|stay|leave|broken"
            "|not|chatgpt|chat gpt|bard|copilot|bing|grok|two|2"
        ),
        is_negatable=True,
    ),
)
