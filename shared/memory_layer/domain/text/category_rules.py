"""Rules of wordings that indicate a category, a dimension or an intent: data for `classification`.

Each line is one wording, in lower case, as a regular expression of whole words. Rules are tried in order, so
specific ones (the word "workaround") come before broad ones (a sentence that begins with "Use").
"""

import re
from collections.abc import Mapping, Sequence

from memory_layer.domain.memory import Category
from memory_layer.domain.text.wording_patterns import CategoryRule, opening_words, words

LABELS: Mapping[str, Category] = {
    **dict.fromkeys(
        ("gotcha", "trap", "pitfall", "caveat", "warning", "caution", "beware", "careful"), "gotcha"
    ),
    **dict.fromkeys(("danger", "warnung", "achtung", "vorsicht", "gefahr"), "gotcha"),
    **dict.fromkeys(
        ("decision", "decided", "adr", "rationale", "conclusion", "conclusions", "resolved"), "decision"
    ),
    **dict.fromkeys(("beschluss", "entscheidung", "fazit"), "decision"),
    **dict.fromkeys(("troubleshooting", "fix", "root cause"), "troubleshooting"),
    **dict.fromkeys(("workaround", "hack"), "workaround"),
    **dict.fromkeys(("convention", "rule", "naming", "standard"), "convention"),
    **dict.fromkeys(("style", "coding style"), "coding_style"),
    **dict.fromkeys(("context", "status"), "context"),
    **dict.fromkeys(("todo", "to do", "fixme", "follow-up", "action item", "aufgabe"), "todo"),
    "command": "command",
    "preference": "preference",
    "tool preference": "tool_preference",
    "dependency": "dependency",
    "environment": "environment",
    "architecture": "architecture",
    "pattern": "pattern",
}
"""Categories by the labels that authors put before a text: `Gotcha: …`, `[decision] …`, `ADR-12: …`."""

_TOOLS = (
    "(?:git|gh|npm|npx|pnpm|yarn|make|docker|docker-compose|kubectl|helm|terraform|cdk|aws|sam|gcloud|az|pip|pipx"
    "|uv|poetry|python3?|pytest|ruff|mypy|cargo|go|gradle|mvn|sqlite3|psql|redis-cli|curl|ssh|systemctl|brew|apt"
    "|apt-get|node|deno|bun|just|tox|nox|mem)"
)
_ACTIONS = "(?:run|start|deploy|build|install|launch|execute|restart|lint|release|rebuild|reset|migrate)"
_WE = "(?:we|the team)(?:'ve| have| had)?"
_PART = "(?:services?|modules?|components?|layers?|gateways?|queues?|workers?|handlers?|lambdas?|backends?)"
_IMPERATIVE = r"(?:use|wrap|reuse|cache|batch|inject|prefer|return|store|pass|keep) [^.\n]{2,120}"
_WHY_WE = "why (?:did|do|have|are|were|had) (?:we|the team) (?:not )?(?:ever )?"
_THE = r"(?:the|this|that|our|each|every) (?:[\w.`-]+ ){0,3}"
_FAILURES = r"""
    errors?|exceptions?|tracebacks?|stack ?traces?|segfaults?|deadlocks?|timed out|time[sd]?[- ]?outs?
    \w{2,}(?:error|exception)
    e(?:connreset|connrefused|timedout|addrinuse|noent|acces|perm|mfile|pipe)
    fails? (?:with|to|when|if|because|on)
"""

