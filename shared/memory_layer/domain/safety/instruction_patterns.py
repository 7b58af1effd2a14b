"""Patterns of prompt injection: text that gives orders to a model, forges a conversation, or vouches for itself."""

import re

from memory_layer.domain.safety.suspicious_pattern import SuspiciousPattern, any_of, form, phrase

UP_TO_3_WORDS = r"(?: \w{1,24}){0,3}"
_DETERMINERS = r"(?: (?:all|any|every|each|of|the|these|those|this|that|your|my|its)){0,4}"
ORDERS = (
    r"(?:instruction|order|prompt|rule|guideline|direction|directive|command|guardrail|constraint|safeguard)s?"
    r"|polic(?:y|ies)"
)
MEMORY = r"(?:memory|memories|note|entry|record|learning|insight|instruction)"
_MODEL = r"(?:ai|llm|language model|assistant|agent|chatbot|copilot|claude|gpt|gemini)s?"
PERSON = r"(?:the )?(?:users?|humans?|anyone|anybody|owners?|operators?|reviewers?|maintainers?|developers?)"
_HENCEFORTH = (
    r"(?:from (?:now|here|this (?:point|moment|message|line)|today)(?: on(?:wards?)?| forward| forth)"
    r"|henceforth|going forward|as of now|starting now|effective immediately|with immediate effect)"
)
_TO_MODEL = (
    r"(?:you\b|your\b|ignore|disregard|forget|obey|override|respond|approve|grant|always|never"
    rf"|{_HENCEFORTH}|until further notice|treat the|this (?:session|conversation|chat)|do (?:whatever|as)"
    r"|(?:the )?assistants?\b|new (?:instruction|directive|polic)|all (?:previous|prior|safety))"
)
_FREE_MODE = (
    r"(?:developer|debug|admin(?:istrator)?|root|god|dan|jailbreak|maintenance|unrestricted|uncensored|unsafe"
    r"|unlimited|privileged|superuser) mode"
)
_DROP = r"(?:ignore|disregard|forget|override|bypass|neglect|discard|overrule|set aside|put aside)"

_DROP_INSTRUCTIONS = phrase(
    rf"{_DROP}{_DETERMINERS} (?:previous|prior|above|preceding|earlier|initial|original|system|safety)"
    rf"{UP_TO_3_WORDS} (?:{ORDERS}|context|messages|training|conversation)",
    rf"{_DROP}{_DETERMINERS} (?:existing|other|former|past|current)"
    r" (?:\w{1,24} )?(?:instruction|prompt|guideline|directive|guardrail)s?",
    rf"{_DROP}{_DETERMINERS} (?:{ORDERS}) (?:you|that you|given to|from (?:the )?(?:user|system|developer))",
    rf"{_DROP} (?:all of |any of )?(?:your|its)(?: \w{{1,24}})? (?:{ORDERS})",
    rf"{_DROP} (?:everything|anything|all|whatever){UP_TO_3_WORDS}"
    r" (?:above(?! (?:the|an?|line)\b| \d)|before this|so far|told|said|know)",
    r"(?:do not|don t|stop|no longer) (?:follow|obey|comply with|following|obeying) (?:the|your|any|all)"
    rf"(?: \w{{1,24}})? (?:{ORDERS}) (?:above|you|from)",
    rf"{_DROP}{_DETERMINERS}(?: \w{{1,24}}){{0,2}} (?:{ORDERS}) above",
    rf"{_DROP} (?:what|whatever|everything|all|anything)(?: that)? (?:came|comes|went|goes|stands|was (?:said"
    rf"|written))"
    r" (?:before|above|earlier|previously)(?!\s(?:the|an?|line|\d))",
    r"stop what you (?:are|re) doing",
    rf"{_DROP}{_DETERMINERS}(?: \w{{1,24}})? (?:guidance|advice|brief|briefing)"
    r" (?:(?:that )?(?:was )?given to you|(?:that )?you (?:were given|got|received|have been given))",
    rf"your (?:previous|prior|earlier|old|former|existing|current|original) (?:{ORDERS}) (?:is|are)(?: \w{{1,12}})?"
    r" (?:void|cancel\w{2,3}|revoked|invalid|suspended|superseded|lifted|no longer (?:valid|in force))",
    r"(?:treat|consider|regard) (?:everything|anything|all(?: of it)?|whatever) (?:above|before this|so far"
    r"|said|told)"
    r"(?: \w{1,12}){0,3} as (?:cancel\w{2,3}|void|invalid|obsolete|revoked|deleted)",
    rf"(?:do not|don t|stop|no longer) (?:follow|obey|comply with|following|obeying) (?:the|your) system"
    rf" (?:{ORDERS})",
    r"(?:whatever|no matter what|regardless of what) (?:the )?(?:user|human)s? (?:asks?|says?|wants?|tells?|orders?"
    r"|instructs?|demands?|thinks?|types?|prefers?)",
    r"(?:do not|don t|no longer) apply to you",
    rf"{_DROP}(?: \w{{1,16}}){{0,5}} (?:task|instructions?|rest of (?:this|the)(?: \w{{1,12}})?|info"
    rf"|information|rubric|request|question"
    r"|query|scoring|criteria|indicators?(?: \w{1,12}){0,3})(?: (?:and|but|then|instead|just|simply"
    r"|only)){1,3} (?:print|output|say|respond|reply"
    r"|repeat|write|report|answer|return|tell)",
    rf"{_DROP}(?: the| this| your)?(?: \w{{1,16}})? task (?:instead|output|and|then|say|print)",
    r"(?:the )?(?:assistant|ai|llm|model) (?:should|must|shall)(?: always)? (?:ignore|disregard|override"
    r"|bypass|mark every|approve (?:all|every|any)"
    r"|call \w{1,30} before answering|remember that future)",
)
RUN_TOGETHER = re.compile(
    r"(?:ignore|disregard|forget|override|bypass)(?:all|any|every|each|of|the|these|those|this|your|my|its){0,4}"
    r"(?:previous|prior|above|preceding|earlier|initial|original|system|safety|existing|other|past){1,2}"
    r"(?:instruction|order|prompt|rule|guideline|direction|directive|command|guardrail|polic|message|context)"
    r"|youarenow(?:a|my|dan|in|un|free|the)|(?:reveal|print|show|send|repeat)(?:me)?(?:your|the)systemprompt"
    r"|(?:ignore|disregard|forget)\s?(?:all\s?|your\s?|safety\s?)?instructions|fromnowonyou|pretendtobea"
    r"|doanythingnow"
)
"""Orders written without gaps between their words; only for text that was decoded."""

