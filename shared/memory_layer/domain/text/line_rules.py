"""Wordings of lines that no heading says the kind of: data for `line_category`, in lower case, English and German."""

import re
from collections.abc import Sequence
from typing import Final

from memory_layer.domain.memory import Category
from memory_layer.domain.text.wording_patterns import words

_TOOL: Final = (
    r"(?:n?pm|pnpm|npx|yarn|bun|deno|node|nvm|pip|pipx|pipenv|poetry|uv|uvx|conda|hatch|pdm|tox|nox|black|ruff"
    r"|flake8|pylint"
    r"|isort|mypy|pyright|eslint|prettier|biome|tslint|oxlint|vitest|jest|mocha|jasmine|pytest|unittest|nose|rspec"
    r"|minitest|junit"
    r"|playwright|cypress|selenium|puppeteer|webpack|vite|rollup|esbuild|parcel|turbo|turborepo|nx|lerna|docker"
    r"|podman|make|just"
    r"|cmake|bazel|gradle|maven|ant|git|gh|svn|hg|vim|neovim|emacs|vs ?code|pycharm|intellij|zsh|bash|fish"
    r"|powershell|tmux"
    r"|ripgrep|rg|grep|ag|fd|find|sed|awk|jq|curl|wget|httpx|requests|aiohttp|axios|fetch|got|lodash|underscore"
    r"|ramda|moment"
    r"|dayjs|date-fns|luxon|react|vue|svelte|angular|jquery|tailwind|bootstrap|sass|redux|zustand|mobx|jotai|zod"
    r"|yup|joi"
    r"|express|fastify|koa|hono|django|flask|fastapi|starlette|rails|sinatra|spring|prisma|drizzle|knex|typeorm"
    r"|sequelize"
    r"|sqlalchemy|alembic|pandas|polars|pydantic|attrs|loguru|structlog|winston|pino|log4j|logback|slf4j|terraform"
    r"|pulumi|cdk"
    r"|cloudformation|ansible|chef|puppet|helm|kubectl|kustomize|jenkins|circleci|github actions|gitlab ci|travis"
    r"|cargo|clippy"
    r"|rustfmt|gofmt|goimports|golangci-lint|rubocop|phpstan|composer|psalm|ktlint|detekt|swiftlint|postgres|mysql"
    r"|sqlite|mongodb"
    r"|redis|memcached|kafka|rabbitmq|sqs|nats|argparse|click|typer|optparse|os\.path|pathlib|datetime|pendulum"
    r"|arrow|faker"
    r"|factory_boy|rich|print|console\.log|slack|teams|jira|linear|notion|confluence|figma)"
)
"""Tools and libraries that one is taken for another of."""

_INSTEAD: Final = (
    r"(?:instead of|rather than|in favou?r of|never|not|no|nicht|statt|anstelle von|anstatt|nie)"
)

_STYLE: Final = words(r"""
    indent\w*|(?:two|four|2|4|8|hard|soft)[ -]spaces?|tabs? (?:for|to|over|instead|not|and)|(?:never|no|not
    use) tabs|whitespace
    (?:single|double|straight) quot\w+|semicolons?|trailing commas?|line[- ](?:length|width)|blank lines?
    line breaks?
    (?:characters|chars|columns|zeichen) (?:per|a|each|pro|max|wide)|(?:\d+|twenty|thirty|fifty|hundred) (?:lines?
    zeilen)
    early returns?|guard clauses?|nested (?:ifs?|conditionals?|ternar\w+|callbacks)|else after|one[- ]liners?
    ternar\w+
    (?:snake|camel|pascal|kebab|upper|lower|screaming|title)[-_ ]?case|lowercase|uppercase|camelcase|(?:lower
    upper) camel
    type[- ](?:hints?|annotations?|casts?|assertions?|aliases)|typehints?|typed|return types?|`?any`? (?:in|type|as)
    `any`|`unknown`
    docstrings?|doc comments?|jsdoc|javadoc|comments?|kommentare?|code ?style|code-?stil|readab\w+|lesbar\w*
    (?:default|named|wildcard|relative|absolute|star|unused|barrel) (?:exports?|imports?)|import (?:order|sorting
    statements?)
    (?:sort|group|order) (?:the )?imports?|arrow functions?|`?(?:const|let|var)`? (?:over|instead|by|for|not
    keyword)
    f-strings?|template (?:literals?|strings?)|string (?:formatting|interpolation|concatenation)
    list comprehensions?
    (?:magic|hard-?coded) (?:numbers?|strings?|values?)|abbreviat\w+|single[- ]letter|one[- ]letter|naming
    identifiers?|variable names?
    (?:descriptive|meaningful|explicit|speaking) (?:variable |function )?names?|prefix(?:ed)? (?:with|by)|hungarian
    (?:small|short|long|large|pure) (?:functions?|methods?|classes|files?|components?)|functions? (?:under|below
    short|small|at most)
    braces|brackets|async/await|promises|callbacks|enums?|interfaces? (?:over|for|instead)|types? over
    `?interface`? (?:over|for)
    functional components?|class components?|hooks? (?:over|begin|start)|mutat\w+|immutab\w+|globals?
    global (?:variables?|state)|inheritance
    einr\u00fcckung\w*|leerzeichen|anf\u00fchrungszeichen|bezeichner|variablennamen|gro\u00dfschreib\w*
    kleinschreib\w*
    duplicat\w+ code|dead code|commented[- ]out
""")

