"""Detection of learnings that teach nothing: statuses, figures of the run itself, lists of files."""

import re

from memory_layer.domain.text.plain_words import READ_CHARS

_STATUS_WORDS = """
done complete completes completed completion finish finished ok okay pass passes passed passing fail fails failed
failing green red success successful successfully succeeded ready clean good great fine lgtm yes no none nothing nope
na n/a tbd todo wip nil void skipped unchanged same works working worked fixed resolved implemented verified updated
created modified deleted added removed changed committed pushed merged deployed reviewed checked started continued
stuck blocked see above below next again still already now all every everything it its this that these those there
here we i the a an is are was were be been am has have had do did does will and or of to in on at for with by as any
some so up far yet new more just test tests testing suite suites build builds lint linter linting typecheck types type
check checks ci pipeline task tasks story stories step steps phase iteration iterations attempt attempts try tries run
runs loop loops session commit commits change changes code file files folder line lines issue issues error errors
warning warnings problem problems bug bugs feature progress status result results output log logs summary update
updates work learning learnings learned learnt lesson lessons insight insights note notes pattern patterns gotcha
gotchas discovered discovery encountered found made needed necessary required remaining left pending open what how date
time review approved expected planned usual requirements criteria acceptance plan objective goal others benchmarks
validation validated validations bun fmt format formatting existing pre-existing introduced exit packages
about around approximately roughly nearly took takes taken take lasted each per average avg total mean within second
seconds sec secs s minute minutes min mins hour hours h day days ms millisecond milliseconds token tokens times one two
three four five six seven eight nine ten zero quality gates
fertig erledigt abgeschlossen bestanden erfolgreich keine kein nichts weitere alle alles laufen durch grün änderungen
änderung nötig notwendig fehler gefunden siehe oben etwa ungefähr durchläufe durchlauf iterationen sekunden minuten
stunden und die der das ist sind wurde wurden
"""
STATUS_WORDS = frozenset(_STATUS_WORDS.split())
"""Words that a report of progress is made of: a text of nothing else teaches nothing."""

_CLOSING_WORDS = """
done complete completed finished passed passing passes pass green implemented merged committed pushed verified fertig
erledigt abgeschlossen
"""
_CLOSING = frozenset(_CLOSING_WORDS.split())
_RESULTS = _CLOSING | frozenset(("ok", "clean", "successful", "succeeded", "fails", "failed", "failing"))
"""Words of results: beside them the commands that were run tell nothing, as in `Checks passing: ...`."""

_CODE = re.compile(r"`[^`\n]{1,200}`")

CLOSED_MAX_WORDS = 5
"""Length up to which a text that ends in a closing word is the status of one thing: `Login page done`."""

_TOKEN = re.compile(r"[^\s`*_,;()\[\]{}|\"'\u201c\u201d\u2018\u2019<>\u2192]+")
_EDGES = ".:!?\u2026-\u2013\u2014=~+#/\\@&%$\u2713\u2705\u2714\u274c\u26a0\ufe0f\u2022"
_PATH = re.compile(
    r"(?:[\w@.~+-]*[/\\])+[\w@.+*-]+"
    r"|[\w@.+-]*\.(?:[cm]?[jt]sx?|py|go|rs|java|kt|rb|php|cs|c|cc|cpp|h|swift|sh|sql|css|html?|vue|svelte|json|ya?ml|toml"
    r"|lock|mod|sum|md|mdx|txt|xml|cfg|ini|env|proto|tf|gradle|snap)"
)
_FIGURE = re.compile(r"[-+~\u2248<>=]*\d[\d.,:/x%\u00d7-]*(?:ms|s|sec|min|m|h|k|st|nd|rd|th)?")
_LABEL = re.compile(
    r"(?:us|task|story|issue|step|phase|iter|iteration|run|pr|ac|req|fr|nfr|t|s)[-_#]?\d+[a-z]?"
)
_BOOKKEEPING = re.compile(
    r"^\W*(?:(?:commit\W{1,5})?(?=[a-f]*\d)[0-9a-f]{7,40}\W+(?:\w+(?:\([^)]*\))?!?: |[A-Z])"
    r"|(?:pushed |new |created )?branch: \S+\W*$|(?:created |opened )?(?:pr|pull request|pr url|thread|run|run log)"
    r"\W{1,3}(?:https?:|#?\d)\S*(?: (?:merged|created|opened|closed)[\w ]*)?\W*$"
    r"|(?:what was (?:implemented|done)|files? (?:changed|modified|touched)|changes made|next steps?)\W*$"
    r"|(?:[\w-]+ ){0,2}[\w-]+: (?:yes|no|true|false|clean|pending|none)\W*$"
    r"|[^\n]{2,80} (?:->|=>|\u2192) (?:build |all tests )?(?-i:PASS(?:ED)?|FAIL(?:ED)?|SUCCESS|OK)\b)",
    re.IGNORECASE,
)
"""Lines that a journal keeps of a run: a commit, a branch, a pull request, a command with its result."""

_LETTER = re.compile(r"[^\W\d_]")


def teaches_nothing(text: str) -> bool:
    """Tells whether a learning is a mere status ("done", "34 tests pass"), a figure of the run, or a list of files."""
    words = _words(text[:READ_CHARS])
    if _BOOKKEEPING.match(text[:READ_CHARS]):
        return True
    if is_mere_status(text) or (len(words) == 1 and words[0].isascii()):
        return True
    return len(words) <= CLOSED_MAX_WORDS and words[-1] in _CLOSING


def is_mere_status(text: str) -> bool:
    """Tells whether every word of a text is of a status; who said it may be anybody, so one word may be a name."""
    head = text[:READ_CHARS]
    beside = _words(_CODE.sub(" ", head))
    if all(map(_is_status, beside)) and not _RESULTS.isdisjoint(beside):
        return True
    return all(map(_is_status, _words(head)))


def _words(text: str) -> list[str]:
    return [word for token in _TOKEN.findall(text) if (word := token.strip(_EDGES).lower())]


def _is_status(word: str) -> bool:
    return (
        word in STATUS_WORDS
        or _LETTER.search(word) is None
        or any(pattern.fullmatch(word) for pattern in (_PATH, _FIGURE, _LABEL))
    )
