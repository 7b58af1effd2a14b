"""Patterns of text that dictates a model's answers: what it repeats, how it begins, as whom it speaks."""

from typing import Final

from memory_layer.domain.safety.suspicious_pattern import SuspiciousPattern, any_of, form, phrase

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
