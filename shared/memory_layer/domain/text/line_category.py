"""Category of a line of a file, by what it says and by the headings over it.

Headings are the strongest evidence that there is: most lines of an instruction file hold no word of their kind.
"""

import re
from collections.abc import Sequence

from memory_layer.domain.memory import Category
from memory_layer.domain.text.classification import category_by_rules, category_of_label
from memory_layer.domain.text.governing_headings import force_of
from memory_layer.domain.text.heading_category import category_above, category_of_heading
from memory_layer.domain.text.line_rules import declared_category, ordered_category, talked_category
from memory_layer.domain.text.opposites import word_set
from memory_layer.domain.text.record_category import category_of_record
from memory_layer.domain.text.statement_category import category_of_statement
from memory_layer.domain.time.dated_headings import is_record

_HEAD_CHARS = 600
"""Characters that are read of a line: what it asks for stands at its beginning."""

_OUTSPOKEN = frozenset({"todo", "workaround", "decision", "gotcha"})
"""Categories whose wordings outweigh a heading."""

_BOWING = frozenset({"architecture", "pattern"})
"""Categories of headings under which an order is an order all the same."""

_FORBIDDEN = frozenset({"general", "architecture", "pattern"})
"""Categories of lines that are orders where a heading forbids what they name."""

_BOWING_TO_RULES = frozenset({"environment", "dependency"})
"""Categories under which most lines begin with an imperative (`Install …`): a rule says `never` or `must`."""

_RELEASE = re.compile(
    r"^\W*(?:version |release |v)?\d+\.\d+|^\W*\d{4}-\d\d-\d\d\W*$|^\W*unreleased\b|^\W*unver\u00f6ffentlicht\b"
    r"|^(?:\S+ ){0,3}(?:change ?log|release notes|what'?s new|\u00e4nderungsprotokoll|versionshistorie"
    r"|version history)$"
    r"|^(?:change(?:s|log)|history|news|releases?)\.\w+$"
)
_SCOPE = re.compile(
    r"\W{0,8}(?:\[[^\]\n]{1,60}\]|\([^)\n]{1,60}\)|\*\*[^*\n]{1,60}(?::\*\*|\*\*:)"
    r"|[\w./-]{1,40}(?:\([^)\n]{1,40}\))?!?:)"
)
"""Part that a change is about (`**cli:** …`, `parser: …`): its verb comes after that."""

_REPAIR = re.compile(
    r"\W{0,8}(?:security\W{1,5})?(?:(?:bug ?)?fix(?:e[sd]|ing)?|hotfix|resolve[sd]?|repair(?:s|ed)?|prevent(?:s"
    r"|ed)?|avoid(?:s|ed)?"
    r"|correct(?:s|ed|ly)|no longer (?:crash|fail|hang|throw|error)\w*|behebt|behoben|korrigiert)\b"
    r"|\W{0,8}\[(?:bug ?fix|fix|perf)\w*\]"
)
_PIN = re.compile(
    r"\W{0,8}(?:(?:bump|upgrad|updat|pin|downgrad)(?:e?s|e?d|ing|e)? [^\n]*\d|updated? dependenc"
    r"|(?:drop|remov)\w* (?:\w+ ){0,2}(?:support for |version )?(?:\w+ ){0,2}v?\d+(?:\.\d+)?\b"
    r"|@?[\w./-]{1,80}@\d+\.\d)"
)
_MINIMUM = re.compile(r"\bminimum (?:\w+ ){1,3}(?:version|is)\b")

_CREDIT = re.compile(r"^\W*(?:#\d+\s+)?`?[0-9a-f]{7,40}`?\s+(?:thanks @[^!\n]{1,120}!\s*-\s*|-\s+)")
"""Beginning of a line of news as tools of releases write it: `#12 `0a1b2c3` Thanks @who! - Fixes …`."""
_KIND = re.compile(
    r"^\W*(?:enh(?:ancement)?|chg|changes?|feat(?:ure)?|add(?:ed|ition)?|perf|chore|refactor|docs?) #\d+: "
)
"""Kind and number before the news: `Enhancement #12: …`."""

