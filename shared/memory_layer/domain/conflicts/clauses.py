"""Clauses of a text as rows of words, one for each clause that makes a statement by itself."""

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from memory_layer.domain.conflicts.attribute_words import PHRASE_WORDS
from memory_layer.domain.text import opposites
from memory_layer.domain.text.analyzer import folded
from memory_layer.domain.text.category_rules import LABELS
from memory_layer.domain.text.wording_groups import grouped

CLAUSE_WORDS_MAX = 60
"""Most words of a clause that are read; no claim is longer."""


class Clause(NamedTuple):
    """Words of a clause, and those of the clauses before it in its sentence that say when or where it holds."""

    words: list[str]
    setting: frozenset[str] = frozenset()


def words_of(text: str) -> frozenset[str]:
    """All words of a text in the form of `clauses_of`, those of omitted clauses as well."""
    return frozenset(_words(_marked(_plain(text)))) - LABELS.keys()


def written_words(text: str) -> list[str]:
    """Words of a text in lower case with their punctuation, before phrases and contractions are read as one word."""
    is_plain = text.isascii() and "`" not in text and "/" not in text
    return (text.lower() if is_plain else _plain(text)).split()


_FENCED = re.compile(r"```.*?(?:```|\Z)", re.DOTALL)
_CODE = re.compile(r"`([^`\n]{1,200})`")
_NO_NAME = re.compile(r"[\s.,;:!?()'\"]+")
_AMOUNT = re.compile(r"v?\d[\d.,]*(?: ?[a-zA-Z%]{1,7})?")
_GAP = re.compile(r"[^\S\n]{2,}|[^\S\n ]")
"""Several spaces, or one of another kind: words that are read together stand one space apart."""
_RATE = re.compile(r"(?<=\d)/(?=(?:second|minute|hour|day|week|month|year)\b)")
_NOT = re.compile(r"\b(?:can|won|don|shan|[a-z]{2,6})n['\u2019]t\b|\bcannot\b")
_BUT_DO_NOT = re.compile(r"\b(but )don['\u2019]t\b")
"""An order beside another one; `but not` rejects an alternative."""
_MEANS = re.compile(r"^\W*(?:this|that|which) means (?:that )?")
_WORD_OF = {**PHRASE_WORDS, **opposites.PHRASES}
_PHRASES = re.compile(rf"\b(?:{grouped(sorted(_WORD_OF, key=len, reverse=True))})\b")
_CONTRAST = re.compile(
    r",? [(\u2013\u2014]? ?(?:and |but )?not (?=(?:the |a |an )?[\w./+`-]+(?:[,).]|$| (?:in|for|on|with|when|or)\b))"
)
_CONTRAST_HINTS = (", not ", " but not", "(not ", "\u2013 not ", "\u2014 not ")
_SENTENCE_END = re.compile(r"\s(?:(?<=[.!?;]\s)\s*|(?<=\n)\n*|[\u2013\u2014]\s)")
"""Each way begins with a blank, which the search for the next place goes by."""
_CLAUSE_END = re.compile(
    r",\s+(?=(?:but|so|because|which|it|we|they|you|he|she|i|just|only|use|avoid|never|always|do|don't|now|then|not)\b)"
    r"|\s(?=(?:but|because|so that|although|though|even though|and (?:never|always|avoid|not|must|does|do)\b))"
)
_COUNTS = re.compile(
    r"\b(?:there are|has|have|uses?|needs?|requires?|consists? of|supports?|following|in|is|are)\b[^:]*?"
    r" (?:\d{1,3}|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve)\b (?:[\w\[\]-]+ ){0,3}[\w-]+s\b"
)
"""A lead that states how many there are: `There are three ways to pay:`."""
_EXAMPLE_HINTS = ("example", "for instance", "e.g.", "s say", "suppose", "beispiel", "z.", "assume it")
_EXAMPLE = re.compile(
    r"\b(?:for (?:example|instance)|e\.g\.|let'?s say|suppose|zum beispiel|z\. ?b\.)"
    r"|^\W*assume it\b|\bin th(?:e|is) (?:following )?example\b"
)
_ASIDE = re.compile(r"\((?:e\.g\.?|for example|for instance|z\. ?b\.)[^()]*\)")
"""Examples in parentheses of a part of a sentence, which claims what it says all the same."""
_REFERENCE = re.compile(r"\(\d{1,2}\)\W*")
_OF_ONE_RELEASE = re.compile(
    r"\b(?:this|diese[rsmn]?) (?:release|version)\b|\(no (?:\w+ )?changes\b"
    r"|\([0-9a-f]{7,40}\)\W*$"
)
_OF_ONE_COMMIT = re.compile(
    r"\W*(?:[\w()@/-]+: )?(?:[Bb]ump|[Uu]pdate|[Uu]pgrade)s? \S(?:(?![.!?;]\s).)* from v?\d\S* to v?\d\S*"
    r"(?: in \S+| \(\S+\))*\W*$"
)
"""A change as commits name it, and nothing more: `bump hono from 4.7.10 to 4.9.7`. A prefix such as `fix(core):` proves
none: whoever writes it would choose what contradicts nothing."""
_LABEL = re.compile(r"([\w -]{1,24}):\s+")
_EXPLAINS = re.compile(r"(?<=\w):\s+(?=\w+\s+\w+\s+\w)")
_PAST_HINTS = (
    *("used to", "formerly", "previously", "in the past", "back then", "historically", "once upon"),
    *("until 19", "until 20"),
)
"""Each text that `_PAST` finds has one of these, as one that `_EXAMPLE` finds has one of its own: found faster."""
_PAST = re.compile(
    r"(?<!\bis )(?<!\bare )(?<!\bbe )(?<!\bwas )(?<!\bbeing )\bused to\b"
    r"|\b(?:formerly|previously|in the past|back then|historically|once upon)\b|\buntil (?:19|20)\d\d\b"
)
_PREFER_TO = re.compile(r"\b(prefers? [\w.+#`-]{1,40}) (?:to|over) ")
_EDGES = "\"'\u201c\u201d\u2018\u2019.,;:!?()[]{}*\u2026"