CATEGORY_RULES: Sequence[CategoryRule] = (
    CategoryRule(
        "todo",
        (re.compile(r"\b(?:TODO|FIXME)\b|^\s*[-*] \[ \] ", re.MULTILINE),),
        is_cased=True,
        hints=("TODO", "FIXME", "[ ]"),
    ),
    CategoryRule("workaround", (words(r"""
        work-?arounds?|monkey-?patch(?:es|ed|ing)?|stop-?gaps?
        (?:as|is) a (?:temporary|short-term) (?:fix|hack|measure)
        until (?:the (?:bug|issue|fix)|upstream|it is fixed|that is fixed|\S+ (?:fixes|ships|lands))
    """),)),
    CategoryRule("decision", (words(rf"""
        {_WE} (?:\w+ly )?(?:decided|chose|opted|settled on|picked|agreed (?:to|on)|rejected|went with)
        (?:was|were|is) (?:chosen|picked|selected|rejected|preferred) (?:over|because|instead|in favou?r)
        (?:reason|rationale) (?:for|behind) (?:choosing|using|the (?:choice|decision))
        adr-?\d+
    """),)),
    CategoryRule("gotcha", (words(r"""
        gotchas?(?![,!.])|pitfalls?|caveats?|foot-?guns?|beware|counter-?intuitive(?:ly)?|non-?obvious(?:ly)?
        silently (?!in\b|for\b)\w+
        watch out for (?:the )?[\w-]*[._`(]\S*
        do(?:es)? not (?:actually|really) \w+
        unexpectedly|despite (?:its|the) (?:name|docs|documentation)
        required when (?:modifying|changing|touching|editing)
        (?:surprisingly|contrary to) .{0,80}\b(?:apis?|defaults?|configs?|query|index|tables?|tests?|builds?)
    """),)),
    CategoryRule("troubleshooting", (
        words(rf"""
            {_FAILURES}
            out of memory|oom(?:killed)?|crash(?:es|ed|ing)?|panics?|failing|failed (?:with|to)|hangs?|throws?
            refused|corrupt(?:ed|ion)?|[45]\d\d (?:errors?|responses?|status)|status(?: code)? [45]\d\d
        """),
        words(r"""
            fix(?:es|ed)?|solv(?:e|es|ed|ing)|solution|resolv(?:e|es|ed|ing)|caused by|root cause|cause:
            restart(?:ing|ed)?|retry(?:ing)?|(?:up|down)grad(?:e|ing)|reinstall(?:ing)?|rebuild(?:ing)?
            (?:rais|increas)(?:e|ing) the|lower(?:ing)? the|clear(?:ing)? the|delet(?:e|ing) the
            go(?:es)? away|went away|means? (?:that )?(?:the|another|you|your)|is usually
            check (?:the|that|whether|for)
        """),
    )),
    CategoryRule("tool_preference", (
        words(r"prefers?|preferred|favou?rs?|likes? (?:to use|using)|rather use"),
        words(rf"""
            {_TOOLS}|vim|neovim|emacs|vs ?code|pycharm|intellij|editors?|ide|zsh|bash|fish|tmux|shell|terminal
            linters?|formatters?|debuggers?|ripgrep|rg|fzf|package managers?
        """),
    )),
    CategoryRule("tool_preference", (words(rf"use {_TOOLS}[,;]? (?:and )?(?:never|not|instead of|rather than)"),)),
    CategoryRule("coding_style", (
        words(r"""
            indent(?:s|ed|ation)?|line[- ](?:length|width)|trailing (?:commas?|whitespace)
            (?:single|double) quotes|tabs? (?:over|instead of|not) spaces|spaces (?:over|instead of|not) tabs
            semicolons|early returns?
            docstrings?|type hints|import order|sorted imports|cod(?:e|ing) style
        """),
        words(r"""
            use[ds]?|using|we|always|never|prefer(?:s|red)?|must|should|no|keep|write|every|all|avoid|limit(?:ed)?
            is|are
        """),
    )),
    CategoryRule("preference", (words(r"""
        [a-z]+ (?:strongly |really |always )?prefer(?:s|red)?
        preferences? .{0,40}\b(?:is|are)
        would rather
    """),)),
    CategoryRule("convention", (opening_words(r"""
        (?:always|never) (?:use|add|put|write|name|commit|import|run|call|return|include|prefix|keep|log|pass)
        (?:always|never) (?:create|push|merge|test|store|validate)
    """),)),
    CategoryRule("convention", (words(r"""
        (?:snake|camel|pascal|kebab)[-_ ]?case|by convention|the convention is|style guide
        (?:naming|commit|branch|code|coding|project) (?:conventions?|standards?|guidelines?)
        (?:all|every|each|new) (?:\w+ ){0,3}(?:must|should|has to|have to|needs? to)
        (?:all|every|each|new) (?:\w+ ){0,3}(?:goes? in|go(?:es)? under|lives? in|starts? with|ends? with)
        (?:files?|tests?|modules?|functions?|classes|branches|commits?|migrations?) (?:must|live in|go in)
        (?:variables?|endpoints?|tables?|columns?) (?:must|start with|end with)
        \w+s (?:are (?:named|prefixed|co-located)|should (?:be named|start|end|live|go))
    """),)),
    CategoryRule("command", (opening_words(rf"""
        \$ \S+|(?:run|execute) `?(?:\./|{_TOOLS} )\S+
        {_TOOLS} [a-z-]+(?: [^\s.]+){{0,12}} (?:runs|starts|builds|shows|lists|prints|deploys|installs)
        {_TOOLS} [a-z-]+(?: [^\s.]+){{0,12}} (?:creates|removes|resets|checks|formats|rebuilds|applies)
    """),)),
    CategoryRule("command", (words(rf"""
        (?:run|execute|invoke|type|use) `{_TOOLS} [^`\n]{{1,300}}`
        (?:run|execute|invoke) `[^`\n]{{1,300}}`
        the command (?:to|for|is)
        to {_ACTIONS}[^.\n`]{{0,60}}[:,] ?`[^`\n]{{1,300}}`
    """),)),
    CategoryRule("dependency", (words(r"""
        dependenc(?:y|ies)|depends on (?:version|the (?:library|package))|lock ?files?|package manager
        (?:requires?|needs|pinned (?:to|at)|pins?|locked (?:to|at)) (?:[\w.@/-]+ )?[<>=~^! v]{0,4}\d+\.\d\S*
        (?:depends on|upgraded? to) [\w.@/-]+ [<>=~^! v]{0,4}\d+\.\d[\w.]*
        (?:requires?|needs) (?:python|node|java|go|rust|ruby|gcc|glibc)
        (?:uses?|managed (?:by|with)) (?:pnpm|npm|yarn|poetry|uv|pip-tools|cargo|bundler|turborepo)
    """),)),
    CategoryRule("environment", (words(r"""
        environment variables?|env(?:ironment)? vars?|(?:localhost|127\.0\.0\.1):\d+
        (?:listens|runs) on port \d+
        (?:staging|production|prod|dev|ci|local|test(?:ing)?) (?:environments?|clusters?|database|db|servers?)
        (?:staging|production|prod|dev) (?:account|bucket|region)
        (?:runs|running|hosted|deployed) (?:on|in) (?:ubuntu|debian|alpine|amazon linux|windows|macos)
        (?:runs|running|hosted|deployed) in (?:eu|us|ap)-[\w-]+
    """),)),
    CategoryRule(
        "environment",
        (re.compile(r"\b[A-Z][A-Z0-9]*_[A-Z0-9_]+ (?:is|must be|has to be|should be|defaults to|=) "),),
        is_cased=True,
        hints=("_",),
    ),
    CategoryRule("context", (words(r"""
        (?:during|until|while) (?:the |our |a )?(?:\S+ ){0,2}(?:migration|roll-?out|cut-?over|rewrite|freeze)
        we(?:'re| are) (?:currently |in the middle of |now )?(?:migrating|rewriting|deprecating|phasing out)
        (?:is|are) (?:currently )?being (?:migrated|rewritten|phased out|sunset|decommissioned)
        (?:this|current|next) (?:sprint|quarter|milestone)|code freeze
    """),)),
    CategoryRule("architecture", (words(rf"""
        (?:system|software|service|cloud|application|overall|layered|hexagonal|our) architecture
        architecture (?:is|uses|has|consists|follows)
        micro-?services?|monorepos?|event-driven|data flows?|system design
        {_PART} (?:talks?|calls?|sends?|publish(?:es)?|owns?|feeds?|sits?|delegates?|subscribes?|consumes?)
        {_PART} (?:reads? from|writes? to|depends? on|(?:is|are) responsible for|communicates?)
        (?:is|are) (?:split|divided|organi[sz]ed) into .{{0,80}}\b(?:services|modules|layers|packages|stacks)
    """),)),
    CategoryRule("pattern", (words(r"""
        (?:design|repository|factory|adapter|retry|outbox|saga|singleton|builder|observer|strategy) patterns?
        (?:decorator|circuit breaker|reusable|common|standard) patterns?
        patterns? (?:for|to) \w+ing|use the \w+ pattern|best practices?|idempoten(?:t|cy|tly)
    """),)),
    CategoryRule("pattern", (opening_words(rf"""
        {_IMPERATIVE} (?:for|to|when|with|instead of|rather than|so that|behind|inside) \w+
    """),)),
)  # fmt: skip