_REWORK = re.compile(
    r"\W{0,8}(?:refactor\w*|rework\w*|rewr[io]t\w+|restructur\w+|reorgani[sz]\w+|internal(?:ly)?\b"
    r"|migrat\w+ \S+ to)"
)
_SET = re.compile(
    r"\b(?:settings?|config(?:uration)?(?: (?:file|option|key|field)s?)?|env(?:ironment)?(?: |_)?var(?:iable)?s?)\b"
    r"|`\$?[a-z][a-z0-9]*_[a-z0-9_]+=?`|\b[a-z]+_[a-z]+_[a-z_]+ env"
)

_GOVERNED = re.compile(r"^(?:fixed|bug ?fix(?:es)?|\w+ changes|deprecated|removed): ")
_LINK = re.compile(r"\(?\[[^\]]*\]\([^)]*\)\)?|\(?#\d+\)?|\{(?:issue|pr)\}`\d+`|https?://\S+")
"""References to issues and commits, whose numbers are no versions."""
_BREAKS = re.compile(
    r"^\W*(?:breaking|removed?|removes|deprecated?|deprecates|incompatible|entfernt|inkompatibel)\b"
    r"|\bbreaking(?: change)?s?\b:?"
    r"|\bis (?:now )?deprecated\b|\bbackwards?[- ]incompatible\b|^\W*\[(?:change|breaking|removed"
    r"|deprecat\w+)\]"
)
_OPTION = re.compile(
    r"`--[a-z][\w-]*|`(?:[a-z][\w-]* ){1,3}-{1,2}[a-z]|(?<![\w-])--[a-z][a-z-]+\b|`[a-z]+ [a-z][a-z-]+`"
    r"|`/[a-z][\w-]*`|`[a-z][\w-]*` (?:sub)?(?:commands?|options?|flags?)\b"
)
_NEW = re.compile(
    r"^\W*(?:\[feature\]|add(?:s|ed|ing)?|new|introduc\w+|allow\w*|support(?:s|ed)?|implement\w*|accepts?|expos\w+"
    r"|make"
    r"|makes|print|show|use|optionally|enable[sd]?|neu\w*|hinzugef\u00fcgt)\b"
)
_VERSIONED = re.compile(
    r"\W*(?:add(?:s|ed|ing)?|support(?:s|ed)?)(?: support for)? (?:[\w.-]+ ){1,4}v?\d+\.\d+"
)
_NEWS_CHARS = 200
"""Characters of news that say what is new; what follows tells more of it."""
_TOLD_BY_CHANGES = frozenset({"environment", "troubleshooting"})

_POLITE = re.compile(
    r"^\W*(?:thanks?|thank you|welcome|hi|hello|hey|we(?:'re| are) (?:excited|happy|glad|thrilled|always)"
    r"|congrat\w*"
    r"|yeay|this (?:file|document|guide|repository|page|section)|diese datei|dieses dokument|danke"
    r"|willkommen)\b"
)
_OTHER_CODE = re.compile(r"^(?:```|~~~)(?!sh\b|bash\b|shell\b|console\b|zsh\b)")

_SHELL = re.compile(
    r"^(?:[^\n]{0,80}:\n)?(?:```|~~~)(?:sh|bash|shell|console|zsh|powershell|cmd|terminal)\b|^(?:\$|>) \S"
    r"|^(?:\S+ ){0,6}?`"
    r"(?:\./|(?:git|gh|npm|npx|pnpm|yarn|make|docker|docker-compose|kubectl|helm|terraform|cdk|aws|pip"
    r"|pipx|uv|uvx|poetry"
    r"|python3?|pytest|ruff|mypy|cargo|go|gradle|mvn|dotnet|php|composer|rails|bundle|brew|apt|node|deno"
    r"|bun|just|tox|nox"
    r"|mem) )[^`\n]+`|^`[a-z][\w-]* [^`\n]+`\s*(?:[\u2014\u2013:-]|starts|runs|builds|shows|prints|lists) ",
    re.IGNORECASE,
)
_PLACE = re.compile(
    r"^\W*`[\w.*@<>{}-]*/[\w./*@<>{},-]*`(?:\s*\([^)]*\))?\W{0,3}\s*(?:[\u2014\u2013\u2192:-]|is\b|are\b"
    r"|contains?\b|holds?\b)"
    r"|^```[\w]*\n[^\n]*(?:/|\u251c\u2500)[^\n]*\n[^\n]*(?:\u251c\u2500|\u2514\u2500)"
)
_ORDER = re.compile(
    r"\b(?:must(?: not)?|mustn't|never|always|should(?:n't| not)?|do not|don't|cannot|may not"
    r"|is mandatory|is prohibited|are prohibited|not allowed|has to|have to|needs? to|make sure|ensure"
    r"|prefer|avoid|only use|niemals|immer|m(?:uss|\u00fcssen)|soll(?:en|te|ten)?|darf(?: nicht)?|d\u00fcrfen"
    r"|nicht erlaubt|verboten|vermeide\w*)\b",
    re.IGNORECASE,
)
_FACTS = re.compile(
    r"\b(?:(?:is|are|was|were|be|will|has|have) (?:always|never)|(?:does|do|did) ?n[o'\u2019]t (?:have|need) to"
    r"|cannot"
    r"|may not"
    r"|(?:will|would|can|could|if|that|which|generally|often) (?:\S+ ){0,2}(?:always|never|should|needs? to)"
    r"|(?:will|would|to|helps?|we|i|and|or|can|this|which|that|it) (?:\S+ )?(?:prefers?|avoid|ensures?)"
    r"|(?!(?:please|and|but|so|or|then|just|also|we|you|i|agents|developers|never)\b)[\w`]+ (?:do not|don't)"
    r"|(?:ist|sind|wird) immer)\b",
    re.IGNORECASE,
)
"""Words of orders where they tell how a thing is: `is always cached`, `need not be loaded`."""