def clauses_of(text: str) -> Iterator[Clause]:
    """Yields each clause, its words in lower case, without punctuation.

    Left out: questions, headings, examples, things to do, reports of the past, and clauses that say nothing alone.
    Code is one word; contractions and phrases are the one word that replaces them (`opposites.PHRASES`).
    """
    plain = _plain(text)
    if "(" in plain:
        plain = _ASIDE.sub(" ", plain)
    for sentence in _SENTENCE_END.split(_marked(plain)):
        is_asked = sentence.rstrip(" \"')").endswith("?")
        if sentence and not (is_asked or is_lead(sentence) or is_example(sentence)):
            yield from _clauses_of(sentence)


def is_lead(text: str) -> bool:
    """Tells whether a text claims nothing alone: a heading, a lead that does not count, a line of one release."""
    return (
        text.lstrip().startswith("#")
        or (text.rstrip(" *_").endswith(":") and _COUNTS.search(text.lower()) is None)
        or (
            ("(" in text or "release" in text or "version" in text)
            and _OF_ONE_RELEASE.search(text) is not None
        )
        or _OF_ONE_COMMIT.match(text) is not None
    )


def is_example(sentence: str) -> bool:
    """Tells whether a sentence, in lower case, is an example, which claims nothing."""
    return _has_any(sentence, _EXAMPLE_HINTS) and _EXAMPLE.search(sentence) is not None


def _is_past(clause: str) -> bool:
    return _has_any(clause, _PAST_HINTS) and _PAST.search(clause) is not None


def _has_any(text: str, hints: Sequence[str]) -> bool:
    for hint in hints:  # noqa: SIM110 a generator takes three times as long
        if hint in text:
            return True
    return False


def all_clauses_of(text: str) -> Iterator[list[str]]:
    """Yields the words of each clause, code word by word, including the clauses that `clauses_of` omits."""
    for sentence in _SENTENCE_END.split(_marked(_plain(text.replace("`", " ")))):
        yield from filter(None, map(_begun, map(_words, _CLAUSE_END.split(sentence))))


def _plain(text: str) -> str:
    """Text in lower case, each piece of code as one word."""
    if "`" in text:
        text = _CODE.sub(_as_word, _FENCED.sub(" ", text).replace("``", "`"))
    if "  " in text or not (text.isascii() and text.isprintable()):
        text = _GAP.sub(" ", text)
    if "/" in text:
        text = _RATE.sub(" per ", text)
    return (text if text.isascii() else folded(text)).lower().replace(opposites.REJECTS, " ")


def _as_word(code: re.Match[str]) -> str:
    """Code as one word; a number in code stays a number."""
    return code[1] if _AMOUNT.fullmatch(code[1]) else f"`{_NO_NAME.sub('_', code[1])}`"


def _marked(plain: str) -> str:
    """Replaces contractions and phrases by the one word that they are read as."""
    is_short = "n't" in plain or "n\u2019t" in plain or "cannot" in plain
    turned = _NOT.sub(opposites.NEGATOR, _BUT_DO_NOT.sub(r"\1do not", plain)) if is_short else plain
    turned = _PHRASES.sub(lambda match: _WORD_OF[match[0]], turned)
    if "prefer" in turned:
        turned = _PREFER_TO.sub(rf"\1 {opposites.REJECTS} ", turned)
    return _CONTRAST.sub(f" {opposites.REJECTS} ", turned) if _has_any(turned, _CONTRAST_HINTS) else turned