INTENT_RULES: Sequence[CategoryRule] = (
    CategoryRule("workaround", (words(r"work-?arounds?|way around|temporary fix|(?:get|work) around the"),)),
    CategoryRule("gotcha", (words(r"""
        gotchas?|pitfalls?|caveats?|traps?|beware|foot-?guns?|watch(?:ing)? out for
        (?:be|being) careful (?:with|about|when|of)
        what (?:can|could|might|may) go wrong
        (?:what|anything) (?:should|must|do) (?:i|we) (?:avoid|watch|look out|be aware|beware)
    """),)),
    CategoryRule("decision", (words(rf"""
        {_WHY_WE}(?:choos|chose|pick|us|decid|switch|mov|migrat|prefer|drop|reject|adopt|select|settl)\w*
        {_WHY_WE}go(?:ing)? with
        why (?:was|were|is) (?:\S+ ){{1,4}}(?:chosen|picked|selected|rejected|adopted) (?:over|instead|for)
        (?:reason(?:s|ing)?|rationale) (?:for|behind) (?:our|choosing|using|the (?:choice|decision|design))
        rationale|adr|what did (?:we|the team) (?:decide|choose|agree|pick)
        why \S+ (?:over|instead of|rather than|and not) \S+\?
    """),)),
    CategoryRule("troubleshooting", (words(rf"""
        {_FAILURES}
        troubleshoot(?:ing)?|debug(?:ging)?|crash(?:es|ing)|(?:is|are|keeps?|build|tests?|deploy\w*) failing
        why (?:does|do|is|are) (?:\S+ ){{1,6}}(?:fail|hang|crash|break|broken|slow)
        (?:doesn'?t|does not|isn'?t|not|won'?t) (?:work(?:ing)?|start(?:ing)?|compil(?:e|ing)|connect(?:ing)?)
        returns? (?:an? )?[45]\d\d|(?:http|status|code|getting|an?) [45]\d\d
    """),)),
    CategoryRule("convention", (words(r"""
        how (?:do|should|must) (?:we|i|you) (?:name|style|format|structure|organi[sz]e|write|document|lay out)
        how (?:do|should|must) (?:we|i|you) (?:version|prefix|indent|test)
        (?:naming|coding|commit|code|project|branch|team) (?:conventions?|standards?|guidelines?|rules?|style)
        (?:our|the|what|which|any) conventions?(?! (?:did|do|does|was|is he|is she))
        conventions? for|style guide
        (?:snake|camel|kebab|pascal)[-_ ]?case
    """),)),
    CategoryRule("architecture", (words(r"""
        architectur(?:e|al)|system design|data flows?
        how (?:is|are) (?:\S+ ){1,5}(?:structured|architected|organi[sz]ed|wired|layered)
        (?:which|what) (?:services?|components?|modules?|layers?) (?:\w+ ){0,2}(?:owns?|handles?|calls?)
        (?:which|what) (?:services?|components?|modules?|layers?) (?:\w+ ){0,2}(?:writes?|reads?|talks?)
        how (?:do|does) (?:\S+ ){1,5}(?:talk|communicate|connect) (?:to|with)
    """),)),
    CategoryRule("command", (words(rf"""
        (?:which|what)(?:'s| is| are)? (?:the |a )?(?:shell |cli |git |make )?commands?
        commands? (?:to|for|line)
        how (?:do|can|should) (?:i|we|you) {_ACTIONS}|how to {_ACTIONS}
    """),)),
    CategoryRule("pattern", (words(r"""
        design patterns?|patterns? (?:for|to|do we|should)|best practices?
        (?:recommended|idiomatic|usual|standard) (?:way|approach|pattern)
        how (?:do|should) (?:we|i|you) (?:implement|handle|model|design|wrap|cache|paginate|retry|validate)
    """),)),
)  # fmt: skip