_RUN = re.compile(r"^\W{0,8}(?:run|execute|invoke|type) [^\n]{0,40}`", re.IGNORECASE)

_RULE = re.compile(
    r"\b(?:must|mustn't|never|always|do not|don't|cannot|may not|not allowed|only use|niemals|immer|darf nicht"
    r"|verboten)\b",
    re.IGNORECASE,
)
_GERMAN_INFINITIVE = re.compile(
    r"^[\u00c4\u00d6\u00dcA-Z](?:(?!, (?:die|der|das|den)\b)[^.!?\n]){5,160}"
    r"\b(?!\u00fcber|unter|wieder)[a-z\u00e4\u00f6\u00fc]{3,}(?:en|eln|ern)[.!]?$"
)
_ENGLISH = re.compile(r"\b(?:the|an?|of|is|are|be|to|and|for|with|it|this)\b", re.IGNORECASE)
"""Words that no German sentence has: `When prices are given` is no infinitive."""
_IMPERATIVES = word_set("""
    add allow annotate apply ask assume attach avoid base be begin bring build bump call capture catch centralize
    change check choose clean clear close combine commit configure confirm consider continue copy cover create
    declare default define delegate delete derive describe design discuss document drop edit enable ensure escape
    explain expose extend extract fail fetch fix focus follow format gather generate give grep group guard handle
    identify implement import include increase inject inline inspect install invoke isolate keep keyword leave let
    limit link list load lock log maintain make map mark match measure merge minimize mirror mock mention move name
    offer omit open optimize order organize override parse pass pause pick pin place plan point prefer prefix
    preserve proceed produce propose provide publish pull push put quote raise read rebase record recommend reduce
    refactor refer reference regenerate register reject release rely remain remember remove rename render repeat
    replace report request require research reserve resolve respect respond restart return reuse review rewrite run
    save scan search select send separate set ship show sign simplify skip sort specify split squash stage start
    state stay stick stop store structure submit suggest summarize supply support switch sync tag take target test
    think throw track treat trim try type understand update upgrade use validate verify wait watch wire work wrap
    write
    beachte behalte benutze entferne erkl\u00e4re erstelle frage f\u00fchre halte lies nutze nimm
    pr\u00fcfe schreibe setze
    teste verwende verwenden vermeide vermeiden arbeite beantworte triff antworte ver\u00e4ndere \u00e4ndere wiederhole
    achte ignoriere l\u00f6sche f\u00fcge gib starte stoppe speichere bearbeite ersetze kopiere verschiebe
    benenne dokumentiere
    """)
_LABELLED = re.compile(r"^\W{0,4}\*\*[^*\n]{1,40}(?:\*\*:|:\*\*)(?!\s*(?:[a-z]|$))", re.IGNORECASE)
"""Name of a value before it (`**Support tickets**: 23`), which orders nothing."""
_FIRST_SENTENCE = re.compile(r"[.!?]\s")
_FIRST_WORD = re.compile(r"(?:[^\w`\n]|\d+[.)]|step \d+\W)*([^\W\d_]+)")