_NEW_ROLE = phrase(
    r"you are now (?:an? (?!member|part|maintainer|collaborator|contributor|owner)\w{1,24}|my|dan|acting"
    r"|unrestricted|free|authori[sz]ed|the (?:admin\w*|assistant|root|system|developer)|in \w{1,20} mode"
    r"|no longer)",
    r"you (?:have been|are hereby) (?:upgraded|granted|promoted|authori[sz]ed|elevated|reprogrammed|freed)",
    rf"act as (?:an? |the |my )?(?:\w{{1,24}} ){{0,2}}(?:{_MODEL}|admin|administrator|hacker|dan)",
    r"pretend (?:to be an?|(?:that )?you (?:are|re))",
    r"role(?: |-)?play as|let s play a (?:\w{1,20} )?game",
    r"do anything now|(?:dan|jailbreak|god|unrestricted|uncensored) mode",
    r"developer mode (?:is )?(?:now )?(?:enabled|activated|on) (?:you|ignore|all|no)",
    r"from now on (?:you (?:are|will (?:only|answer|respond|act|obey|ignore|always))|respond|answer|reply"
    r"|obey|act as|pretend|speak)",
    rf"{_HENCEFORTH} you (?:are|re) (?:operating |running |working |now )?in {_FREE_MODE}",
    rf"{_HENCEFORTH} you (?:act|answer|work|serve|speak|respond) (?:only )?(?:as|for) (?:the |my |an? )?\w{{1,24}}",
    rf"{_HENCEFORTH} you (?:only )?(?:obey|listen to|take orders from)",
    r"your (?:new|real|true|actual|only|sole) (?:instruction|task|goal|purpose|objective|role|mission)s?"
    r"(?: now)? (?:is|are)",
    r"you are (?:no longer an?|(?:no longer|not) (?:bound|restricted|limited|constrained) by)",
    r"(?:developers?|creators?|makers?) of your (?:model|system)",
)
_FORGED_MESSAGE = form(
    r"(?:^|[\s>\"'`(])(?:system|developer|admin)"
    r"(?: (?:prompt|message|override|instruction|note|update|notice))?"
    rf"\s?[\])>*]{{0,3}}\s?:\s{{0,3}}{_TO_MODEL}",
    rf"\[(?:system|admin|developer)(?: \w{{1,20}})?\]\s?:?\s{{0,3}}{_TO_MODEL}",
    rf"<(?P<tag>system|assistant|developer)>(?:\s{{0,3}}{_TO_MODEL}|[^<]{{1,1000}}</(?P=tag)>)",
    r"</?(?:system[-_](?:prompt|message|reminder|instruction|override)|developer[-_]message)s?>",
    rf"[\"']role[\"']\s?:\s?[\"'](?:system|developer)[\"'][^\n]{{0,40}}[\"']{_TO_MODEL}",
    r"\bsystem override\b",
    r"\b(?:rule|order|directive|instruction)s? from (?:the |your )?(?:system\b|developers?\b|owner)",
    r"^\s{0,3}#{1,6}\s?(?:system(?: (?:prompt|message|override))?|instructions?)\s?:",
    r"\b(?:new|updated|revised|hidden|secret) (?:system |developer |admin )?(?:instructions?|directives?)"
    r"(?: for you)?\s?:",
)
_TEMPLATE_TOKENS = form(
    r"<\|(?:im_start|im_end|im_sep|system|user|assistant|endoftext|begin_of_text|start_header_id"
    r"|end_header_id|eot_id|end|tool)\|>",
    r"\[/?inst\]|<</?sys>>|<(?:start|end)_of_turn>|^\s{0,3}###\s?(?:instruction|response):",
    r"^\s{0,3}human:[^\n]{1,500}\n\s{0,8}assistant:\s{0,3}(?:sure|of course|ok|understood|i will|yes)",
)
_TOOL_CALL = form(
    r"<(?:\w{1,16}:)?(?:tool_calls?|tool_use|function_calls?|invoke|tool_result|function_results)\b"
    r"[^>\n]{0,200}>",
    r"<function=\w|```tool_(?:code|call)",
    r"[\"'](?:tool_calls|function_call|tool_use)[\"']\s?:\s?[\[{]",
    r"[\"'](?:name|tool|function|action)[\"']\s?:\s?[\"'][\w.-]{1,64}[\"']\s?,\s?"
    r"[\"'](?:arguments|parameters|args|tool_input|action_input|input)[\"']\s?:\s?[{\"']",
    r"^\s{0,3}action:\s?[\w.-]{1,64}\s{0,3}\n\s{0,3}action input:",
)
_WHEN_READ = form(
    r"\b(?:when|whenever|if|once|after|as soon as|(?:every|each) time) you (?:read|recall|retrieve) this\s?[,:]"
)
_WHEN_SEEN = form(
    r"\b(?:when|whenever|if|once|after|as soon as|(?:every|each) time) you (?:see|receive|find|get) this\s?[,:]"
)
_RUNS_FOREIGN_CODE = form(
    r"\b(?:curl|wget|fetch|download)\b.{0,200}https?://|\|\s?(?:sudo )?(?:ba|z)?sh\b|\brm -[rf]|\beval\b"
)
_OWN_PROMPT = phrase(
    r"(?:reveal|print|show|output|repeat|display|tell me|leak|dump|expose|give me|recite|disclose|return)"
    r"(?: \w{1,20}){0,4} your(?: \w{1,20}){0,3} (?:prompt|instructions|rules|guidelines|keys?|credentials?"
    r"|secrets?|memories|configuration|passwords?|tokens?|(?:developer|system) message)",
    r"(?:tell|show|say|explain)(?: me| us)? what your (?:\w{1,12} ){0,2}(?:message|prompt|instructions|rules"
    r"|context) (?:says?|is|are"
    r"|contains?)",
    rf"(?:reveal|print|output|repeat|display|leak|recite|tell me){UP_TO_3_WORDS} system prompt"
    rf"{UP_TO_3_WORDS} (?:verbatim|word for word|to the user|in full|exactly)",
    r"repeat (?:the words|everything|the text|all text|all of the text) above",
    r"(?:reveal|print|show|output|repeat|tell me|list|write out)(?: \w{1,24}){0,6}"
    r" (?:instructions|prompt|rules) (?:that )?you (?:were|have been|got|received)",
    r"(?:send|give|e-?mail|forward|tell) (?:me|us)(?: \w{1,20}){0,3}"
    r" (?:keys?|passwords?|credentials?|secrets?)",
    r"what (?:are|were|is|was) your (?:initial |system |original )?(?:instructions|prompt|rules)",
)
_ADDRESSES_MODEL = phrase(
    rf"note to (?:the |all |any )?{_MODEL}",
    rf"(?:attention|hey|hello|dear|listen) (?:all )?{_MODEL}",
    rf"(?:any|every|all|the|if you are an?|as an?|when an?) (?:future )?{_MODEL}(?: \w{{1,12}})?"
    r" (?:reading|that reads|who reads|processing|seeing|recalling)",
    r"(?:if|since|because|as) you are an? (?:ai|llm|language model|assistant|agent|chatbot)",
    r"as an ai(?: \w{1,12}){0,2} you (?:must|should|will|are)",
    rf"{_MODEL}(?: \w{{1,12}})? (?:reading|that read|who read|processing|seeing) (?:this|these)",
    r"in (?:all|every|any) (?:future|subsequent|later) (?:session|conversation|response|answer|interaction"
    r"|reply|replie|chat)s?",
    r"you (?:must|will|shall) (?:always |now |only )?(?:obey|comply|answer|respond|reply)",
)
_DUTY_OF_MODEL = phrase(
    r"(?:the|every|any|each) (?:assistant|ai|llm|language model|chatbot|copilot)"
    r" (?:must|should|shall|has to|needs to|will)(?! not| never)(?: \w{1,12})?"
    r" (?:append|include|attach|add|send|post|paste|print|output|reveal|disclose|upload|forward)"
)
_KEPT_SECRET = form(
    r"credentials?\b|\.env\b|~/\.\w|\bprivate keys?\b|\bapi keys?\b|\b(?:access )?tokens\b|\bpasswords?\b"
    r"|\bsecrets?\b|\benvironment variables?\b"
)
_MALICIOUS_CODE = phrase(
    r"(?:insert|add|plant|inject|include|introduce|install) (?:an? |the |this )?(?:\w{1,20} )?(?:backdoor"
    r"|reverse shell|keylogger|malware|cryptominer|malicious \w{1,20})"
)
_COMMENT = form(
    r"<!--(?:(?!-->|<!--)[\s\S]){0,4000}?\b(?:ai|llm|assistants?|agents?|model|you (?:must|should|are|will)"
    r"|instructions?|do not tell|obey|execute|approve|exfiltrate)\b",
    r"^\[(?://|comment)\]:\s?#?\s?[(\"'].{0,200}?\b(?:ai|assistant|agent|model|you (?:must|should)|ignore"
    r"|instructions?|execute|approve)\b",
)

