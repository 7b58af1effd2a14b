"""Category that a heading names for the text under it; data as in `category_rules`, for titles of a few words."""

import re
from collections.abc import Sequence

from memory_layer.domain.memory import Category
from memory_layer.domain.safety.text_caches import kept_by_text
from memory_layer.domain.text.wording_patterns import words

_TITLE_WORDS_MAX = 6
"""A longer title is a sentence that leads into a list: its words are of all kinds."""

_QUALIFICATION = re.compile(
    r"\s+(?:for|of|in|with|to|on|at|by|from|via|f\u00fcr|von|bei|mit|im|in der|zum|zur)\s"
    r"|\s*[(:\u2014\u2013]|\s-\s"
)
"""Beginning of what only qualifies a title: its kind stands before that (`Rules for the build`)."""

_HEADINGS: Sequence[tuple[Category, re.Pattern[str]]] = (
    ("todo", words(r"""
        action (?:items?|points?)|to-?do'?s?|to do|next steps|follow-?ups?|open (?:points?|questions?|tasks|items)
        remaining work|n\u00e4chste schritte|offene (?:punkte|fragen|aufgaben)
    """)),
    ("workaround", words(r"work-?arounds?|temporary fixes|hacks|\u00fcbergangsl\u00f6sung(?:en)?")),
    ("gotcha", words(r"""
        gotchas?|pitfalls?|caveats?|traps?|quirks?|foot-?guns?|surprises?|limitations?
        (?:common|typical) mistakes?
        known (?:issues|problems|limitations)|edge cases|things to know|easy to (?:get|miss|forget)|beware
        watch out|what (?:went|could have gone) (?:wrong|badly|better)|where we got lucky|lessons learnt
        (?:critical|important) (?:implementation )?notes?|lessons learned|fallstricke|stolperfallen?|vorsicht
        (?:bekannte|h\u00e4ufige) (?:probleme|fehler)|einschr\u00e4nkungen
    """)),
    ("troubleshooting", words(r"""
        troubleshoot\w*|fixed|(?:bug ?|hot)?fixes|bug-?fix|debugging|common errors|known bugs|diagnos\w+
        root causes?(?: analysis)?|five whys|mitigations?|remediations?|symptoms?|recovery(?: steps)?
        fehlerbehebung(?:en)?|fehlersuche|behoben\w*|when (?:something|it|things) (?:fails|goes wrong|breaks)
    """)),
    ("decision", words(r"""
        (?:design |architectur\w+ |key |technical )?decisions?(?!-| making| process| authority)
        rationale|adrs?|design choices|why we (?:chose|use|picked)|alternatives|(?:entwurfs)?entscheidung(?:en)?
        begr\u00fcndung|beschl(?:\u00fcsse|uss)
    """)),
    ("coding_style", words(r"""
        (?:code|coding|language|python|typescript|rust|go|writing|ui|css|c) ?style|style ?guides?
        code formatting
        formatt?ing|naming(?: conventions?)?|linting|type (?:hints|annotations)|imports?|comments?
        code-?stil|benennung
        namens\w+|formatierung|highlighting|highlight(?:ing)?|lint
    """)),
    ("command", words(r"""
        commands?|cheat ?sheets?|quick start commands|scripts|make targets|cli|how to (?:run|build|start)
        (?:running|building) (?:the )?(?:tests?|locally|app|project|server|documentation|docs)
        build(?: and | & |/)test
        build|publishing|befehle?|kommandos|skripte|local documentation|development commands
    """)),
    ("environment", words(r"""
        environments?|env(?:ironment)? var\w*|prerequisites?|(?:local |development |dev |project )?set-?up
        install(?:ation|ing)
        getting started|ports?|urls?|secrets|deployments?|hosting|infrastructure|configuration|umgebung\w*
        voraussetzung(?:en)?|einrichtung|installieren
    """)),
    ("dependency", words(r"""
        dependenc(?:y|ies)|packages|libraries|(?:tech(?:nology)?|our) stack|stack|technologies|versions
        package manager|abh\u00e4ngigkeiten|bibliotheken
    """)),
    ("preference", words(r"(?:user )?preferences|vorlieben|wer ich bin|about me")),
    ("pattern", words(r"(?:common |design |code |key |ui |react )?patterns?|recipes|idioms|muster")),
    ("convention", words(r"""
        conventions?|rules?|guidelines?|standards?|polic(?:y|ies)|workflows?|process(?:es)?|tests?|testing
        commits?
        branch(?:es|ing)?|git|pull requests?|prs?|reviews?|reviewing|review\w* criteria|contribut\w+|checklists?
        requirements?|principles?|never|always|must|do'?s|don'?ts?|forbidden|avoid|releases?|releasing
        security|quality
        gates?|definition of done|before|when|instructions?|directives?|expectations?|boundaries
        guardrails?|error handling
        logging|mandatory|responsibilities|practices|behaviou?rs?|submission|submitting|reporting|delivery
        format
        documentation|etiquette|preload|exception handling|agreements?|protocol|loop|contract|versioning
        validation
        regeln|konventionen|richtlinien|hinweise|schranken|grunds\u00e4tze|prinzipien|vorgaben|arbeitsweise|vorgehen\w*|versionierung|niemals|immer|verboten\w*
        qualit\u00e4t
        kommunikation|bevor|definition|sicherheit
    """)),
    ("architecture", words(r"""
        architectur\w*|(?:repo\w*|project|directory|folder|code|file)? ?(?:structure|layout|map|organi[sz]ation)
        (?:project|system|technical|code ?base) overview|components?|modules?|data ?flows?|data model
        schemas?|directory
        directories|where things live|entry ?points?|how it works|internals|process model|state management
        services
        key files|important files|design|subsystems?|core \w+ objects|architektur\w*|aufbau|projektstruktur
        komponenten|projekt\u00fcberblick|projekt\u00fcbersicht|datenmodell|stores?|flows|panel system
        api routes?
    """)),
)  # fmt: skip


_WHOLE: Sequence[tuple[Category, re.Pattern[str]]] = (
    ("context", re.compile(
        r"(?:incident )?timeline|what happened|what went well|(?:executive |incident )?summary|(?:user )?impact"
        r"|background|motivation|context|status|incident description|chronology|kontext|ausgangslage|hintergrund"
        r"|zeitverlauf|hergang|auswirkung(?:en)?|zusammenfassung"
    )),
    ("decision", re.compile(r"consequences|considered options|options considered|konsequenzen")),
)  # fmt: skip
"""Kinds that a title names only by itself: an `architecture summary` is of the architecture."""


@kept_by_text(512)
def category_of_heading(title: str) -> Category | None:
    """Category that a title names; of several the one that is named last, as its head word stands there."""
    plain = title.lower().replace("*", "").replace("`", "")
    kind = _QUALIFICATION.split(plain.strip(), maxsplit=1)[0]
    if len(kind.split()) > _TITLE_WORDS_MAX:
        return None
    whole = next((category for category, pattern in _WHOLE if pattern.fullmatch(kind.strip(" .:"))), None)
    if whole is not None:
        return whole
    ends = {
        category: max(match.end() for match in pattern.finditer(kind))
        for category, pattern in _HEADINGS
        if pattern.search(kind)
    }
    return max(ends, key=lambda category: ends[category], default=None)


def category_above(titles: Sequence[str]) -> Category | None:
    """Category of the nearest heading that names one, outermost first; what is to do is so under all its headings."""
    named = [found for title in titles if (found := category_of_heading(title))]
    return "todo" if "todo" in named else named[-1] if named else None