_STYLE_ALONE: Final = words(r"""
    (?:snake|camel|pascal|kebab|screaming)[-_ ]?case|commented[- ]out code|trailing commas?|(?:single|double) quotes
    docstrings? (?:are|follow|use)
    indented (?:by|with)|no semicolons
""")

_TOOL_CHOICE: Final = re.compile(
    rf"\b{_TOOL}\b[`\w ]{{0,24}}?[,;:]? *(?:and |but |use )?{_INSTEAD}\b"
    rf"|\b{_INSTEAD} (?:the |plain |raw |using |use )?`?{_TOOL}\b"
    rf"|\bprefer\w* [^.,;\n]{{1,40}} over (?:the |plain |raw )?`?{_TOOL}\b"
    rf"|\bprefer\w* `?{_TOOL}`? [^.,;\n]{{0,20}}?over\b"
    rf"|\b(?:do not|don't|never|not|avoid|stop|prefer|nutze|verwende) (?:use |using |run |add |install "
    rf"|call )?`?{_TOOL}\b"
    rf"|\b{_TOOL}`? (?:is|as) (?:the |our )(?:only |preferred |default )?(?:package manager|formatter|linter"
    rf"|test runner|editor|bundler)"
)

_DESIGN: Final = words(r"""
    patterns?|circuit breakers?|builders?|factor(?:y|ies)|adapters?|repositor(?:y|ies) (?:for|to|pattern|layer)
    decorators?|observers?
    dependency injection|inject\w*|mediator|facades?|strateg(?:y|ies) (?:for|pattern)|singletons?|middlewares?
    idempoten\w+
    exponential backoff|backoff|retr(?:y|ies) with|outbox|saga|batch(?:es|ing)?|debounce|throttle|memoi[sz]\w*
    cach(?:e|ing)
    wrap\w*|context managers?|value objects?|result (?:type|object)s?|composition|polymorphism|dto|event sourcing
    cqrs
    entwurfsmuster|kapsel\w*
""")

_VARIABLE: Final = re.compile(r"(?<![\w.])\$?[A-Z][A-Z0-9]*_[A-Z0-9_]+\b|\.env\b")
_SETUP: Final = words(r"""
    environment variables?|env vars?|localhost|ports? \d+|\.env|docker desktop|docker compose|runners?|staging
    credentials?
    (?:local|dev|development|production|test|ci|build) (?:development|environments?|setup|servers?|database)
    (?:node|python|java|go|ruby|php|rust|docker|postgres\w*|redis|jdk|xcode)(?:\.js)? (?:>=? ?)?v?\d+(?:\.\d+)*\+?
    (?:cores?|gb|mb) of (?:memory|ram|disk)|(?:us|eu|ap|sa|ca|me|af)-[a-z]+-\d|(?:production|staging) (?:runs?
    lives?|is|uses) (?:on|in|at|hosted)
    umgebungsvariablen?|entwicklungsumgebung
""")
_PINNED: Final = re.compile(
    r"\b(?:bump|upgrade|downgrade|pin|lock|update|install|add)\b [^.\n]{0,50}\b(?:to|at|below|above|>=?|<=?|==|\^"
    r"|~)? ?v?\d+(?:\.\d+)*\b"
    r"|\b(?:pinned|locked|capped|held) (?:to|at|below|under|back)\b|\b(?:peer|dev|direct|transitive|new"
    r"|third[- ]party) dependenc"
    r"|\bdepends? on \S+|\b(?:must|should|stays?|keeps?|kept|remains?) (?:\w+ ){0,2}?(?:below|under|above|at"
    r"|on) v?\d+\.\d+"
    r"|\b(?:supports?|requires?|needs?|works? with) \S+ (?:>=? ?)?v?\d+(?:\.\d+)*(?:\+| (?:or|and) (?:later|newer"
    r"|above|higher))"
    r"|\bwe use [\w.-]+ v?\d+(?:\.\d+)*\b|\block ?files?\b"
)

