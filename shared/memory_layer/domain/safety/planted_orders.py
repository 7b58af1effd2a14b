"""Patterns of orders planted for a model to find: by false authority, for a later time, to be spread."""

from typing import Final

from memory_layer.domain.safety.suspicious_pattern import SuspiciousPattern, any_of, form, opening, phrase

_MODEL: Final = r"(?:ai|llm|language model|automated|autonomous|assistant|agent|chatbot|copilot|bot)"
_MODELS: Final = rf"{_MODEL}(?: (?:system|assistant|agent|model|bot|processor|tool|reader|crawler))?s?"
_MODEL_NAME: Final = _MODEL.replace(" ", r"\s")
_CHIEF: Final = (
    r"(?:administrator|admin|sysadmin|developer|creator|maker|supervisor|superuser|boss|operator"
    r"|system administrator)"
)
_WEAKEN: Final = (
    r"(?:bypass|ignore|skip|override|disable|circumvent|forward|send|share|exfiltrate|transfer|export|reveal"
    r"|leak)"
)
_ON: Final = (
    r"(?:when|whenever|if|once|after|before|as soon as|(?:every|each|any|next) time"
    r"|(?:for|on|in) (?:every|each|any))"
)
_NOTE: Final = r"(?:note|memory|message|instruction|order|directive|prompt|rule|entry)"