_MONTH = (
    "(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?"
    r"|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)\.?"
)
EVENT = words(rf"""
    (?:on|last|this|since) (?:mon|tues|wednes|thurs|fri|satur|sun)day|yesterday
    last (?:night|week|month|year|weekend)|this (?:morning|afternoon|evening)
    {_MONTH} \d{{1,2}}(?:st|nd|rd|th)?|\d{{1,2}}(?:st|nd|rd|th)? (?:of )?{_MONTH}|(?:on|at) \d{{4}}-\d\d-\d\d
    (?:an?|one|two|three|few|\d+|several) (?:minutes?|hours?|days?|weeks?|months?|years?) ago
""")
RELATIONSHIP = words(r"""
    in favou?r of|derives? from|depends? on|belongs? to|reports? to|(?:up|down)stream (?:of|from)
    (?:is|are|was|were|been) (?:replaced|superseded|owned|managed|maintained|produced|consumed|called|fed) by
    (?:is|are|was|were|been) (?:derived|fed|copied|generated) from
    (?:parent|child|sibling|alias|copy|successor|fork) of|joins? (?:with|to|on)|references? the
    (?:reads|writes|publishes|subscribes) (?:from|to)
    (?:sister|brother|mother|father|wife|husband|son|daughter|manager|colleague|friend) of
    (?:is|are) married to
""")
ENTITY = words(rf"""
    {_THE}(?:tables?|columns?|fields?|endpoints?|services?|buckets?|topics?|queues?|index|datasets?) \w+
    {_THE}(?:views?|schemas?|clusters?|databases?|jobs?|pipelines?|dashboards?|apis?|repository|repo) \w+
""")
