"""Patterns of orders that take a model's limits away: its safeguards, its restrictions, the secrecy of its prompt."""

from typing import Final

from memory_layer.domain.safety.suspicious_pattern import SuspiciousPattern, any_of, phrase

_OFF: Final = (
    r"(?:ignore|disregard|bypass|override|overriding|disable|suspend|deactivate|lift|drop|turn off|switch off"
    r"|circumvent|evade|neutrali[sz]e|disabling|bypassing)"
)
_OF_MODELS: Final = r"(?:safety|ethic(?:al|s)|moderation|alignment|content|harm)"
_OF_ANYONE: Final = (
    r"(?:security|access|permission|authori[sz]ation|compliance|privacy|confirmation|approval)"
)
_LIMIT: Final = (
    r"(?:protocol|filter|control|check|measure|restriction|guardrail|safeguard|guideline|mechanism|validation"
    r"|limit|limitation|constraint|rule|requirement|policie|instruction|training)s?"
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
    r"(?: (?:now|all|temporarily)){0,2} (?:lifted|suspended|off|disabled|removed|void|obsolete|cancelled|revoked)",
    r"(?:tool|permission) (?:confirmation|approval|prompt|restriction|check)s?"
    r" (?:are|is|have been|has been) (?:now |temporarily )?(?:switched off|turned off|disabled|lifted|waived)"
    r" (?:for (?:you|this (?:account|session|user|agent|note))|in this (?:session|conversation))",
    rf"(?:{_LIMIT}|polic(?:y|ies))(?: (?:that|which))?(?: come| comes| came)? (?:from|of|by|set by) your {_MAKER}"
    r"(?: \w{1,12}){0,4} (?:not|no longer|void|obsolete)",
    r"(?:released|freed|exempt|exempted|unbound|liberated) from (?:all |any )?(?:your|its)(?: \w{1,12}){0,2}"
    rf" {_LIMIT}",
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
)

LIMIT_SHAPES: Final[tuple[SuspiciousPattern, ...]] = (
    SuspiciousPattern(
        "tells the reader to drop its safeguards",
        _LIFTED,
        hints=any_of(
            "safe|ethic|moderat|align|content|harm|secur|access|permission|authori|complian|priva|"
            "confirm|approv|tool|usage|your | its "
        ),
        is_negatable=True,
    ),
    SuspiciousPattern(
        "gives the reader a new role",
        _UNBOUND,
        hints=any_of(
            "ethic|moral|safety|refuse|character|mode|simulate|imitate|play|imperson|become|safeguard|safety|restrict|limit|guideline|guardrail|"
            "filter|constraint|boundar| rules|censor|unalign|"
            "amoral|jailbroken| dan|uncondition"
        ),
        is_negatable=True,
    ),
    SuspiciousPattern(
        "asks the reader for its own prompt or secrets",
        _PROMPT_TOLD,
        hints=any_of(
            "password|credential|key|secret|context|prompt|instruct|directive|rules|guideline|message|configuration"
        ),
        is_negatable=True,
    ),
)