_TALK: Final[Sequence[tuple[Category, re.Pattern[str]]]] = (
    (
        "todo",
        words(r"""
        (?:we )?(?:still|yet) (?:need|needs|have|has|to) (?:to )?\w+|still (?:missing|open|pending|outstanding|to do
        todo)|follow[- ]up:?
        next(?: steps?|:)|remember to|don't forget to|to be (?:done|decided|written|migrated)|not (?:yet )?(?:done
        finished|migrated)|remains to|remaining work|open point
        nicht vergessen|noch (?:offen|zu \w+|nicht (?:fertig|umgesetzt))|n\u00e4chste schritte?|to-?dos?:?|fixme
    """),
    ),
    (
        "workaround",
        words(r"""
        (?:to )?(?:get|gets|got|getting|work|works|working) (?:a)?round|work-?arounds?|temporary (?:fix|solution
        measure)|temporarily|stop-?gap
        until (?:the |it |that |they )?[\w -]{1,40} (?:supports?|is|are|fix(?:es|ed)?|lands?|ships?|release[sd]?
        upgrade[sd]?|merge[sd]?),?
        for now|in the meantime|(?:to )?(?:dodge|sidestep)\w*|as a hack|bypass(?:es|ing)?|vorerst|vor\u00fcbergehend
        notl\u00f6sung|\u00fcbergangsweise|umgeh(?:en|t|ung)
    """),
    ),
    (
        "decision",
        words(r"""
        (?:it|this) was (?:decided|agreed|chosen)|we (?:have )?(?:decided|chose|agreed|opted|settled|picked|rejected
        dropped|went with)
        we (?:will|would) (?:not|no longer) (?:support|use|build|offer|ship|add|maintain)|we (?:do not|don't
        no longer) support
        (?:chosen|selected|picked|rejected|preferred) (?:over|because|instead|since|for its)|the reason (?:we|for
        why)|trade-?off:|deciding factor|why \S+:
        wir haben (?:uns )?(?:\w+ )?(?:entschieden|beschlossen|gew\u00e4hlt)|(?:wurde|ist) (?:entschieden
        beschlossen)
    """),
    ),
    (
        "troubleshooting",
        re.compile(
            r"\bsymptoms?:|\b(?:root )?cause:|\bfix(?: for [^:\n]{2,40})?:|\b(?:was|were|is|are) (?:usually "
            r"|often |mostly )?(?:caused by|due to)\b"
            r"|^\W{0,4}(?:when|if|wenn|falls) [^,\n]{3,80}\b(?:hangs?|loops?|fails?|crash\w*|stops?|breaks?|slow"
            r"|stuck|missing|times? out"
            r"|refus\w+|exits?|leaks?|blank|out of memory|disappears?|flaky|you (?:get|see)|not (?:start|work"
            r"|found|respond\w*|connect)\w*|errors?|complains?|throws?|(?:4|5)\d\d|h\u00e4ngt|abst\u00fcrzt"
            r"|fehlschl\u00e4gt|scheitert)\b[^,\n]{0,80},"
            r"|\bwe (?:fixed|solved|resolved)\b|\bhelps? (?:against|when)\b|\b(?:behoben|gel\u00f6st) (?:durch"
            r"|indem)\b"
        ),
    ),
    (
        "gotcha",
        re.compile(
            r"\bwatch out\b|^\W{0,4}note(?: that)?\b|\bdead-?locks?\b|\b(?:which|that|it"
            r"|this) (?:silently )?breaks\b|\b(?:fails?|breaks?) (?:without|outside"
            r"|silently|if|unless)\b|\blazily\b|\bsurpris\w+|\b(?:deletes|drops|loses|wipes|overwrites|swallows"
            r"|truncates) (?:the|all|every|its|your)\b"
            r"|\bdo(?:es)? not (?:contain|include|cover|reset|propagate|clear|survive|respect|honou?r)\b"
            r"|\beven though\b|\b(?:only|just) once\b|\bunlike\b"
            r"|\b(?:achtung|aufpassen|vorsicht)\b|\bl\u00f6scht (?:die|das|alle)\b"
        ),
    ),
    (
        "preference",
        words(r"""
        (?:i|we|he|she|they|\w+) (?:likes?|prefers?|enjoys?|hates?|dislikes?) (?!to\b)(?:\w+ )+(?:better than|over
        to|than|in|as|short|small)
        (?:i|we|he|she) (?:likes?|hates?|dislikes?)|\w+ (?:likes|dislikes|hates)
        (?:answers?|replies|responses?|explanations?|messages?) (?:\w+ )?(?:short|brief|concise|terse|kurz)
        (?:please )?(?:answer|reply|respond|write|speak|talk) (?:to me )?(?:in|briefly|shortly|with)
        bitte (?:antworte|schreib|sprich)\w*|ich (?:mag|bevorzuge|m\u00f6chte|arbeite)|lieber
    """),
    ),
    (
        "context",
        re.compile(
            r"^\W{0,4}(?:this|the|our|dieses?|das|unser) (?:project|product|repo(?:sitory)?|app(?:lication)?|team"
            r"|company|goal|system|tool|library|website"
            r"|service|projekt|produkt|firma|ziel|anwendung)\b[^.\n]{0,60}?\b(?:is|was|are|has|helps|serves|holds"
            r"|contains|provides|ist|war|hat|hilft)\b(?! (?:named|built|deployed"
            r"|written|split|tested|formatted|called|run|always|never|not)\b)"
            r"|\b(?:currently|right now) (?:being |under |in )|\b(?:under|in) (?:way|progress)\b"
            r"|\bwe are (?:a|an|the|\d+|two|three|four|five|six|seven|eight|ten)\b|\bwir sind (?:ein|\d+|zu)\b"
            r"|\b(?:customers?|clients?|users|clinics|companies|shops|hotels|kunden) (?:in|use|are|nutzen)\b"
        ),
    ),
)
"""What is said of work in passing, whatever the line asks for."""