def _clauses_of(sentence: str) -> Iterator[Clause]:
    label = _LABEL.match(sentence)
    if label and LABELS.get(label[1].strip()) == "todo":
        return
    if label and label[1].strip() in LABELS:
        sentence = sentence[label.end() :]
    elif label:
        verb = "is " if sentence[label.end() : label.end() + 1].isdigit() else ""
        sentence = f"{label[1]} {verb}{sentence[label.end() :]}"
    setting: frozenset[str] = frozenset()
    sentence = _MEANS.sub("", sentence)
    told = _EXPLAINS.split(sentence, maxsplit=1)[0] if ":" in sentence else sentence
    clauses = _CLAUSE_END.split(told)
    for at, clause in enumerate(clauses, 1):
        words = _role_first(_begun(_words(clause)))
        is_condition = at < len(clauses) and _is_mere_condition(clause, words)
        if words and not (is_condition or _says_nothing_alone(words) or _is_past(clause)):
            yield Clause(words[:CLAUSE_WORDS_MAX], setting)
        if words and words[0] in _SETTINGS:
            setting |= set(words)


def _is_mere_condition(clause: str, words: Sequence[str]) -> bool:
    """Tells whether a clause before another says when that holds, and nothing else: `When it is not ready, then …`."""
    return bool(words) and words[0] in opposites.CONDITIONS and "," not in clause


_SETTINGS = (
    opposites.CONDITIONS | opposites.PREPOSITIONS | {"before", "after", "since", "vor", "nach", "seit"}
)


def _says_nothing_alone(words: Sequence[str]) -> bool:
    """Tells whether a clause is a question or leaves out its subject, or has a pronoun for it.

    The pronoun of `it is safe to` stands for nothing; `Called after a worker has started` has no subject.
    """
    is_empty = words[0] == "it" and words[3:4] == ["to"] and not words[2].endswith("ed")
    is_cut = words[0].endswith(("ed", "sent")) and bool(words[1:]) and words[1] in _AFTER_PASSIVES
    is_pronoun = words[0] in opposites.PRONOUNS and not is_empty
    return words[0] in opposites.ASKS or is_pronoun or is_cut or tells_of_change(words)


def tells_of_change(words: Sequence[str]) -> bool:
    """Tells whether a clause without a verb reports what was done once: `Added a cache`, `New release`."""
    first = next((word for word in words if word not in CHANGE_LABELS), "")
    return first in _DONE and opposites.VERB_MARKS.isdisjoint(words)


CHANGE_LABELS = opposites.word_set(
    "breaking feat feature bugfix chore docs deps build ci refactor perf style minor major patch enhancement"
)
"""Labels before what a change did: `[breaking] update …`, `chore: bump …`."""

_DONE = opposites.word_set("""
    new fixed fixes added adds removed removes improved changed updated updating upgraded upgrading bumping switched
    increased released deprecated dropped reverted moved imported changes
    """)

_AFTER_PASSIVES = opposites.PREPOSITIONS | opposites.word_set("before after just right immediately only once")


def _words(clause: str) -> list[str]:
    """Words of a clause without punctuation, and without numbers in parentheses that refer to a list."""
    written = clause.split()
    if "(" in clause:
        written = [word for word in written if not _REFERENCE.fullmatch(word)]
    return [bare for word in written if (bare := word.strip(_EDGES).removesuffix("'s"))]


def _begun(words: list[str]) -> list[str]:
    """Words from the first one that is no sign: an arrow or an emoji may stand before a changelog's line."""
    if not words or words[0].isascii():
        return words
    return words if any(map(str.isalnum, words[0])) else words[1:]


def _role_first(words: list[str]) -> list[str]:
    """Words of `3.11 is the oldest version` as those of `the oldest version is 3.11`: a role that one value has."""
    at = next((at for at in range(1, min(4, len(words))) if words[at] in _IS), 0)
    names_role = at > 0 and words[at + 1 : at + 2] in _THE and not _ROLES.isdisjoint(words[at + 2 : at + 4])
    if not (names_role and any(map(str.isdigit, "".join(words[:at])))):
        return words
    ends = next((end for end in range(at + 3, len(words)) if words[end] in _ADJUNCTS), len(words))
    return [*words[at + 1 : ends], words[at], *words[:at], *words[ends:]]


_IS = opposites.word_set("is are ist sind")
_THE = (["the"], ["our"], ["der"], ["die"], ["das"])
_ROLES = opposites.word_set("""
    default oldest newest earliest lowest highest minimum maximum minimal maximal smallest largest primary preferred
    current only standard alteste neueste niedrigste hochste kleinste grosste einzige aktuelle
    """)
_ADJUNCTS = opposites.PREPOSITIONS | opposites.CONDITIONS


def bare_word(written: str) -> str:
    """Word without the punctuation around it."""
    return written.strip(_EDGES).removesuffix("'s")
