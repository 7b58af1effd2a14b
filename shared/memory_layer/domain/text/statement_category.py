"""Category of a statement in a file, by what it tells of a thing: a limit, an error, a setting, an option, a use.

Looser than the rules of any text: what a file says stands until the file drops it, so no category lets it expire.
"""

import re
from collections.abc import Sequence
from typing import Final

from memory_layer.domain.memory import Category
from memory_layer.domain.text.wording_patterns import words

_HELD_BACK: Final = (
    "(?:support(?:s|ed)?|available|allowed|possible|compatible|guaranteed|safe|implemented|persisted)"
)
_RAISED: Final = r"(?:errors?|exceptions?|warnings?|`?\w+(?:error|exception)`?)"

_LIMITS: Final = words(rf"""
    (?:does|do|is|are|was|will|would|can|could|has|have) ?n[o']t (?:\w+ ){{0,2}}{_HELD_BACK}
    (?:not|un)[ -]?{_HELD_BACK}|(?:isn|aren|doesn|don|won|can|couldn)['\u2019]t (?:\w+ ){{0,2}}(?:support|work|be|have
    use)\w*
    (?:does|do) not (?!need|require|have to|use|want|mean|know|worry|appear|include)\w+
    (?:doesn|don)['\u2019]t (?!need|require|have to|use|want|mean|know|worry)\w+
    cannot|can not be|will not (?:be|have|work|take|affect|apply)|(?:does|do) not (?:work|apply|affect|include
    prevent)
    (?:yet|currently|at present|at this time|at the moment|for now),? (?:only|not?|unsupported|limited)
    (?:is|are) (?:currently )?only (?:available|supported|possible|valid|effective)
    works? only|only works?|only (?:supports?|takes effect|available|possible)
    has no effect|have no effect|(?:is|are|will be) (?:silently )?(?:ignored|lost|discarded|overwritten|truncated)
    (?:may|might|can|could) (?:lead to|result in|cause|break|fail|slow|leak|block|prevent|degrade|corrupt)
    be (?:careful|aware|cautious)|keep in mind|bear in mind|take care|at your own risk|danger\w*
    insecure|unsafe|vulnerab\w+|race conditions?|data loss|(?:security|performance) (?:implications?|penalty|impact
    risks?)
    breaking changes?|deprecated|discouraged|no longer (?:\w+ )?(?:supported|available|needed|works?|relevant|used)
    limitations?|drawbacks?|downsides?|side[- ]effects?|contrary to|exposes? (?:\w+ ){{0,2}}to the risk
    (?:kann|k\u00f6nnen|wird|werden) (?:\S+ ){{0,3}}(?:nicht|ignoriert|verworfen)|achtung|nicht (?:m\u00f6glich
    unterst\u00fctzt)
    (?:nur|nicht) verf\u00fcgbar|funktioniert nur|veraltet|einschr\u00e4nkung(?:en)?
""")

_ERRORS: Final = words(rf"""
    (?:raises?|raised|throws?|thrown|emits?|returns?|reports?) (?:an? |the )?(?:\S+ ){{0,2}}{_RAISED}
    {_RAISED} (?:is|are|will be) (?:raised|thrown|shown|returned|reported|displayed|logged)
    (?:will|would|to) (?:fail|error|abort|crash)|exit (?:code|status)\w*
    if (?:you|this|it|the \w+) (?:see|get|encounter|receive|fails?|run into|have (?:problems|trouble|issues))
    troubleshoot\w*|schl\u00e4gt fehl|scheitert|fehlermeldung(?:en)?
""")

_SETTINGS: Final = words(r"""
    settings?|(?:configuration|config) (?:files?|options?|values?|keys?|parameters?)|environment variables?
    env(?:ironment)? vars?
    defaults? to|(?:the )?default (?:value|timeout|limit|size|path|location)|(?:enabled|disabled|off|on) by default
    default: \S+
    einstellung(?:en)?|umgebungsvariablen?|voreinstellung(?:en)?
""")
_SETTING: Final = re.compile(r"`\$?[A-Z][A-Z0-9]*_[A-Z0-9_]+(?:=[^`\n]*)?`")