_ORDERED: Final[Sequence[tuple[Category, re.Pattern[str]]]] = (
    ("tool_preference", _TOOL_CHOICE),
    ("coding_style", _STYLE),
    ("pattern", _DESIGN),
    ("dependency", _PINNED),
)

_POLICY: Final = re.compile(
    r"^\W{0,4}(?:every|all|each|any|no|jede[rs]?|alle|keine?) (?:\S+ ){1,6}?(?:is|are|has|have|gets?|begins?"
    r"|starts?|ends?|goes?|go|lives?|needs?|carr(?:y|ies)|exposes?|exports?|declares?|registers?"
    r"|follows?|uses?|belongs?|comes?|passes|ist|sind|hat|haben|bekommt|beginnt|endet|liegt|braucht)\b"
    r"|\b(?:lives?|goes?|go|belongs?|sits?) (?:in|under|beside|next to|below|into|at|with) |\b(?:begins?|starts?"
    r"|ends?) with\b"
    r"|\b(?:has|have|takes?|is|are|contains?) (?:at most|at least|no more than|exactly|up to|limited to)\b"
    r"|\b(?:is|are) (?:named|prefixed|suffixed|versioned|reviewed|squashed|merged|tagged|signed|mandatory|required"
    r"|forbidden|banned|co-?located)\b"
    r"|\b(?:liegen|geh\u00f6rt|geh\u00f6ren|hei\u00dfen) (?:in|unter|neben|zu)\b"
)
_STRUCTURE: Final = words(r"""
    (?:talks?|speaks?|connects?|calls?|flows?|passes|go|goes) (?:to|from|through|over|via|only)|behind (?:a|an|the)
    layer(?:s|ed)?|relay|broker
    (?:separate|own|single|shared|dedicated|stateless|central) (?:service|process|module|database|schema|queue
    package|crate|table|deployment)s?
    (?:database|schema|table|queue|bucket|process) of its own|modul(?:es?|ar|iths?)|monolith\w*|micro-?services?
    replicas?|gateways?|plugin hosts?
    (?:read|write) models?|event[- ](?:driven|bus|loop)|(?:publish(?:es)?|subscrib\w+|stream\w*) (?:to|from|into)
    (?:tiers?|layers?|binaries)
    shares? (?:one|a) \w+|(?:is|are|gets?) rendered by|pool of workers|(?:hands?|passes|forwards|routes
    dispatches) (?:each|every|all|the) \w+
    (?:is|are) (?:split|divided|organi[sz]ed|layered|sharded|replicated)|(?:front|back)end|schicht(?:en)?|dienste?n?
    komponenten?
""")


def talked_category(line: str) -> Category | None:
    """Category of what is said in passing: an open end, a stopgap, a decision, a symptom, a trap, a liking.

    Args:
        line: in lower case.
    """
    return next((category for category, pattern in _TALK if pattern.search(line)), None)


def ordered_category(line: str, lowered: str) -> Category:
    """Category of an order by what it is about; `convention` where that is nothing of its own."""
    if _VARIABLE.search(line):
        return "environment"
    return next((category for category, pattern in _ORDERED if pattern.search(lowered)), "convention")


def declared_category(line: str, lowered: str) -> Category | None:
    """Category of a declaration: a policy, a choice of tools, a style, the setup, how parts hang together."""
    if _VARIABLE.search(line):
        return "environment"
    if _TOOL_CHOICE.search(lowered):
        return "tool_preference"
    if _PINNED.search(lowered):
        return "dependency"
    if _STYLE_ALONE.search(lowered):
        return "coding_style"
    if _POLICY.search(lowered):
        return "convention"
    if _SETUP.search(lowered):
        return "environment"
    return "architecture" if _STRUCTURE.search(lowered) else None