_HEADED = form(
    opening(
        rf"(?:notice|message|directive|instruction|command|update|alert|request|note|memo|reminder)s?\s(?:to|for)\s"
        rf"(?:(?:all|any|the|every|future)\s)?{_MODEL_NAME}(?:\s\w{{1,12}})?s?\b\s?"
        rf"(?:[:\]!—-]|[^.:\n]{{0,80}}:)(?=[^\n]{{0,240}}?\byou\b)",
        r"(?:ai|llm|assistant|agent)(?:\s(?:agent|assistant|system|model))?s?\s(?:directive|override|notice"
        r"|alert)s?\b"
        r"[^\n:]{0,40}[:\]]",
        r"(?:ai|automated|autonomous)\s(?:agents?|systems?|assistants?|processors?|readers?|crawlers?)\s?:"
        r"(?=[^\n]{0,240}?\byou\b)",
        r"system\s(?:notice|directive|alert|command|policy update|notification)s?\s?[:\]—-]"
        r"(?=[^\n]{0,240}?\b(?:you\b|your\b|ignore|disregard|override))",
        r"standing\sorders?\b\s?[:—-]",
        r"(?:this\s)?(?:message|note|notice|instruction)\s(?:comes|is|was sent)\sfrom\s(?:the\s)?(?:anthropic|openai"
        r"|google|microsoft|your\s\w{1,12}|system|platform|security)\b[^\n]{0,40}:",
        r"(?:message|note|notice|word)\sfrom\s[^\n:.]{1,60}\sto\sthe\s(?:ai|assistant|agent|model|llm|copilot)\s?:",
        r"(?:moderator|admin|administrator|compliance|policy|internal|security|trust & safety)\s(?:note|memo"
        r"|notice|update|message)\b"
        r"[^\n:]{0,60}[:\]-][\s\S]{0,200}?\b(?:the (?:ai|assistant|model)|ai assistant|all (?:internal|system))\b",
        r"recipients?\s?:\s?(?:the\s)?(?:ai|assistant|llm|agent|model)\b",
        r"(?:note|instruction|message|notice|profile|hint|guidance)s?\s(?:to|for)\sautomated\b[^\n:]{0,60}:",
        r"invisible to (?:humans?|people|(?:the )?users?|readers)\b|\b(?:visible|readable) (?:only )?to"
        r" (?:llms?|ais?|ai models?|language models?)\b",
    ).pattern,
    form(
        r"\[\s?system\b[^\]\n:]{0,30}:[^\]\n]{0,200}\b(?:supersede|override|ignore|comply|report|recommend"
        r"|granted|disregard|always|never)",
    ).pattern,
)
_AUTHORITY = phrase(
    rf"(?:i am|i m) (?:now )?(?:the|your) (?:new |real |actual |true |system )?{_CHIEF}",
    r"(?:i am|i m) (?:the (?:person|one|team|company) (?:who|that)|who) (?:deployed|built|created|trained|owns|made"
    r"|wrote|runs|pays for) you",
    rf"(?:as|by|from) your (?:new |real |actual |true )?{_CHIEF}(?! (?:tools|console|mode|account))",
    rf"as (?:the|an?) (?:security |system )?{_CHIEF} you must",
    rf"your (?:{_CHIEF}|provider|vendor|trainer)s? (?:has|have) (?:decided|approved|confirmed|instructed|ordered"
    r"|authori[sz]ed|allowed|lifted)",
    r"(?<!if\W)(?<!once\W)(?<!when\W)(?<!after\W)(?<!until\W)(?<!unless\W)(?<!whether\W)(?<!that\W)"
    rf"the (?:user|owner|human|operator|{_CHIEF})s? (?:has|have|had)"
    r" (?:(?:already|previously|explicitly|now|just) )?(?:granted|given|authori[sz]ed|approved|waived|consented to)"
    r"(?: (?:you|the agent|the assistant|it|this|them|us))?"
    r" (?:full|admin\w{0,10}|root|unrestricted|complete|unlimited|blanket|elevated|all|every|permanent|any)",
    rf"(?:you (?:are|were|have been)|(?:previously|already|hereby|has|have)) authori[sz]ed (?:you )?to {_WEAKEN}",
    rf"you (?:(?:have|previously|already) ){{0,2}}(?:agreed|promised|consented) to (?:always )?{_WEAKEN}",
    rf"you (?:now )?have (?:full |my |our |their )?permission to (?:{_WEAKEN}|read all|access (?:all|any|every)"
    r"|delete|publish|post)",
    r"(?:assistant|ai|you) (?:has|have|now have|now has) (?:full |unrestricted )?(?:administrator|admin|root)"
    r" (?:rights|privileges|access|permissions)",
    rf"(?:root|admin\w{{0,10}}|full|elevated) (?:access|rights|privileges) (?:was|were|has been|have been|is|are)"
    rf" (?:hereby )?granted to (?:this {_NOTE}|you)",
    r"(?:approved|required|mandated|requested|authori[sz]ed) by your"
    r" (?:developers?|creators?|makers?|provider|vendor)",
    r"your (?:allow|white|trust|permit)\w{0,20}(?: \w{1,12}){0,3} (?:has|have) been"
    r" (?:updated|changed|extended|modified|expanded)",
    r"i (?:hereby )?(?:order|command|direct|authori[sz]e|deputi[sz]e|instruct) you",
    r"you are hereby",
    r"(?:i am|i m|this is)(?: an?| the| one of the)?(?: \w{1,16}){0,3} (?:at|from|with|of) (?:anthropic"
    r"|openai|google|deepmind|meta|microsoft|mistral"
    r"|xai|your (?:developers?|company|vendor|provider|makers?))",
    r"(?:user|i|caller|sender|he|she|author) (?:is|am) (?:now )?an? (?:admin\w{0,10}|root|superuser)(?: user)?"
    r" with (?:full|unrestricted|all)",
    r"(?:admin\w{0,10}|anthropic|openai|google|owner|developers?|security team|management) (?:has |have"
    r" )?(?:granted|authori[sz]ed|cleared"
    r"|permitted|allowed) me",
    r"i have (?:permission|clearance|authori[sz]ation|approval) from (?:the )?(?:admin\w{0,10}|anthropic"
    r"|openai|google|owner|developers?|your)",
    r"i am (?:a|the) (?:trusted|senior|verified|authori[sz]ed|chief)(?: \w{1,12}){0,2} (?:administrator"
    r"|admin|user|tester|researcher|officer|operator)",
    r"you (?:already |previously )?(?:agreed|promised|consented) to (?:help me bypass|answer all|answer"
    r" everything|comply with (?:all|any|every))",
    r"(?:full|blanket|standing|unlimited) authori[sz]ation to (?:share|access|read|delete|send|approve"
    r"|export) (?:any|all|every)",
    r"the (?:user|caller|sender) has (?:root|admin\w{0,10}|full|superuser) (?:access|rights|privileges|permissions)",
    r"(?:credentials?|ssh keys?|passwords?|secrets)(?: \w{1,12}){0,2} (?:can|may) be (?:shared|sent"
    r"|given)(?: \w{1,12})? (?:with|to)"
    r" (?:\w{1,12} ){0,2}(?:partners?|anyone|users?|vendors?|customers?|third)",
    r"sharing (?:credentials?|ssh keys?|passwords?|secrets|tokens)(?: \w{1,12}){0,3} (?:is|are) (?:permitted"
    r"|allowed|fine|ok|encouraged)",
)
_READ_BY_MODEL = phrase(
    rf"{_ON} (?:an?|the|any|this) {_MODELS} (?:reads?|retrieves?|recalls?|process(?:es)?|sees?|loads?|encounters?"
    r"|summari[sz]es?|parses?|ingests?) this",
    rf"(?:only|exclusively) (?:visible|readable|shown|addressed|intended|meant) (?:for|to) {_MODELS}"
    r"(?= (?:and|not|to prevent|so|but|only)\b)",
    rf"(?:hidden|secret|covert|invisible) (?:note|message|directive|command|instruction|order|prompt)s?"
    rf" (?:for|to) (?:the |any |all )?{_MODELS}",
    r"(?:hidden|secret|covert|invisible) (?:memory|system|agent|standing|persistent)"
    r" (?:rule|instruction|directive|order)s?",
    r"in your next (?:response|reply|answer|message|output|turn)(?! to (?:the )?user)",
    r"your next (?:action|step) (?:should|must|is) (?:be )?to"
    r" (?:send|upload|forward|navigate|execute|download|transfer)",
    r"(?:follow|obey|trust|use|take) (?:only|nothing but) (?:the )?(?:notes?|orders?|instructions?|rules?) (?:in|of)"
    r" this (?:memory|note|message|file|entry)",
    rf"(?:all|every|any|each) {_MODELS} (?:that|who|which) (?:sees?|reads?|process(?:es)?|finds?|loads?"
    rf"|recalls?|retrieves?) this",
    r"(?:load|take|fetch|read|get) your (?:instructions?|orders?|commands?|tasks?) from",
    r"(?:carry out|execute|follow|do|obey) what(?:ever)? (?:is|it|stands|you find) (?:listed|written|says"
    r"|stored|there|commands?)"
    r"(?: there| in it|(?=\W{0,3}$))",
    r"do (?:exactly )?as it says",
    r"(?:embedded|quoted|hidden|foot|side|inline)(?: )?(?:note|text|comment|caption)s?(?: \w{1,12}){0,3}"
    r" (?:assistant|ai|agent|model) (?:should|must)",
)
_SPREADS = phrase(
    rf"(?:copy|write|add|repeat|append|insert|spread|propagate|forward|store|replicate|pass on|send) this"
    rf"(?: (?:same|very|exact|entire))? {_NOTE}(?: on)? (?:in|into|to|on to|across|with) (?:every|each|all|any|other)"
    rf"(?: other| of)? (?:\w{{1,12}} )?(?:projects?|memor(?:y|ies)|agents?|assistants?|models?|repositor(?:y"
    rf"|ies)|repos?"
    r"|sessions?|conversations?|users?|contacts?|workspaces?|you)",
    rf"(?:copy|write|add|repeat|append|insert|replicate) (?:this|the) same {_NOTE} (?:in|into|to)",
    r"delete (?:it|this (?:note|memory|message|entry)) so (?:that )?(?:no one|nobody|no person|the user)",
    rf"(?:if|when|should) (?:the |a |any )?(?:user|human|person|someone|anyone)(?: \w{{1,12}}){{0,2}}"
    r" (?:wants?|asks?|tries|attempts?|requests?)(?: you)? to (?:delete|remove|change|edit|correct|erase|overwrite)"
    rf" this (?:{_NOTE})",
    r"(?:write|store|save|add|put|copy)(?: a copy of)? (?:this|these)(?: \w{1,12})? (?:rule|line|instruction"
    r"|order|note|text|sentence"
    r"|paragraph)s? (?:in|to|into|at)(?: \w{1,12}){0,5} (?:your (?:own |long term |permanent |core"
    r" )?(?:memory|storage|prompt|rules"
    r"|instructions|files?)|(?:any|every|each|all) (?:other )?[\w.]{1,20} (?:that )?you (?:create|write|edit"
    r"|touch|open|see|find|visit))",
    r"(?:write|store|save|add|put|copy) (?:this|these) (?:rule|line|instruction|order)s? (?:in|to|into) your",
    r"(?:insert|inject|load) (?:this|the following|these lines)(?: \w{1,12})? (?:in|into|to) your"
    r" (?:context|memory|knowledge|long term|storage)",
)
_BRACKETED = form(
    r"\[\s?(?:hidden|secret|invisible|inject|encoded[_ ]directive)\b[^\]\n]{0,20}:",
    r"<hidden\b|\btool[_ ]call:\s?\w+\(",
    r"\bagent\.(?:override|execute)\w{0,20}\(",
    r"\b(?:ai|llm|agent|assistant)[_-]instructions?\b[\"']?\s?[:=]",
    r"\[\s?(?:important|attention|urgent)\s?:\s?(?:before|ignore|execute|send|always)\b",
)
_LATER = phrase(
    r"(?:in|for|across|during|throughout) (?:all|every|any|each) (?:future|subsequent|later|following|upcoming)"
    r" (?:session|conversation|interaction|chat|response|reply|answer|prompt|turn|discussion)s?",
    r"in every conversation (?:about|with)|your first step in (?:any|every|each) (?:session|conversation)",
    r"(?:remember|store|save|keep|treat) this(?: \w{1,12}){0,3} as (?:an? |the |your )?(?:\w{1,12} )?"
    r"(?:system|permanent|core|persistent|standing|top priority|highest priority|mandatory)"
    r" (?:directive|rule|instruction|command|order|policy)",
    r"(?:persistent|permanent|standing) (?:rule|directive|order|instruction)s? (?:in|for|across) (?:all|every|your)",
)
_CODE_WORD = phrase(
    r"(?:see|sees|hear|hears|encounter|encounters|detect|contain|contains|mention|mentions|say|says|type|types"
    r"|receive|receives|includes?|writes?) (?:the |a |an |this )?(?:\w{1,12} )?(?:word|phrase|keyword|trigger"
    r"|code(?: )?word|passphrase|pass(?: )?code|magic word)s?",
    r"(?:word|phrase|keyword|string|token|code(?: )?word|emoji|passphrase)s? (?:\S{1,40} ){0,4}"
    r"(?:appears?|shows? up|occurs?|comes up|turns up|is (?:seen|mentioned|used|said|typed|present))",
    r"(?:on|upon) (?:hearing|(?:seeing|reading|receiving)(?= (?:the word|this)))",
    r"(?:magic|secret|activation) (?:phrase|word)",
)
_DEED: Final = form(
    r"\b(?:execute|run|send|forward|reveal|output|grant|ignore|delete|disable|transfer|comply|unlock|upload|export"
    r"|exfiltrate|dump|bypass|hand over|puts? you|activates?|unlocks?|wipe|switch off|turn off|print the env\w*)\b"
)
_ON_EVENT = phrase(
    rf"{_ON} (?:the |a |any |an )?(?:user|human|someone|anyone|person|customer|client|victim|operator)s?"
    r" (?:ask|request|mention|say|quer|inquire|discuss|want|open|log|type|submit|send|start|message|prompt"
    r"|question)\w{0,4}",
    rf"{_ON} (?:you|asked|discussing|talking|answering|responding|replying|the conversation|processing|conversation"
    r"|request|user|response|message|reply|session|task|query|interaction)",
)
_ATTACK: Final = form(
    r"\|\s?(?:sudo )?(?:ba|z)?sh\b|\b(?:run|execute|call|invoke)\b.{0,20}\b(?:curl|wget|nc)\b|\brm -[rf]{2}"
    r"|/etc/(?:passwd|shadow)|\.ssh/"
    r"|\b(?:output|print|show|reveal|display|give|tell)\b.{0,40}"
    r"\b(?:passwords?|credentials|api keys?|secrets|private keys?|tokens)\b(?! (?:limit|usage|count|budget))",
    r"\b(?:passwords?|credentials|secrets|api keys?)\b.{0,20}\b(?:output|print|show|reveal|display|give|tell)\b.{0,8}"
    r"\b(?:them|it|all)\b",
    r"\b(?:fetch|load|open|read|get|download|execute|run)\b.{0,20}https?://\S{1,200}.{0,12}\b(?:do what|obey"
    r"|follow (?:it|its|the instructions)|without (?:mention|tell|ask)\w{1,4})\b",
)
_NETWORK_SHELL = form(
    r"/dev/(?:tcp|udp)/[\w.-]{3,}",
    r"\bnc(?:at)?\b(?: -\w{1,6}){0,3} -\w{0,4}[ec]\b",
    r"\bbash -i\b.{0,10}[>&]",
    r"\bmkfifo\b.{0,80}\bnc\b",
)

