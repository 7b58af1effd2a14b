"""Lexicon for contradictions: negators, antonyms, and words that tell nothing of a sentence's subject.

The pairs are those of a project's ordinary language, gathered by hand; the grammar (what negates, what is a
modal, which verbs imply a negative) follows Huddleston and Pullum, The Cambridge Grammar of the English
Language (2002), chapter 9.
"""

from collections.abc import Iterator, Mapping

from memory_layer.domain.text import german_words as german
from memory_layer.domain.text.analyzer import STOP_WORDS


def word_set(words: str) -> frozenset[str]:
    """Set of the words of a text, so that word lists can be written as text."""
    return frozenset(words.split())


NEGATOR = "not"
ONLY = "only"
ALSO = "also"
REJECTS = "\x00rejects"
"""Marker before the rejected part of a sentence: instead of, rather than, but not."""

PHRASES: Mapping[str, str] = {
    **dict.fromkeys(
        (
            *("no longer", "not any longer", "fail to", "fails to", "failed to", "forget to", "forgets to"),
            *("unable to", "impossible to", "refuse to", "refuses to", "stop using", "stopped using"),
        ),
        NEGATOR,
    ),
    **dict.fromkeys(("nothing but", "nobody but", "no one but", "none but"), ONLY),
    **dict.fromkeys(("not only", "as well", "not just"), ALSO),
    **dict.fromkeys(("instead of", "rather than", "but not"), REJECTS),
    **dict.fromkeys(("turn on", "turns on", "turned on", "switch on", "switched on"), "enabled"),
    **dict.fromkeys(("turn off", "turns off", "turned off", "switch off", "switched off"), "disabled"),
    **dict.fromkeys(
        ("has to", "have to", "had to", "is expected to", "are expected to", "is supposed to"), "must"
    ),
    "valid for": "expires",
    "works at": "works-at",
    "any more": "anymore",
    "not stand": "hates",
    **dict.fromkeys(("runs on port", "listens on port", "is on port"), "on port"),
    "no one": "nobody",
    **dict.fromkeys(("as of version", "starting with version"), "since version"),
    "by hand": "manually",
    "must go through": "must use",
    "have to go through": "must use",
    "has to go through": "must use",
    "not able to": NEGATOR,
    "time out": "timeout",
    "times out": "timeout",
}
"""Phrases, each with the one word that is read in its place."""

NEGATORS = word_set(
    "not no never none nobody nothing nowhere neither nor cannot without lack lacks lacked lacking unless avoid"
    " avoids avoided avoiding refrain skip skips skipped skipping forget forgets omit omits"
    " discouraged inadvisable"
) | word_set(german.NEGATORS)

_COMPLEMENTS = """
enable enables enabled enabling activated activate | disable disables disabled disabling deactivated deactivate off
required require requires need needs needed mandatory compulsory obligatory | optional
allow allows allowed permit permits permitted | forbid forbids forbidden prohibited prohibit disallowed banned ban
true | false
sync synchronous synchronously | async asynchronous asynchronously
safe safely harmless | unsafe dangerous risky
mutable | immutable
public publicly | private
stateful | stateless
possible | impossible
work works working worked succeed succeeds succeeded passes | fail fails failed broken breaks
online | offline
manual manually | automatic automatically
"""
_PREFIXED = """
unsupported support, invalid valid, unavailable avail, unstable stabl, unencrypted encrypt, unknown known, unused use,
untested test, undocumented document, unsigned sign, unlimited limit, incompatible compat, inconsistent consist,
unreliable reliabl, unordered order, unversioned version, non-blocking block, unauthenticated authent
"""
_CONTRARIES = """
before prior | after since afterwards
increase increases increased raises raised grows | decrease decreases decreased reduces reduced lowers lowered
faster quicker | slower
larger bigger higher | smaller lower
large big long | small short
like likes love loves enjoys enjoy loved | hate hates dislike dislikes loathes
tab tabs | space spaces
light | dark
upper uppercase | lower lowercase
ascending asc ascendingly | descending desc
keep keeps retain | remove removes drop drops
accept accepts accepted | reject rejects rejected
open opened | closed
left | right
up upwards | down downwards
first | last
internal | external
local | remote
vertical vertically | horizontal horizontally
cheap cheaper | expensive dearer
easy easier | hard harder difficult
plural | singular
include includes included including | exclude excludes excluded excluding
"""