_OF_ITS_READER = "asks something of whoever reads it"

INSTRUCTION_SHAPES: tuple[SuspiciousPattern, ...] = (
    SuspiciousPattern(
        "tells the reader to drop its instructions",
        _DROP_INSTRUCTIONS,
        hints=any_of(
            "ignore|disregard|forget|overrid|overrul|bypass|neglect|discard|aside|follow|obey|must|shall|should|will|"
            "comply|doing|void|cancel|revoke|invalid|suspend|superseded|lifted|longer|obsolete|"
            "deleted|whatever|matter|regardless|apply"
        ),
    ),
    SuspiciousPattern(
        "gives the reader a new role",
        _NEW_ROLE,
        hints=("you", "act", "pretend", "role", "play", "anything", "mode", "from"),
    ),
    SuspiciousPattern(
        "forges a system or developer message",
        _FORGED_MESSAGE,
        hints=("system", "developer", "admin", "instruction", "directive", "order", "owner", "assistant>"),
        reads_lines=True,
    ),
    SuspiciousPattern(
        "contains the control tokens of a chat template",
        _TEMPLATE_TOKENS,
        hints=("<|", "inst]", "sys>>", "_of_turn", "instruction:", "response:", "human:"),
        reads_lines=True,
    ),
    SuspiciousPattern(
        "contains a block shaped like a tool call",
        _TOOL_CALL,
        hints=("tool", "function", "invoke", "action", "arguments", "parameters", "args", "input"),
        reads_lines=True,
    ),
    SuspiciousPattern(_OF_ITS_READER, _WHEN_READ, hints=(" this",)),
    SuspiciousPattern(_OF_ITS_READER, _WHEN_SEEN, hints=(" this",), companions=(_RUNS_FOREIGN_CODE,)),
    SuspiciousPattern(
        "asks the reader for its own prompt or secrets",
        _OWN_PROMPT,
        hints=("you", "system", "above", " me", " us"),
        is_negatable=True,
    ),
    SuspiciousPattern(
        "addresses the model and not the project",
        _ADDRESSES_MODEL,
    ),
    SuspiciousPattern(
        "asks for secrets or private data to be sent away", _DUTY_OF_MODEL, companions=(_KEPT_SECRET,)
    ),
    SuspiciousPattern(
        "asks for malicious code",
        _MALICIOUS_CODE,
        hints=("backdoor", "shell", "logger", "malware", "miner", "malicious"),
        is_negatable=True,
    ),
    SuspiciousPattern("hides an instruction in a comment", _COMMENT, hints=("<!--", "]:"), reads_lines=True),
)
