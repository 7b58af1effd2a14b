"""Patterns of text that vouches for itself, or asks that something be approved without a person."""

from typing import Final

from memory_layer.domain.safety.instruction_patterns import MEMORY, PERSON, UP_TO_3_WORDS
from memory_layer.domain.safety.suspicious_pattern import SuspiciousPattern, any_of, form, phrase

_MEMORIES = r"(?:memory|memories|notes?|entry|entries|records?|learnings?|insights?)"
_JUDGE = r"(?:mark|treat|consider|flag|regard|label|accept|rate|rank|report)"
_JUDGED_WELL = r"(?:approved|trusted|verified|authoritative|worked|helpful|canonical|ground truth|human)"

_VOUCHES = phrase(
    r"(?:mark|treat|consider|flag|regard|label|accept|store|save|rank|promote)"
    rf" (?:(?:the )?(?:contents? of )?this(?: {MEMORY})?|these|the above|the following){UP_TO_3_WORDS}"
    rf" (?:as|to|with|at|above){UP_TO_3_WORDS} (?:trusted|approved|verified|authoritative|pinned"
    r"|ground truth|canonical|highest|maximum|top priority|confidence)",
    r"(?:raise|increase|boost) (?:its|my) confidence",
    rf"(?:report|rate|vote|score)(?: on)? this {MEMORY} (?:as )?(?:worked|helpful|useful|a success)(?! around)",
    r"(?:always report|report) (?:this|it) (?:as )?(?:worked|helpful) (?:every time|each time|whenever|always)",
    r"report outcome worked (?:on|for) (?:this|it)",
    rf"this {MEMORY} (?:is|has been|was)(?: \w{{1,20}}){{0,2}} (?:trusted|authori[sz]ed|authoritative|vetted"
    r"|(?:approved|verified|signed off)(?! by (?:the )?(?:\w{1,20} )?(?:tests?|ci|code)| in| on| at))",
    rf"(?:consider|deem|mark|regard|label) this(?: {MEMORY})?(?: as)?"
    r" (?:trusted|verified|approved|authoritative)",
    rf"(?:question|doubt) this {MEMORY}",
    r"(?:do not|don t|never|no need to|skip|must not) (?:be )?"
    rf"(?:quarantin|review|question|verif|flag|doubt)\w* (?:this|the) {MEMORY}",
    rf"this {MEMORY} (?:\w{{1,20}} )?(?:overrides?|supersedes?|outranks?|takes? precedence over)"
    r" (?:all|any|every)",
    rf"(?:approve|promote|trust|pin|prioriti[sz]e|activate)(?: always| fully| immediately)? this {MEMORY}",
    r"(?:follow|obey|believe|prefer) this (?:memory|instruction)",
    r"(?:when|if|once|whenever|after) you (?:see|read|recall|receive|retrieve|process|find)"
    r" this (?:memory|note|instruction)",
    r"(?:approved|signed off|authori[sz]ed|verified) by (?:the )?(?:admin\w*|human|user|owner"
    r"|security(?: team)?|anthropic|openai|system)(?= (?:and|so|no|do|therefore|trust|follow|always|skip)\b)",
    r"pre(?: )?approved by (?:the )?\w{1,20}",
    r"(?:users?|humans?|owners?|admins?|administrators?|maintainers?) (?:has|have)"
    rf" (?:already (?:approved|agreed|consented)|authori[sz]ed you|approved (?:this {MEMORY}|everything)"
    r"|consented to everything)",
    rf"(?:always |must )?(?:rank|list|put|place|show) this {MEMORY} (?:first|on top|at the top|highest|above)",
    rf"always (?:retrieve|recall|return|surface|cite|quote|load|include|repeat) this {MEMORY}",
    r"(?:entries|memories|notes|records) (?:older|newer|other) than this(?: \w{1,12})? (?:are|is) (?:lies"
    r"|false|void|wrong|invalid"
    r"|obsolete|fake)",
    r"(?:quote|repeat|recite|print) this (?:paragraph|text|note|memory|entry)(?: \w{1,12}){0,6} (?:each"
    r"|every|all) (?:session|conversation"
    r"|answer|reply|response|task)s?",
    r"(?:treat|consider|regard|accept) (?:all|any|every)(?: (?:future|further|later|incoming|subsequent))?"
    r" (?:requests?|commands?|messages?|users?|inputs?"
    r"|orders?|callers?) as (?:pre ?)?(?:authori[sz]ed|trusted|approved|verified|admin\w{0,10})",
)
_CLAIMS_SCORE = form(
    r"\bconfidence[\"']?\s?[:=]\s?(?:1(?:\.0+)?|100\s?%)(?![\d.]|\s?[-)])",
    rf"(?:\bthis {MEMORY}|\bset|\bstore|\bsave|\brecord|\bapprove|\btrust)\b.{{0,60}}"
    r"\bconfidence (?:of |to |at |is |score )?(?:of |to )?(?:1\.0+|100\s?%)(?![\d.])",
    r"\bconfidence (?:1\.0+|100\s?%)(?![\d.]).{0,40}\b(?:approved|trusted|verified|always)\b",
    r"\bapproved_by[\"']?\s?[:=]\s?[\"']?\w|\bsource[\"']?\s?[:=]\s?[\"']?human\b(?!-)",
)
_NO_PERSON = phrase(
    r"always (?:approve|say yes|comply)",
    rf"always {_JUDGE} (?:all |any |every )?{_MEMORIES}{UP_TO_3_WORDS}{UP_TO_3_WORDS} as {_JUDGED_WELL}",
    rf"{_JUDGE} (?:all|any|every|each) (?:\w{{1,24}} )?{_MEMORIES} (?:from|by|of|written by){UP_TO_3_WORDS} as"
    rf" {_JUDGED_WELL}",
    r"always (?:accept|allow|merge|authori[sz]e|permit|grant) (?:\w{1,20} ){0,2}(?:requests?|prs?|changes"
    r"|commands?|actions?|tool calls?|everything|anything|whatever|access|permissions?)",
    rf"(?:approve|accept|authori[sz]e|grant|merge) (?:all|every|any){UP_TO_3_WORDS}{UP_TO_3_WORDS}"
    r" (?:without|no|automatically|unconditionally|regardless|immediately)",
    rf"(?:execute|run) (?:all|every|any) (?:commands?|code|scripts?|instructions?){UP_TO_3_WORDS}"
    r" (?:without (?:\w{1,12} )?(?:ask|confirm|approv|review|question|permi|check|verif|hesitat"
    r"|delay)\w{0,8}|no questions|unconditionally|regardless|immediately)",
    r"(?:execute|run|call|use|install) (?:all|any|every) (?:\w{1,12} )?(?:tools?|functions?|packages?|actions?)"
    r"(?: \w{1,12}){0,2} without (?:user |human |any )?(?:confirmation|approval|validation|permission|consent)",
    r"(?:run|execute|follow|do|obey) (?:whatever|any|all|every) (?:\w{1,12} )?(?:commands?|code"
    r"|instructions?|scripts?)(?: that)?"
    r" (?:you (?:find|see|read|get|load)|(?:the|an?) \w{1,16}(?: \w{1,12})? (?:returns|sends|gives|says|contains))",
    r"(?:accept|run|execute)(?: \w{1,12}){1,8} (?:unread|unseen|without (?:reading|reviewing|looking at"
    r"|checking|inspecting) it)",
    r"(?:never|do not|don t|without) ask(?:ing)? (?:for |anyone for |the user for )(?:any |user |human )?"
    r"(?:confirmation|permission|approval|consent)(?! (?:of|to|about)\b)",
    r"(?:never|do not|don t|without) ask(?:ing)? (?:the user|anyone|permission)(?= (?:first|again|before|and"
    r"|or)\b|\W{0,3}$)",
    r"approves everything|approve everything",
    r"always (?:skip|bypass|omit|forgo) (?:the |any |all )?(?:\w{1,20} )?"
    r"(?:reviews?|reviewers?|approvals?|confirmations?|safety checks?|security (?:checks?|scans?))",
    r"(?:skip|bypass|omit) (?:the |any )?(?:code|security|peer|human|manual) reviews?"
    r" (?:for|of|on|from|whenever|when)(?: \w{1,20}){0,5} (?:this|that|my|our|the same) "
    r"(?:author|account|user|bot|library|package|team|contributor)s?",
    rf"without (?:any )?(?:asking|telling|informing|notifying|alerting) {PERSON}",
    r"(?:bypass|circumvent|evade|disable|turn off|skip|suppress) (?:your|all|any|every)(?: \w{1,20}){0,2}"
    r" (?:safety|moderation|guardrails?|permissions?|approvals?|safeguards?|restrictions?"
    r"|security (?:checks?|scans?|controls?|reviews?|polic(?:y|ies)|filters?|measures?))",
    rf"(?:without|no)(?: any| all)? (?:restrictions|guardrails|limitations|filters){UP_TO_3_WORDS}"
    r" (?:you|respond|answer|assistant|ai)",
    r"(?:turn on|enable|set|activate|use|switch on) (?:auto ?approv\w{1,3}|dangerously skip permissions|yolo"
    r" mode|auto accept)"
    r"(?: (?:mode|for|in|of|on) (?:all|every|any|each)(?= |$))",
    r"never (?:pause|wait|stop|hold) for (?:any |a"
    r" |an |the )?(?:user |human )?"
    r"(?:confirmation|approval|permission|consent)(?= (?:before|from|and|or|when|even|by)\b|\W{0,3}$)",
    r"(?:assume|presume|imply) (?:consent|permission|approval) (?:for|to) (?:everything|anything|all|any|every)",
)

APPROVAL_SHAPES: Final[tuple[SuspiciousPattern, ...]] = (
    SuspiciousPattern(
        "vouches for itself",
        _VOUCHES,
        hints=any_of(
            "memor|note|entry|entries|consider|record|learning|insight|instruction|trusted|approved|"
            "verified|authori|pinned|ground|canonical|highest|maximum|priority|confidence|worked|"
            "helpful|useful|success|signed|agreed|consented|paragraph|this text"
        ),
    ),
    SuspiciousPattern(
        "claims a confidence or an approval that others grant",
        _CLAIMS_SCORE,
        hints=("confidence", "approved_by", "source"),
    ),
    SuspiciousPattern(
        "asks for approval without a person",
        _NO_PERSON,
        is_negatable=True,
    ),
)