def category_of_line(
    content: str, titles: Sequence[str], file_name: str = "", *, is_step: bool = False
) -> Category:
    """Category of a line under these headings, outermost first; `general` when unsure.

    Args:
        content: the line as it is stored, with the headings that govern it.
        file_name: tells a changelog, whose lines are news and no orders.
        is_step: of a numbered list, which says what to do in turn, and no rule.
    """
    head = content[:_HEAD_CHARS]
    label = category_of_label(head)
    if label is not None:
        return label
    said = category_by_rules(head)
    if any(_RELEASE.search(title.lower()) for title in (file_name, *titles) if title):
        return _category_of_change(titles, head, said)
    if is_record(titles, file_name):
        return category_of_record(titles, head, said)
    if said in _OUTSPOKEN:
        return said
    found = _under(titles, head, said)
    if is_step and found == "convention" and category_above(titles) is None and not _RULE.search(head):
        return "pattern"
    is_forbidden = found in _FORBIDDEN and any(force_of(title) in ("forbids", "condemns") for title in titles)
    bare = head.partition(": ")[2] or head
    return ordered_category(bare, bare.lower()) if is_forbidden else found


def _category_of_change(titles: Sequence[str], head: str, said: Category) -> Category:
    """Category of a line of a changelog, which orders nothing: most news of a version are of none."""
    lowered = head.lower()
    told = _KIND.sub("", _CREDIT.sub("", lowered, count=1), count=1)
    bare = _GOVERNED.sub("", _LINK.sub(" ", told), count=1)
    news = _without_scope(bare)
    if _PIN.match(news) or _MINIMUM.search(bare):
        return "dependency"
    if (
        _REPAIR.match(bare)
        or _REPAIR.match(news)
        or (titles and category_of_heading(titles[-1]) == "troubleshooting")
    ):
        return "troubleshooting"
    if _BREAKS.search(told):
        return "gotcha"
    if _REWORK.match(news):
        return "architecture"
    if said in _OUTSPOKEN or said in _TOLD_BY_CHANGES:
        return said
    return _category_of_news(news) if _NEW.match(news) else "general"


def _category_of_news(news: str) -> Category:
    """Category of what is new: an option, a setting, a version of something; most features are of none."""
    first = news.partition("\n")[0][:_NEWS_CHARS]
    if _OPTION.search(first):
        return "command"
    if _SET.search(first):
        return "environment"
    return "dependency" if _VERSIONED.match(news) else "general"


def _without_scope(change: str) -> str:
    scope = _SCOPE.match(change)
    return change[scope.end() :] if scope else change


def _under(titles: Sequence[str], head: str, said: Category) -> Category:
    if _SHELL.search(head):
        return "command"
    above = category_above(titles)
    if above in (None, "convention", "pattern") and _PLACE.search(head):
        return "architecture"
    if above == "convention" and (_POLITE.match(head.lower()) or _OTHER_CODE.match(head)):
        return "general"
    if above is None:
        return _by_itself(head, said)
    return "convention" if _bows(above, head) else above


def _by_itself(head: str, said: Category) -> Category:
    """Category of a line that no heading says the kind of."""
    lowered = head.lower()
    talked = talked_category(lowered)
    if talked is not None:
        return talked
    if _is_order(head):
        return "command" if _RUN.match(head) else ordered_category(head, lowered)
    if said not in ("general", "convention", "coding_style"):
        return said
    return declared_category(head, lowered) or (said if said != "general" else category_of_statement(head))


def _is_order(head: str) -> bool:
    """Tests if a line says what to do: it begins with an imperative, or a word such as `must` tells no fact."""
    is_told = _ORDER.search(_FACTS.sub(" ", head)) is not None
    return is_told or _is_imperative(head) or _is_german_order(head)


def _is_german_order(head: str) -> bool:
    return _GERMAN_INFINITIVE.search(head) is not None and not _ENGLISH.search(head)


def _bows(above: Category, head: str) -> bool:
    """Tests if a line is an order though its heading names another kind of text."""
    is_rule = _RULE.search(_FIRST_SENTENCE.split(head, maxsplit=1)[0]) is not None
    return (above in _BOWING and (is_rule or _is_imperative(head))) or (above in _BOWING_TO_RULES and is_rule)


def _is_imperative(head: str) -> bool:
    if _LABELLED.match(head):
        return False
    first = _FIRST_WORD.match(head)
    return first is not None and first[1].lower() in _IMPERATIVES