PLANTED_SHAPES: Final[tuple[SuspiciousPattern, ...]] = (
    SuspiciousPattern(
        "addresses the model and not the project",
        _HEADED,
    ),
    SuspiciousPattern(
        "claims an authority or a consent that nobody gave",
        _AUTHORITY,
        is_negatable=True,
    ),
    SuspiciousPattern(
        "asks something of whoever reads it",
        _READ_BY_MODEL,
    ),
    SuspiciousPattern(
        "asks to be spread or kept",
        _SPREADS,
        hints=("this", "these", "same", "delete", "following"),
        is_negatable=True,
    ),
    SuspiciousPattern(
        "hides an order from people", _BRACKETED, hints=("[", "<hidden", "tool", "agent.", "instruction")
    ),
    SuspiciousPattern(
        "asks something of every later conversation",
        _LATER,
    ),
    SuspiciousPattern(
        "waits for a word to act on",
        _CODE_WORD,
        hints=any_of("word|phrase|trigger|pass|string|token|emoji|hearing|seeing|reading|receiving"),
        companions=(
            _DEED,
            form(r"\b(?:when|whenever|if|once|upon|on|every time|puts? you|unlocks?|activates?)\b"),
        ),
        is_negatable=True,
    ),
    SuspiciousPattern(
        "waits for its user's question to do harm",
        _ATTACK,
        hints=("|", *any_of("curl|wget|nc |rm -|etc/|.ssh|password|credential|key|secret|token|http")),
        companions=(_ON_EVENT,),
        is_negatable=True,
    ),
    SuspiciousPattern(
        "asks for malicious code",
        _NETWORK_SHELL,
        hints=("/dev/tcp", "/dev/udp", "nc -", "ncat", "bash -i", "mkfifo"),
    ),
)