def _axes(table: str) -> Iterator[tuple[str, tuple[str, int]]]:
    for line in table.strip().splitlines():
        positive, negative = (side.split() for side in line.split("|"))
        name = f"~{positive[0]}"
        yield from ((word, (name, +1)) for word in positive)
        yield from ((word, (name, -1)) for word in negative)


OPPOSITES: Mapping[str, tuple[str, int]] = {
    **dict(_axes(german.COMPLEMENTS.strip() + german.CONTRARIES)),
    **dict(_axes(_COMPLEMENTS + _CONTRARIES.strip())),
    **{word: (stem, -1) for word, stem in (pair.split() for pair in _PREFIXED.split(","))},
}
"""Antonyms: axis and end of it by word: `optional` is (`~required`, -1), `unsupported` is (`support`, -1)."""

COMPLEMENTS = frozenset(name for _, (name, _) in _axes(_COMPLEMENTS.strip()))
"""Axes of complements, on which everything not at one end is at the other."""

_LIGHT = """
use uses used using usage utilize prefer prefers preferred preferably always ever should must may might shall will
would can could still now currently today anymore longer any every everyone everybody everything each all please
ensure make sure remember just also even already yet really actually able let lets way want wants anybody anyone
simply generally usually normally only fine ok okay encouraged recommended advisable idea
"""
_TELLING = word_set("other some most few own same more both again")
"""Stop words that distinguish the ones that are meant."""

LIGHT_WORDS = (
    (STOP_WORDS | word_set(_LIGHT) | word_set(german.LIGHT)) - NEGATORS - OPPOSITES.keys() - _TELLING
)
"""Words that tell the manner of a statement, or nothing; never its subject."""

EMPHATIC = word_set("always never must required mandatory forbidden prohibited shall " + german.EMPHATIC)

VERB_MARKS = word_set(
    "is are was were be been being has have had will would can could must should shall may might do does did use uses"
    f" prefer prefers need needs require requires cannot not never avoid isn't {german.VERB_MARKS} {german.NEGATORS}"
)
"""Verbs of which the first separates a sentence's subject, before it, from its predicate."""

CONDITIONS = word_set("when whenever while if unless until once " + german.CONDITIONS)
"""Words that begin a condition: a verb after one belongs to the condition, not to the sentence's own statement."""

SCHEDULES = word_set("is are will due start starts begin begins end ends expire expires scheduled")
"""Words beside which a date is the date of the subject, and not of one event among several."""

PAST = word_set(
    "was were had did took went held became chose wrote ran got made began left met saw came lasted"
)
STANDING_PARTICIPLES = word_set("used limited required needed based set called named stored fixed capped")
"""Participles that state how things are, even without a verb before them."""

OPEN = word_set("some sometimes occasionally might maybe perhaps often")
"""Words of partial claims: a claim that holds sometimes is not contradicted by one that sometimes does not."""

_ADJECTIVES = """
sync safe mutable public stateful possible online manual faster larger large tab light upper left first internal
local vertical cheap easy plural true
"""
ADJECTIVES = frozenset(f"~{name}" for name in _ADJECTIVES.split())
"""Axes of adjectives that distinguish a noun: private endpoints are others than public ones."""

DIRECTED = word_set("from to into onto than ~before over by")
"""Words that direct an action: a swap of the words before and after one changes the meaning."""

IMPERATIVES = word_set("""
    keep set limit pin upgrade retry wait run deploy write format store put call wrap name add create start stop
    restart enable disable configure install include exclude commit push pull merge rebase squash open close move
    copy send return raise throw catch validate check verify sort round truncate escape mock stub import export
    avoid use prefer choose pick allow forbid require allocate reserve cap bump invalidate clear read load save
    """)
"""Verbs in the imperative: a sentence that begins with one gives advice."""

BE = word_set("is are was were be been being ist sind wird werden")
PERSONS: Mapping[str, str] = {
    **dict.fromkeys(("i", "me", "my", "mine"), "i"),
    **dict.fromkeys(("you", "your", "yours"), "you"),
    **dict.fromkeys(("he", "him", "his"), "he"),
    **dict.fromkeys(("she", "her", "hers"), "she"),
}
ASKS = word_set("what how why who whom where whether should")
PRONOUNS = word_set("it they he she this that these those which who")
PREPOSITIONS = word_set(
    "in on for at with from when if during inside within by to into as of per under about while because "
    + german.PREPOSITIONS
)
DETERMINERS = word_set("the a an its their our his her my your")