_OPTION: Final = re.compile(
    r"(?<![\w-])--[a-z][\w-]+|`-[a-zA-Z]\b|`[a-z][\w.-]* [a-z][a-z-]+(?: [^`\n]*)?`"
    r"|`{1,2}[a-z][\w-]*`{1,2} (?:sub)?(?:command|befehl)|\b(?:sub)?commands?\b|\bcommand[- ]line\b|\bbefehle?\b"
)
"""Option of a program, or a program with its first argument, in code."""

_NEEDS: Final = words(r"""
    (?:requires?|needs?|supports?|compatible with|works with|tested (?:on|with|against)) \S+ (?:v
    version )?\d+(?:\.\d+)*\+?
    (?:version )?v?\d+\.\d\S* (?:or|and) (?:later|higher|newer|above|greater|up)
    third[- ]party (?:packages?|librar\w+|modules?)|bibliothek(?:en)?
""")

_WORKINGS: Final = words(r"""
    under the hood|behind the scenes|internally|(?:is|are|was) (?:built|based|implemented|written|powered) (?:on
    upon|by|in|with|as)
    (?:wraps?|implements?|inherits?|extends?|subclass(?:es)?|delegates?|encapsulates?) (?:the|a|an|from|to|\S*`)
    consists? of|(?:is|are) (?:made up|composed|comprised|part|responsible) (?:of|for)|(?:wrapper|abstraction) \w+
    (?:base|parent|child|super|sub)[- ]?class(?:es)?|life ?cycle|algorithms?|data structures?|sequence diagrams?
    (?:is|are|will be|gets?) (?:\w+ly |then |first |also |always )?(?:stored|saved|kept|loaded|called|invoked
    executed|passed) (?:by|to|after|before|when|on|once|in|with|for|at|as|from|into)
    (?:is|are|will be|gets?) (?:\w+ly |then |first |also |always )?(?:sent|written|parsed|resolved|created|generated
    merged) \w+
    (?:is|are|will be|gets?) (?:\w+ly |then |first |also |always )?(?:split|divided|grouped|processed|handled
    computed|cached) \w+
    (?:is|are|will be|gets?) (?:\w+ly |then |first |also |always )?(?:evaluated|inherited|encrypted|serialized
    appended) \w+
    automatically|(?:stores?|contains?|represents?|holds?|exposes?|manages?|handles?|maintains?|keeps) (?:the|a|an
    all|its|each|information)
    by default|besteht aus|basiert auf|enth\u00e4lt|speichert|verwaltet|automatisch
""")

_USES: Final = words(r"""
    (?:you|we) (?:can|could)|you may|(?:allows?|lets?|enables?) (?:you|us|users?|for|to|\w+ing)
    makes? it (?:possible|easy|easier)
    (?:useful|helpful|handy|convenient|ideal|suited|suitable) (?:for|to|when|if|in)|use cases?|alternatively
    can (?:also )?be (?:used|combined|achieved|done|extended) (?:to|for|with|by|as|in)|(?:man|sie|du) k(?:ann
    \u00f6nnen|annst)
    erm\u00f6glicht|n\u00fctzlich|hilfreich
""")

_CODE: Final = re.compile(r"`+[^`\n]*`+|(?<![\w-])--[a-z][\w-]*")
"""Code, whose words say nothing of the kind of a statement: `--unsafe` is no danger."""

_AFTER_OPTIONS: Final[Sequence[tuple[Category, re.Pattern[str]]]] = (
    ("dependency", _NEEDS),
    ("environment", _SETTINGS),
    ("architecture", _WORKINGS),
    ("pattern", _USES),
)


_READ_CHARS: Final = 300
"""Characters that are read of a statement: a longer one tells of many things besides."""


def category_of_statement(text: str) -> Category:
    """Category of a statement that no heading and no plain wording settles; `general` if it tells of nothing here.

    Args:
        text: the line, as it is stored.
    """
    text = text[:_READ_CHARS]
    prose = _CODE.sub("`", text.lower())
    if _LIMITS.search(prose):
        return "gotcha"
    if _ERRORS.search(text.lower()):
        return "troubleshooting"
    if _SETTING.search(text):
        return "environment"
    if _OPTION.search(text):
        return "command"
    return next((category for category, pattern in _AFTER_OPTIONS if pattern.search(prose)), "general")
